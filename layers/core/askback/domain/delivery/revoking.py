"""The revocation of an open pause: by an operator, by the program that asked, or because its run has ended.

It is one conditional write, so in a race with an answer the first write wins. It does not call the waiter (the callback
target). It makes the row due, and the sweep delivers within a minute and repeats failed deliveries.
"""

from collections.abc import Callable
from dataclasses import dataclass

from askback.domain.delivery.delivery import Delivery
from askback.domain.errors import InvalidRequest, StoreUnavailable
from askback.domain.pause.admitted_row import admitted_row
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import LedgerRow, PauseStatus, Revocation, RowChange
from askback.domain.pause.principal_scopes import Admit
from askback.domain.ports import IssuanceLedger
from askback.domain.visible_text import text_fault

TRIES = 5
"""How often a revocation reads the row again when it changed between read and write (a reminder, a new waiter)."""
REASON_MAX_CHARACTERS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokedPause:
    """A pause that was revoked, or a link of it; `replayed` when an earlier request had already done this."""

    row: LedgerRow
    replayed: bool


class Revoking:
    """Revokes open pauses. `known` is called with the claims of each pause whose row was read."""

    def __init__(
        self,
        *,
        ledger: IssuanceLedger,
        delivery: Delivery,
        known: Callable[[PauseClaims], None] = lambda _: None,
    ) -> None:
        self._ledger = ledger
        self._delivery = delivery
        self._known = known

    async def revoke(self, jti: str, revocation: Revocation, *, admit: Admit) -> RevokedPause:
        """Revoke an open pause; the revocation of the first request stays recorded.

        `admit` is called before anything is returned or changed.

        Raises:
            UnknownPause, AlreadyAnswered, PauseSuperseded, PauseExpired: there is no open pause to revoke.
            StoreUnavailable: the pause was not revoked, or this is not known; send the same request again.
        """
        for _ in range(TRIES):
            row = await admitted_row(self._ledger, jti, admit=admit, known=self._known)
            if row.status is PauseStatus.REVOKED:
                return RevokedPause(row=row, replayed=True)
            row.require_open(at=revocation.at)
            if (revoked := await self.revoke_seen(row, revocation)) is not None:
                return RevokedPause(row=revoked, replayed=False)
        raise StoreUnavailable(reason="the pause changed at every try to revoke it")

    async def revoke_seen(self, row: LedgerRow, revocation: Revocation) -> LedgerRow | None:
        """Revoke an open pause whose row was read; return the row after it, or None if it has changed since.

        A check of the row that needs a call holds for this write: with another waiter, the row has changed.
        """
        change = RowChange(
            status=PauseStatus.REVOKED,
            revocation=revocation,
            due_at=None if row.waiter is None else revocation.at,
            clear_reminder=True,
        )
        if not await self._ledger.advance(row, change):
            return None
        revoked = change.applied_to(row)
        await self._delivery.announce(PauseEventType.REVOKED, revoked, at=revocation.at)
        return revoked


def require_reason(text: str) -> str:
    """Return a reason that people can read; raises InvalidRequest."""
    blank = "must not be blank; leave it out if there is none"
    if wrong := text_fault(text, longest=REASON_MAX_CHARACTERS, blank=blank):
        raise InvalidRequest.of_field("reason", wrong)
    return text
