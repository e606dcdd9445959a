"""The conditions of the ledger's writes: each has a name and a comment that says when it is true."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from askback.adapters.dynamodb import ledger_items as items
from askback.adapters.dynamodb.keys import PK
from askback.adapters.dynamodb.roster_items import CHANGES
from askback.adapters.dynamodb.vote_items import VOTE_COUNT
from askback.domain.pause.changes import changes_text
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.waiters import Waiter

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
AS_SEEN = "#status = :seen_status AND #due_at = :seen_due_at AND #exp = :seen_exp"
"""True if no other process has worked on the row since it was read: every action moves its due time or deadline."""
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
HAS_NO_QUORUM = "attribute_not_exists(#quorum)"
"""True if the first answer counts. Without it, one vote of several would be taken for the answer."""
VOTES_AS_SEEN = "#vote_count = :seen_votes AND #terms = :seen_terms"
"""True if no vote was given since the row was read, and the same people may vote."""
SAME_VOTES = "#vote_count = :seen_votes"
"""True if no vote was given since the row was read; a change of the people must know whose votes count."""
SAME_CHANGES = "#changes = :seen_changes"
"""True if neither the people nor what they know has changed since the row was read."""
NO_CHANGES = "attribute_not_exists(#changes)"
"""True until the people, or what they know, change for the first time."""
IS_UNDELIVERABLE = "#status = :undeliverable"
"""True from when the delivery of an answer was given up until an operator has it made again."""
IS_GIVEN_UP = "#given_up = :given_up"
"""True from when the outcome of an expired or revoked pause was given up until an operator has it delivered again."""


class UpdateExpressions(TypedDict):
    """The part of an update that says what it changes, and on which condition."""

    UpdateExpression: str
    ConditionExpression: str
    ExpressionAttributeNames: dict[str, str]
    ExpressionAttributeValues: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition, the attributes in it, and the values that it compares them with."""

    text: str
    tests: tuple[str, ...]
    values: dict[str, Any] = field(default_factory=dict)

    def also(self, other: "Condition | None") -> "Condition":
        """Return the condition that both hold."""
        if other is None:
            return self
        return Condition(
            text=f"{self.text} AND {other.text}",
            tests=(*self.tests, *other.tests),
            values=self.values | other.values,
        )

    def update(self, sets: Mapping[str, Any], removes: Sequence[str]) -> UpdateExpressions:
        """Return the expressions of an update of these attributes that needs the condition."""
        clauses = []
        if sets:
            clauses.append("SET " + ", ".join(f"#{name} = :{name}" for name in sets))
        if removes:
            clauses.append("REMOVE " + ", ".join(f"#{name}" for name in removes))
        return {
            "UpdateExpression": " ".join(clauses),
            "ConditionExpression": self.text,
            "ExpressionAttributeNames": {f"#{name}": name for name in {*sets, *removes, *self.tests}},
            "ExpressionAttributeValues": self.values | {f":{name}": value for name, value in sets.items()},
        }


def still_issued() -> Condition:
    """Return the condition that the pause is open, also after its time."""
    return Condition(
        text=f"{ROW_EXISTS} AND {IS_ISSUED}",
        tests=(PK, items.STATUS),
        values={":issued": {"S": PauseStatus.ISSUED.value}},
    )


def answerable(at: int) -> Condition:
    """Return the condition that the pause can be answered at `at` (epoch seconds)."""
    return still_issued().also(Condition(text=NOT_EXPIRED, tests=(items.EXP,), values={":now": {"N": str(at)}}))


def as_seen(row: LedgerRow) -> Condition:
    """Return the condition that no other process has worked on a due row since it was read."""
    waiter = waiter_as_seen(row.waiter)
    return Condition(
        text=f"{AS_SEEN} AND {waiter.text}",
        tests=(items.STATUS, items.DUE_AT, items.EXP, *waiter.tests),
        values={
            ":seen_status": {"S": row.status.value},
            ":seen_due_at": {"N": str(row.due_at)},
            ":seen_exp": {"N": str(row.expires_at)},
            **waiter.values,
        },
    ).also(changes_as_seen(row))


def terms_as_seen(row: LedgerRow) -> Condition:
    """Return the condition that the row has the waiter and the revoked links that were seen.

    The hash of the terms covers both, so a write that changes one of them needs it.
    """
    return waiter_as_seen(row.waiter).also(links_as_seen(row)).also(changes_as_seen(row))


def links_as_seen(row: LedgerRow) -> Condition:
    """Return the condition that the same links are revoked as when the row was read."""
    if not row.revoked_links:
        return Condition(text="attribute_not_exists(#revoked_links)", tests=(items.REVOKED_LINKS,))
    values = {":seen_links": items.names(row.revoked_links)}
    return Condition(text="#revoked_links = :seen_links", tests=(items.REVOKED_LINKS,), values=values)


def changes_as_seen(row: LedgerRow) -> Condition:
    """Return the condition that the people, and what they know, are those of when the row was read."""
    if not row.changes:
        return Condition(text=NO_CHANGES, tests=(CHANGES,))
    values = {":seen_changes": {"S": changes_text(row.changes)}}
    return Condition(text=SAME_CHANGES, tests=(CHANGES,), values=values)


def may_change_people(row: LedgerRow) -> Condition:
    """Return the condition of a change of the people, besides `as_seen`: no link was revoked, and no vote came."""
    links = links_as_seen(row)
    if row.quorum is None:
        return links
    votes = {":seen_votes": {"N": str(len(row.votes))}}
    return links.also(Condition(text=SAME_VOTES, tests=(VOTE_COUNT,), values=votes))


def waiter_as_seen(waiter: Waiter | None) -> Condition:
    """Return the condition that the row has this waiter, or none."""
    if waiter is None:
        return Condition(text=HAS_NO_WAITER, tests=(items.WAITER_KIND,))
    return Condition(
        text=SAME_WAITER,
        tests=(items.WAITER_KIND, items.WAITER_ADDRESS),
        values={":seen_kind": {"S": waiter.kind.value}, ":seen_address": {"S": waiter.address}},
    )


def link_good(recipient: str) -> Condition | None:
    """Return the condition that the link of a recipient is not revoked; None for an answer without such a link."""
    if not recipient:
        return None
    return Condition(text=LINK_NOT_REVOKED, tests=(items.REVOKED_LINKS,), values={":recipient": {"S": recipient}})


def votes_as_seen(row: LedgerRow) -> Condition:
    """Return the condition that the row has the votes that were seen, and the same members and quorum."""
    return Condition(
        text=VOTES_AS_SEEN,
        tests=(VOTE_COUNT, items.TERMS),
        values={":seen_votes": {"N": str(len(row.votes))}, ":seen_terms": items.terms_attributes(row)[items.TERMS]},
    )
