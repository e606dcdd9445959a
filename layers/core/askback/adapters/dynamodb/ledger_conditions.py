"""The conditions of the ledger's writes: each a named text that says when it is true."""

from dataclasses import dataclass, field
from typing import Any

from askback.adapters.dynamodb import ledger_items as items
from askback.domain.pause.ledger import LedgerRow

NO_ROW = "attribute_not_exists(#pk)"
"""True when no pause is recorded under the id."""
ROW_EXISTS = "attribute_exists(#pk)"
"""True when the row is there. Without it an update would create a half-empty row that TTL had removed."""
IS_ISSUED = "#status = :issued"
"""True until the pause is answered, expired or revoked."""
NOT_EXPIRED = "#exp > :now"
"""True while the row's own expiry lies ahead. TTL removes rows days late and is never trusted for this."""
HAS_WAITER = "attribute_exists(#waiter_kind)"
"""True when a run waits for the outcome, so that the claim must begin a delivery."""
HAS_NO_WAITER = "attribute_not_exists(#waiter_kind)"
"""True until a mint names a waiter. A claim that begins no delivery needs it: no waiter may be left without one."""
AS_SEEN = "#status = :seen_status AND #due_at = :seen_due_at"
"""True while nobody else has worked on the row: every step of a row moves its due time."""
SAME_WAITER = "#waiter_kind = :seen_kind AND #waiter_address = :seen_address"
"""True while no retried mint has put another waiter in place, who would else never hear of it."""
SIGNED_BY_SEEN_KEY = "#kid = :seen_kid"
"""True while no other retried mint has noted another key, for tokens that have left since."""
SIGNED_BY_NO_KEY = "attribute_not_exists(#kid)"
"""True while no retried mint has noted a key, in a row that was written without one."""
MAY_ANNOUNCE = (
    "(attribute_not_exists(#announced) OR #announced = :announced OR NOT begins_with(#announced, :signed_by))"
)
"""True for the first event that announces the pause, for that event again, and once another key has signed."""
IS_UNDELIVERABLE = "#status = :undeliverable"
"""True from when a delivery was given up until an operator has it made again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition, the attributes that it looks at, and the values that it compares them to."""

    text: str
    tests: tuple[str, ...]
    values: dict[str, Any] = field(default_factory=dict)


def as_seen(row: LedgerRow) -> Condition:
    """Return the condition that a due row has not been worked on since it was seen."""
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


def waiter_as_seen(row: LedgerRow) -> Condition:
    """Return the condition that the row has the waiter that was seen."""
    if row.waiter is None:
        return Condition(text=HAS_NO_WAITER, tests=(items.WAITER_KIND,))
    return Condition(
        text=SAME_WAITER,
        tests=(items.WAITER_KIND, items.WAITER_ADDRESS),
        values={":seen_kind": {"S": row.waiter.kind.value}, ":seen_address": {"S": row.waiter.address}},
    )
