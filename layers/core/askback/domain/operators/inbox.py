"""What an operator does with pauses: looks at them, withdraws one, has one delivered once more.

Whatever changes a row is one conditional write, so an operator and an answer that race settle it by whose write comes
first. Nobody is told anything here: a row that is withdrawn or redriven is due, and the sweep tells its waiter within a
minute, again and again until it has heard. So an operator needs no power over anybody's run.
"""

from collections.abc import Callable
from dataclasses import dataclass

from askback.domain.delivery.delivery import Delivery
from askback.domain.errors import AlreadyAnswered, NotRedrivable, PauseExpired, StoreUnavailable, UnknownPause
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import LedgerRow, PauseStatus, Revocation, RowChange
from askback.domain.pause.listing import ListPlace, PausePage
from askback.domain.pause.scope import Scope
from askback.domain.ports import IssuanceLedger, PauseDirectory

TRIES = 5
"""How often a withdrawal looks again when the row changed between reading and writing: a reminder, a new waiter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """A withdrawn pause; `replayed` when an earlier request had withdrawn it."""

    row: LedgerRow
    replayed: bool


class Inbox:
    """The operator's view of all pauses. `known` hears of each pause that is asked for, as soon as its row is read."""

    def __init__(
        self,
        *,
        ledger: IssuanceLedger,
        pauses: PauseDirectory,
        delivery: Delivery,
        known: Callable[[PauseClaims], None] = lambda _: None,
    ) -> None:
        self._ledger = ledger
        self._pauses = pauses
        self._delivery = delivery
        self._known = known

    async def pauses(self, scope: Scope, *, limit: int, after: ListPlace | None) -> PausePage:
        """Return a scope's pauses, open ones first.

        A pause that ends while somebody pages may come twice; none that was there at the beginning is left out.
        """
        return await self._pauses.of_scope(scope.digest(), limit=limit, after=after)

    async def pause(self, jti: str) -> LedgerRow:
        """Return one pause; raises UnknownPause. A pause of the legacy engine has no row before it is answered."""
        row = await self._ledger.find(jti)
        if row is None:
            raise UnknownPause
        self._known(row.claims)
        return row

    async def revoke(self, jti: str, *, by: str, at: int) -> Withdrawal:
        """Withdraw an open pause at `at` (epoch seconds); who withdrew it first stays on record.

        Raises:
            UnknownPause, AlreadyAnswered, PauseExpired: there is nothing to withdraw.
            StoreUnavailable: nothing was withdrawn, or it is not known; send the same request again.
        """
        for _ in range(TRIES):
            row = await self.pause(jti)
            if row.status is PauseStatus.REVOKED:
                return Withdrawal(row=row, replayed=True)
            _require_open(row, at=at)
            change = RowChange(
                status=PauseStatus.REVOKED,
                revocation=Revocation(by=by, at=at),
                due_at=None if row.waiter is None else at,
                clear_reminder=True,
            )
            if await self._ledger.advance(row, change):
                revoked = change.applied_to(row)
                await self._delivery.announce(PauseEventType.REVOKED, revoked, at=at)
                return Withdrawal(row=revoked, replayed=False)
        raise StoreUnavailable(reason="the pause kept changing while it was withdrawn")

    async def redrive(self, jti: str, *, at: int) -> LedgerRow:
        """Let the sweep deliver an undeliverable pause once more, with all its attempts; return it as it then is.

        Raises:
            UnknownPause, NotRedrivable: there is nothing to deliver.
        """
        row = await self.pause(jti)
        if row.status is not PauseStatus.UNDELIVERABLE:
            raise NotRedrivable(row.status)
        if await self._ledger.redrive(row, at=at):
            return row.redriven(at=at)
        # Another request did the same, or this one did and its first reply was lost.
        row = await self.pause(jti)
        if row.status is not PauseStatus.ANSWERED:
            raise NotRedrivable(row.status)
        return row


def _require_open(row: LedgerRow, *, at: int) -> None:
    if row.answer is not None:
        raise AlreadyAnswered(answered_at=row.answer.answered_at)
    # An open pause past its time ends at the next sweep, by its own policy.
    if row.status is not PauseStatus.ISSUED or row.claims.exp <= at:
        raise PauseExpired
