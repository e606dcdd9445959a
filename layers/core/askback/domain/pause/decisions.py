"""The decisions about a pause, seen in the writes of its ledger row, and the audit line of each.

A decision is found by what a write changed, not by which program wrote. So a decision cannot exist without its line,
and a change that askback never makes has a line too. A line has names, times and hashes; it never has a question, an
answer, a turn, a token or the address of a waiter.
"""

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from askback.domain.pause.changes import PauseChange, without_texts
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.vote_decisions import facts_of_vote, votes_stay
from askback.domain.timestamps import rfc3339

TEXT_MAX_CHARACTERS = 1024
"""A longer text of a row is cut in its line; askback writes none, but another writer of the table can."""

COLUMNS = (
    "id",
    "decision",
    "at",
    "written_at",
    "jti",
    "interaction",
    "scope_hash",
    "scope_label",
    "status_before",
    "status",
    "minted_by",
    "answered_by",
    "revoked_by",
    "superseded_by",
    "erased_by",
    "assurance",
    "answered_via",
    "by_policy",
    "cross_scope",
    "redeemed_scope_hash",
    "least_assurance",
    "request_hash",
    "answer_hash",
    "turn_hash",
    "key_id",
    "voted_by",
    "vote",
    "round",
    "for",
    "deadline_before",
    "deadline",
    "changed_by",
    "text_hash",
    "known_hash",
)
"""The members of every line, in order; one that a line has no value for is null."""


class Decision(StrEnum):
    """What was decided, or done, about a pause."""

    ISSUED = "issued"
    """The question was asked."""
    VOTED = "voted"
    """One of several people said yes or no; the write of the last vote is also `answered`."""
    ANSWERED = "answered"
    EXPIRED = "expired"
    REVOKED = "revoked"
    SUPERSEDED = "superseded"
    """The program that asked has replaced the question by a newer one."""
    LINK_REVOKED = "link_revoked"
    """An operator revoked the link of one recipient; the pause stays open for other people."""
    ESCALATED = "escalated"
    """A step of the escalation changed who is asked."""
    REASSIGNED = "reassigned"
    """An operator passed the pause from one person to another."""
    QUESTIONED = "questioned"
    """A person has asked back."""
    CLARIFIED = "clarified"
    """The asker has replied to a question back; people now answer the question with this reply."""
    DELEGATED = "delegated"
    """A member passed the pause on to another person."""
    EXTENDED = "extended"
    """An operator moved the deadline; the pause stays open."""
    DELIVERED = "delivered"
    UNDELIVERABLE = "undeliverable"
    """The outcome of the pause was given up."""
    REDRIVEN = "redriven"
    ERASED = "erased"
    """The content of the pause was erased; its hashes stay."""
    RENAMED = "renamed"
    """The name of a person was replaced by a pseudonym."""
    CHANGED = "changed"
    """The row was changed in a way that askback never changes it."""
    REMOVED = "removed"
    """The row was deleted, and not because its time to be kept was over."""
    UNREADABLE = "unreadable"
    """The row was written and cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """The image of a row that cannot be read; `content` is its image without what the sweep moves."""

    content: Any


RowImage = LedgerRow | Unreadable | None
"""A row before or after a write; None if there was none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowWrite:
    """One committed write of a ledger row.

    `id` is that of the write: a reader drops a second line with the same id. `place` is its place in the order of the
    table's writes. `written_at` is in epoch seconds. `by_expiry` is set when the table itself deleted the row, because
    its time to be kept was over.
    """

    id: str
    place: str
    written_at: int
    jti: str
    before: RowImage
    after: RowImage
    by_expiry: bool = False

    @property
    def decision(self) -> Decision | None:
        """What was decided with this write; None if nothing was."""
        if self.after is None:
            return None if self.by_expiry else Decision.REMOVED
        if isinstance(self.after, Unreadable):
            return Decision.UNREADABLE if self.before != self.after else None
        if isinstance(self.before, Unreadable):
            return Decision.CHANGED
        return _first(self.after) if self.before is None else _next(self.before, self.after)

    def lines(self) -> "list[AuditLine]":
        """Return the audit lines of the write: that of its decision, if there was one, after that of its vote."""
        decision = self.decision
        if decision is None:
            return []
        row = next((each for each in (self.after, self.before) if isinstance(each, LedgerRow)), None)
        if decision is Decision.VOTED and isinstance(self.after, LedgerRow):
            return [self._line_of_vote(self.after)]
        at = self.written_at if row is None else _time_of(decision, row) or self.written_at
        line = self._line(decision, row, at=at)
        answer = row.answer if row is not None and decision is Decision.ANSWERED else None
        if row is not None and answer is not None and row.votes and row.votes[-1].attempt_id == answer.attempt_id:
            return [self._line_of_vote(row), line]
        return [line]

    def _line_of_vote(self, row: LedgerRow) -> "AuditLine":
        """Return the line of the last vote; without the answer that the same write may have recorded."""
        vote = row.votes[-1]
        line = self._line(Decision.VOTED, replace(row, answer=None), at=vote.at)
        # One write can have two lines, and a reader drops a second line with the same id.
        least = row.answerers.least_of(vote.by).value
        said = {"id": f"{self.id}-vote", "least_assurance": least, **facts_of_vote(vote)}
        return replace(line, id=said["id"], fields=line.fields | said)

    def _line(self, decision: Decision, row: LedgerRow | None, *, at: int) -> "AuditLine":
        fields = dict.fromkeys(COLUMNS) | {
            "id": self.id,
            "decision": decision.value,
            "at": _time(at, otherwise=self.written_at),
            "written_at": rfc3339(self.written_at),
            "jti": self.jti,
            **({} if row is None else _facts(row)),
            **_facts_of_change(decision, row),
            "deadline_before": _deadline(self.before),
            "deadline": _deadline(self.after),
            "status_before": self.before.status.value if isinstance(self.before, LedgerRow) else None,
        }
        if self.after is None:
            fields["status"] = None
        return AuditLine(id=self.id, place=self.place, at=at, written_at=self.written_at, fields=fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """The line of one decision; `at` is its time and `written_at` that of the write, in epoch seconds."""

    id: str
    place: str
    at: int
    written_at: int
    fields: dict[str, Any]

    def text(self) -> str:
        """Return the line as one line of JSON."""
        fields = self.fields.items()
        shown = {name: value[:TEXT_MAX_CHARACTERS] if isinstance(value, str) else value for name, value in fields}
        return json.dumps(shown, separators=(",", ":"))


_MOVES = {
    (PauseStatus.ISSUED, PauseStatus.ANSWERED): Decision.ANSWERED,
    (PauseStatus.ISSUED, PauseStatus.EXPIRED): Decision.EXPIRED,
    (PauseStatus.ISSUED, PauseStatus.REVOKED): Decision.REVOKED,
    (PauseStatus.ISSUED, PauseStatus.SUPERSEDED): Decision.SUPERSEDED,
    (PauseStatus.ANSWERED, PauseStatus.DELIVERED): Decision.DELIVERED,
    (PauseStatus.ANSWERED, PauseStatus.UNDELIVERABLE): Decision.UNDELIVERABLE,
    (PauseStatus.UNDELIVERABLE, PauseStatus.ANSWERED): Decision.REDRIVEN,
}


_OTHER_PEOPLE = {Decision.ESCALATED, Decision.REASSIGNED, Decision.DELEGATED}
_SAID = {Decision.QUESTIONED, Decision.CLARIFIED}
"""The decisions after which the people are those of before."""


def _first(row: LedgerRow) -> Decision:
    """Return the decision of a row's first write: a question, or an answer to one of the legacy engine."""
    if row.status is PauseStatus.ISSUED:
        return Decision.ISSUED
    return Decision.ANSWERED if row.status is PauseStatus.ANSWERED else Decision.CHANGED


def _next(before: LedgerRow, after: LedgerRow) -> Decision | None:
    if after.erased != before.erased:
        return Decision.ERASED
    if after.renamed != before.renamed:
        return Decision.RENAMED
    decision = None
    if after.status is not before.status:
        decision = _MOVES.get((before.status, after.status), Decision.CHANGED)
    elif after.given_up is not before.given_up:
        decision = Decision.UNDELIVERABLE if after.given_up else Decision.REDRIVEN
    elif after.changes[:-1] == before.changes != after.changes:
        decision = Decision(after.changes[-1].kind.value)
    elif after.revoked_links[: len(before.revoked_links)] == before.revoked_links != after.revoked_links:
        decision = Decision.LINK_REVOKED
    elif len(after.votes) > len(before.votes):
        decision = Decision.VOTED
    elif (before.deadline or 0) < (after.deadline or 0) <= after.claims.exp:
        decision = Decision.EXTENDED
    return decision if _stays(before, after, decision) else Decision.CHANGED


def _stays(before: LedgerRow, after: LedgerRow, decision: Decision | None) -> bool:
    """Return whether the write left alone what no write of askback changes: an answer is added once, and then stays."""
    return (
        after.claims == before.claims
        and after.minter == before.minter
        and after.quorum == before.quorum
        and votes_stay(before, after)
        and after.escalation == before.escalation
        and after.delegates == before.delegates
        and (decision in _OTHER_PEOPLE or after.answerers == before.answerers)
        and (decision in _OTHER_PEOPLE | _SAID or after.changes == _changes_left(before, decision))
        and after.default_response_text == before.default_response_text
        and (decision is Decision.EXTENDED or after.deadline == before.deadline)
        and (decision in {*_OTHER_PEOPLE, Decision.LINK_REVOKED} or after.revoked_links == before.revoked_links)
        and before.turn_hash in ("", after.turn_hash)
        and (decision is Decision.ANSWERED or after.answer == before.answer)
        and (decision is Decision.REVOKED or after.revocation == before.revocation)
        and after.supersedes == before.supersedes
        and (decision is Decision.SUPERSEDED or after.superseded == before.superseded)
    )


def _changes_left(before: LedgerRow, decision: Decision | None) -> tuple[PauseChange, ...]:
    return without_texts(before.changes) if decision is Decision.ERASED else before.changes


def _time_of(decision: Decision, row: LedgerRow) -> int | None:
    """Return the time that the row has for a decision; None if only the time of the write is known."""
    match decision:
        case Decision.ISSUED:
            return row.claims.issued_at
        case Decision.ANSWERED:
            return row.answer.answered_at if row.answer else None
        case Decision.EXPIRED:
            return row.expires_at
        case Decision.REVOKED:
            return row.revocation.at if row.revocation else None
        case Decision.SUPERSEDED:
            return row.superseded.at if row.superseded else None
        case Decision.ESCALATED | Decision.REASSIGNED | Decision.DELEGATED | Decision.QUESTIONED | Decision.CLARIFIED:
            return row.changes[-1].at
        case Decision.ERASED:
            return row.erased.at if row.erased else None
        case Decision.RENAMED:
            return row.renamed.at if row.renamed else None
    return None


def _facts(row: LedgerRow) -> dict[str, Any]:
    claims, answer, erasure = row.claims, row.answer, row.erased or row.renamed
    facts: dict[str, Any] = {
        "known_hash": row.known_hash if row.known_hash != claims.request_hash else None,
        "interaction": claims.name,
        "scope_hash": claims.scope_hash,
        "scope_label": row.scope_label or None,
        "status": row.status.value,
        "minted_by": row.minter or None,
        "least_assurance": row.answerers.least_of(answer.answered_by if answer else "").value,
        "request_hash": claims.request_hash,
        "turn_hash": row.turn_hash or None,
        "key_id": row.key_id or None,
        "revoked_by": row.revocation.by if row.revocation else None,
        "superseded_by": row.superseded.by if row.superseded else None,
        "erased_by": erasure.by if erasure else None,
    }
    if answer is None:
        return facts
    # The hash of a legacy pause's scope is the beginning of the hash of the same scope today.
    own = answer.redeemed_scope_hash[: len(claims.scope_hash)] == claims.scope_hash
    return facts | {
        "answered_by": answer.answered_by,
        "for": row.delegated_for(answer.answered_by) or None,
        "assurance": answer.known_as,
        "answered_via": answer.answered_via.value if answer.answered_via else None,
        "by_policy": answer.by_policy,
        "cross_scope": not own,
        "redeemed_scope_hash": answer.redeemed_scope_hash,
        "answer_hash": answer.response_hash,
    }


def _facts_of_change(decision: Decision, row: LedgerRow | None) -> dict[str, Any]:
    """Return who made a change of an open pause, and the hash of what was said with it."""
    if row is None or not row.changes or row.changes[-1].kind.value != decision.value:
        return {}
    return {"changed_by": row.changes[-1].by or None, "text_hash": row.changes[-1].text_hash or None}


def _deadline(image: RowImage) -> str | None:
    """Return the deadline of a row; None if there is none, or a number that is no time."""
    if not isinstance(image, LedgerRow):
        return None
    try:
        return rfc3339(image.expires_at)
    except (OverflowError, ValueError, OSError):
        return None


def _time(at: int, *, otherwise: int) -> str:
    """Return a time as text; a row can have a number that is no time, and its line must still be written."""
    try:
        return rfc3339(at)
    except (OverflowError, ValueError, OSError):
        return rfc3339(otherwise)
