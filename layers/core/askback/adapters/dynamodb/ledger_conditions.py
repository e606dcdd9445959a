"""The conditions of the ledger's writes: each has a name and a comment that says when it is true."""

from dataclasses import dataclass, field
from typing import Any

from askback.adapters.dynamodb import ledger_items as items
from askback.domain.pause.ledger import LedgerRow

NO_ROW = "attribute_not_exists(#pk)"
"""True if no row has this id."""
ROW_EXISTS = "attribute_exists(#pk)"
"""True if the row exists. Without this condition, an update would create an incomplete row after TTL has removed it."""
IS_ISSUED = "#status = :issued"
"""True until the pause is answered, expired or revoked."""
NOT_EXPIRED = "#exp > :now"
"""True before the expiry in the row. TTL is not used for this, because it can remove rows days late."""
HAS_WAITER = "attribute_exists(#waiter_kind)"
"""True if a run waits for the outcome; then the claim must begin a delivery."""
HAS_NO_WAITER = "attribute_not_exists(#waiter_kind)"
"""True until a mint sets a waiter. A claim without a delivery needs it, so that each waiter gets a delivery."""
AS_SEEN = "#status = :seen_status AND #due_at = :seen_due_at"
"""True if no other process has worked on the row since it was read: every action moves its due time."""
SAME_WAITER = "#waiter_kind = :seen_kind AND #waiter_address = :seen_address"
"""True if no retried mint has replaced the waiter; otherwise the new waiter would get no outcome."""
SIGNED_BY_SEEN_KEY = "#kid = :seen_kid"
"""True if no other retried mint has replaced the key and issued tokens with the new one."""
SIGNED_BY_NO_KEY = "attribute_not_exists(#kid)"
"""True if a row that was written without a key still has none."""
LACKS_TURN = "#turn_recorded = :no_turn AND #request_hash = :seen_request"
"""True if the pause asks the request that was seen and no mint has noted that its turn is recorded."""
MAY_ANNOUNCE = (
    "(attribute_not_exists(#announced) OR #announced = :announced OR NOT begins_with(#announced, :signed_by))"
)
"""True for the first event that announces the pause, for that event again, and once another key has signed."""
LINK_NOT_REVOKED = "(attribute_not_exists(#revoked_links) OR NOT contains(#revoked_links, :recipient))"
"""True until the link of this recipient is revoked."""
IS_UNDELIVERABLE = "#status = :undeliverable"
"""True from when the delivery of an answer was given up until an operator has it made again."""
IS_GIVEN_UP = "#given_up = :given_up"
"""True from when the outcome of an expired or revoked pause was given up until an operator has it delivered again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition, the attributes in it, and the values that it compares them with."""

    text: str
    tests: tuple[str, ...]
    values: dict[str, Any] = field(default_factory=dict)


def as_seen(row: LedgerRow) -> Condition:
    """Return the condition that no other process has worked on a due row since it was read."""
    waiter = waiter_as_seen(row)
    return Condition(
        text=f"{AS_SEEN} AND {waiter.text}",
        tests=(items.STATUS, items.DUE_AT, *waiter.tests),
        values={
            ":seen_status": {"S": row.status.value},
            ":seen_due_at": {"N": str(row.due_at)},
            **waiter.values,
        },
    )


def terms_as_seen(row: LedgerRow) -> Condition:
    """Return the condition that the row has the waiter and the revoked links that were seen.

    The hash of the terms covers both, so a write that changes one of them needs it.
    """
    waiter = waiter_as_seen(row)
    links, values = "attribute_not_exists(#revoked_links)", waiter.values
    if row.revoked_links:
        links, values = "#revoked_links = :seen_links", {**values, ":seen_links": items.names(row.revoked_links)}
    return Condition(text=f"{waiter.text} AND {links}", tests=(*waiter.tests, items.REVOKED_LINKS), values=values)


def waiter_as_seen(row: LedgerRow) -> Condition:
    """Return the condition that the row has the waiter that was seen."""
    if row.waiter is None:
        return Condition(text=HAS_NO_WAITER, tests=(items.WAITER_KIND,))
    return Condition(
        text=SAME_WAITER,
        tests=(items.WAITER_KIND, items.WAITER_ADDRESS),
        values={":seen_kind": {"S": row.waiter.kind.value}, ":seen_address": {"S": row.waiter.address}},
    )
