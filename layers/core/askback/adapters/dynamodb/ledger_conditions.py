"""The conditions of the ledger's writes: each a named text that says when it is true."""

from dataclasses import dataclass, field
from typing import Any

from askback.adapters.dynamodb import ledger_items as items
from askback.domain.pause.ledger import LedgerRow, PauseStatus

NO_ROW = "attribute_not_exists(#pk)"
"""True when no pause is recorded under the id."""
ROW_EXISTS = "attribute_exists(#pk)"
"""True when the row is there. Without it an update would create a half-empty row that TTL had removed."""
IS_ISSUED = "#status = :issued"
"""True until the pause is answered, expired or revoked."""
NOT_EXPIRED = "#exp > :now"
"""True while the row's own expiry lies ahead. TTL removes rows days late and is never trusted for this."""
WAITED_FOR = {True: "attribute_exists(#waiter_kind)", False: "attribute_not_exists(#waiter_kind)"}
"""True when the row has, or has not, a waiter, as the reader of the row saw it."""
AS_SEEN = "#status = :seen_status AND #due_at = :seen_due_at"
"""True while nobody else has worked on the row: every step of a row moves its due time."""
SAME_WAITER = "#waiter_kind = :seen_kind AND #waiter_address = :seen_address"
"""True while no retried mint has put another waiter in place, who would else never hear of it."""
SIGNED_AS_SEEN = {True: "#kid = :seen_kid", False: "attribute_not_exists(#kid)"}
"""True while no other retried mint has noted another key, for tokens that have left since."""
IS_UNDELIVERABLE = "#status = :undeliverable"
"""True from when a delivery was given up until an operator has it made again."""
SAME_ATTEMPTS = "#attempts = :seen_attempts AND (attribute_not_exists(#not_taken) OR #not_taken = :seen_not_taken)"
"""True while no other redelivery came and went, whose attempts would else be forgotten. A zero is not always stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition, the attributes that it looks at, and the values that it compares them to."""

    text: str
    tests: tuple[str, ...]
    values: dict[str, Any] = field(default_factory=dict)


def as_seen(row: LedgerRow) -> Condition:
    """Return the condition that a due row has not been worked on since it was seen."""
    values = {":seen_status": {"S": row.status.value}, ":seen_due_at": {"N": str(row.due_at)}}
    tests = (items.STATUS, items.DUE_AT, items.WAITER_KIND)
    if row.waiter is None:
        return Condition(text=f"{AS_SEEN} AND {WAITED_FOR[False]}", tests=tests, values=values)
    values |= {":seen_kind": {"S": row.waiter.kind.value}, ":seen_address": {"S": row.waiter.address}}
    return Condition(text=f"{AS_SEEN} AND {SAME_WAITER}", tests=(*tests, items.WAITER_ADDRESS), values=values)


def undeliverable_as_seen(row: LedgerRow) -> Condition:
    """Return the condition that an undeliverable row is the one that was seen."""
    return Condition(
        text=f"{IS_UNDELIVERABLE} AND {SAME_ATTEMPTS}",
        tests=(items.STATUS, items.ATTEMPTS, items.NOT_TAKEN),
        values={
            ":undeliverable": {"S": PauseStatus.UNDELIVERABLE.value},
            ":seen_attempts": {"N": str(row.attempts)},
            ":seen_not_taken": {"N": str(row.not_taken)},
        },
    )
