"""The events about a pause. They contain ids, the name, the scope hash and times.

They never contain a token, an address, an answer or a payload.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from askback.domain.pause.ledger import LedgerRow, quorum_said

EVENT_VERSION = 1


class PauseEventType(StrEnum):
    """The type of an event; the value is the detail type on EventBridge."""

    ISSUED = "PauseIssued"
    VOTED = "PauseVoted"
    """A vote was recorded, and the pause is still open."""
    EXTENDED = "PauseExtended"
    """The deadline moved; `expires_at` has the new one."""
    ESCALATED = "PauseEscalated"
    """A step of the escalation was done; `change` is its number among the changes of the pause."""
    REASSIGNED = "PauseReassigned"
    """An operator passed the pause from one person to another; `change` is as in `PauseEscalated`."""
    QUESTIONED = "PauseQuestioned"
    """A person has asked back; the asker reads the question with its id. `change` is as in `PauseEscalated`."""
    CLARIFIED = "PauseClarified"
    """The asker has replied to a question back; `change` is as in `PauseEscalated`."""
    DELEGATED = "PauseDelegated"
    """A member passed the pause on to another person; `change` is as in `PauseEscalated`."""
    ANSWERED = "PauseAnswered"
    DELIVERED = "PauseDelivered"
    EXPIRED = "PauseExpired"
    REVOKED = "PauseRevoked"
    SUPERSEDED = "PauseSuperseded"
    """A newer question has replaced the pause."""
    REMINDER = "PauseReminder"
    UNDELIVERABLE = "PauseUndeliverable"


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseEvent:
    """One event about the pause of a row; `at` is in epoch seconds.

    `change` is the number of the change of the people that it announces, from 1; other events have none.
    """

    type: PauseEventType
    row: LedgerRow
    at: int
    change: int = 0

    def detail(self) -> dict[str, Any]:
        """Return the event's detail; times are epoch seconds, `answered_at` is None without an answer."""
        claims, answer = self.row.claims, self.row.answer
        # Only an event of a pause with a quorum has them; names of people are in no event.
        quorum = {"quorum": quorum_said(self.row)} if self.row.quorum else {}
        change = {"change": self.change} if self.change else {}
        return {
            **quorum,
            **change,
            **_replacement(self.row),
            "version": EVENT_VERSION,
            "jti": claims.jti,
            "name": claims.name,
            "scope_hash": claims.scope_hash,
            "run_id": claims.run_id,
            "session_id": claims.session_id,
            "tool_call_id": claims.tool_call_id,
            "interrupt_id": claims.interrupt_id,
            "status": self.row.status.value,
            "issued_at": claims.issued_at,
            "expires_at": self.row.expires_at,
            "answered_at": answer.answered_at if answer else None,
            "by_policy": answer.by_policy if answer else False,
            "assurance": answer.known_as if answer else None,
            "at": self.at,
        }


def _replacement(row: LedgerRow) -> dict[str, Any]:
    """Return which pause the row has replaced, and which has replaced it, each only if there is one."""
    replaced = {"supersedes": row.supersedes} if row.supersedes else {}
    return replaced if row.superseded is None else {**replaced, "superseded_by": row.superseded.by}
