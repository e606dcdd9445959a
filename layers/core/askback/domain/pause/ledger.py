"""The life of one pause: its row, the claim that consumes it, and what a refused claim means.

Status moves `issued -> answered -> delivered | undeliverable`, `issued -> expired`, `issued -> revoked`; nothing leaves
the last four by itself. The one way out is an operator's explicit act, who puts an `undeliverable` pause back to
`answered` to have it delivered once more. A pause that nobody waits for stays `answered`. The answer is part of the
claim: it is durable before anybody is told that it was accepted. `due_at` says when a row needs something next; a row
without it needs nothing more.
"""

import hmac
from dataclasses import dataclass, replace
from enum import StrEnum

from askback.domain.errors import AlreadyAnswered, PauseExpired, PauseRevoked, UnknownPause
from askback.domain.pause.answerers import ANYBODY, AnsweredVia, Answerers
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.waiters import Waiter


class PauseStatus(StrEnum):
    """Where a pause stands."""

    ISSUED = "issued"
    ANSWERED = "answered"
    DELIVERED = "delivered"
    UNDELIVERABLE = "undeliverable"
    EXPIRED = "expired"
    REVOKED = "revoked"


POLICY = "policy"
"""Who answered, when a pause's expiry policy did."""


FIRST_REDELIVERY_SECONDS = 60
"""When a claimed row is due again: later than the function that claimed it can still be at work on the delivery."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedAnswer:
    """What the claim wrote.

    The answer as JSON text with its hash, who gave it, when (epoch seconds), and by which attempt. `response_text` is
    None when a row read back keeps a large answer by pointer. `redeemed_scope_hash` is the scope it was answered from;
    it differs from the pause's own only when cross-scope redemption is permitted.
    """

    response_text: str | None
    response_hash: str
    answered_by: str
    answered_at: int
    attempt_id: str
    redeemed_scope_hash: str
    by_policy: bool = False
    """Whether nobody answered and the pause's default stands in."""
    answered_via: AnsweredVia | None = None
    """How it is known who answered; None when nobody did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revocation:
    """Who revoked a pause, and when (epoch seconds)."""

    by: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """One pause as the ledger knows it.

    `key_id` names the key that signs the pause's tokens, empty for a legacy pause and its like.
    `default_response_text` is the answer that stands in at expiry, as JSON text, or None when the pause then fails.
    `remind_at` is the next reminder. `attempts` counts deliveries that were begun, from
    the answer or from the last redrive. All times are epoch seconds.
    """

    claims: PauseClaims
    status: PauseStatus
    key_id: str = ""
    pin: str = ""
    turn_recorded: bool = False
    scope_label: str = ""
    """The scope for people to read; what binds is its hash in the claims."""
    answerers: Answerers = ANYBODY
    answer: AcceptedAnswer | None = None
    waiter: Waiter | None = None
    default_response_text: str | None = None
    remind_at: int | None = None
    attempts: int = 0
    may_have_landed: bool = False
    """Whether an attempt that was begun may have reached the waiter: its reply was lost, or is still to come.

    True from the write that begins an attempt, and False again once that attempt is known to have done nothing. Once
    two attempts are in doubt it stays True: a waiter that is then found closed took one of them.
    """
    due_at: int | None = None
    revocation: Revocation | None = None

    @property
    def ended_at(self) -> int:
        """When an ended pause ended: by an answer, by a revocation, or else by its expiry."""
        if self.answer is not None:
            return self.answer.answered_at
        return self.claims.exp if self.revocation is None else self.revocation.at

    def redriven(self, *, at: int) -> "LedgerRow":
        """Return an undeliverable row as it is once an operator has it delivered again: due now, with new attempts.

        That an attempt may have landed before is not forgotten.
        """
        return replace(self, status=PauseStatus.ANSWERED, due_at=at, attempts=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChange:
    """What one conditional write changes; `due_at` of None means that nothing is due any more."""

    due_at: int | None
    status: PauseStatus | None = None
    attempts: int | None = None
    may_have_landed: bool | None = None
    answer: AcceptedAnswer | None = None
    revocation: Revocation | None = None
    clear_reminder: bool = False

    def applied_to(self, row: LedgerRow) -> LedgerRow:
        """Return the row as it is once the write has landed."""
        return replace(
            row,
            due_at=self.due_at,
            status=self.status or row.status,
            attempts=row.attempts if self.attempts is None else self.attempts,
            may_have_landed=row.may_have_landed if self.may_have_landed is None else self.may_have_landed,
            answer=self.answer or row.answer,
            revocation=self.revocation or row.revocation,
            remind_at=None if self.clear_reminder else row.remind_at,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Proof of the accepted answer; `replayed` when it was accepted by an earlier request.

    `row` is the pause as the claim left it, or found it.
    """

    answer: AcceptedAnswer
    replayed: bool
    row: LedgerRow


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
        original = existing.answer
        same_answer = not original.by_policy and hmac.compare_digest(original.response_hash, attempt.response_hash)
        if original.response_text is None and same_answer:
            # Kept by pointer; equal hashes are equal texts.
            original = replace(original, response_text=attempt.response_text)
        if original.attempt_id == attempt.attempt_id:
            return Receipt(answer=original, replayed=False, row=existing)
        if same_answer and original.answered_by == attempt.answered_by:
            return Receipt(answer=original, replayed=True, row=existing)
        raise AlreadyAnswered(answered_at=existing.answer.answered_at)
    if existing.status is PauseStatus.REVOKED:
        raise PauseRevoked
    # A row that is still `issued` refuses only because its own expiry has passed, whatever the token says.
    raise PauseExpired
