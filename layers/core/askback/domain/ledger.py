"""The life of one pause: its row, the claim that consumes it, and what a refused claim means.

Status moves `issued -> answered`, `issued -> expired`, `issued -> revoked`; nothing leaves the other three. The answer
is part of the claim: it is durable before anybody is told that it was accepted.
"""

import hmac
from dataclasses import dataclass
from enum import StrEnum

from askback.domain.claims import PauseClaims
from askback.domain.errors import AlreadyAnswered, PauseExpired, PauseRevoked, UnknownPause


class PauseStatus(StrEnum):
    """Where a pause stands."""

    ISSUED = "issued"
    ANSWERED = "answered"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedAnswer:
    """What the claim wrote.

    The answer as JSON text with its hash, who gave it, when (epoch seconds), and by which attempt.
    """

    response: str
    response_hash: str
    answered_by: str
    answered_at: int
    attempt_id: str
    redeemed_scope_hash: str
    """The scope it was answered from; differs from the pause's own only when cross-scope redemption is permitted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """One pause as the ledger knows it."""

    claims: PauseClaims
    status: PauseStatus
    pin: str = ""
    turn_recorded: bool = False
    answer: AcceptedAnswer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Proof of the accepted answer; `replayed` when it was accepted by an earlier request."""

    answer: AcceptedAnswer
    replayed: bool


def settle_refused_claim(existing: LedgerRow | None, attempt: AcceptedAnswer) -> Receipt:
    """Say what it means that the store refused a claim, from the row that was in its way.

    Our own attempt id: an earlier try of this very request landed and only its reply was lost, so it won. The same
    answer by the same answerer: the original receipt again. Otherwise the row says by name why it takes no answer.

    Raises:
        UnknownPause, AlreadyAnswered, PauseRevoked, PauseExpired: the final state of the pause.
    """
    if existing is None:
        raise UnknownPause
    if existing.answer is not None:
        if existing.answer.attempt_id == attempt.attempt_id:
            return Receipt(answer=existing.answer, replayed=False)
        same_answer = hmac.compare_digest(existing.answer.response_hash, attempt.response_hash)
        if same_answer and existing.answer.answered_by == attempt.answered_by:
            return Receipt(answer=existing.answer, replayed=True)
        raise AlreadyAnswered(answered_at=existing.answer.answered_at)
    if existing.status is PauseStatus.REVOKED:
        raise PauseRevoked
    # A row that is still `issued` refuses only because its own expiry has passed, whatever the token says.
    raise PauseExpired
