"""What is announced about a pause: ids, name, scope hash and times.

Never a token, an address, an answer or a payload.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from askback.domain.pause.ledger import LedgerRow

EVENT_VERSION = 1


class PauseEventType(StrEnum):
    """What happened; the value is the event's detail type."""

    ISSUED = "PauseIssued"
    ANSWERED = "PauseAnswered"
    DELIVERED = "PauseDelivered"
    EXPIRED = "PauseExpired"
    REVOKED = "PauseRevoked"
    REMINDER = "PauseReminder"
    UNDELIVERABLE = "PauseUndeliverable"


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseEvent:
    """One announcement about the pause of a row; `at` in epoch seconds."""

    type: PauseEventType
    row: LedgerRow
    at: int

    def detail(self) -> dict[str, Any]:
        """Return the event's detail; times are epoch seconds, `answered_at` is None before there is an answer."""
        claims, answer = self.row.claims, self.row.answer
        return {
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
            "expires_at": claims.exp,
            "answered_at": answer.answered_at if answer else None,
            "by_policy": answer.by_policy if answer else False,
            "at": self.at,
        }
