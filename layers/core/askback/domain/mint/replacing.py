"""A mint that replaces an open pause of the same program: the old question ends in the write that asks the new one.

So people never have two questions to answer, and an answer to the old one is never lost: if it comes first, nothing is
minted.
"""

from askback.domain.delivery.delivery import Delivery
from askback.domain.errors import InvalidRequest, StoreUnavailable, UnknownPause
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import LedgerRow, PauseStatus, RowChange, Supersession
from askback.domain.pause.minter import require_minter
from askback.domain.pause.waiters import Waiter
from askback.domain.ports import IssuanceLedger

TRIES = 5
"""How often the old row is read again when it changed between read and write (a reminder, a new waiter)."""


class Replacing:
    """Finds the pause that a mint replaces, and writes the two rows."""

    def __init__(self, *, ledger: IssuanceLedger, delivery: Delivery) -> None:
        self._ledger = ledger
        self._delivery = delivery

    async def replaced(self, jti: str, claims: PauseClaims, *, principal: str, at: int) -> LedgerRow:
        """Return the pause `jti` that the new pause of these claims may replace, or has already replaced.

        Raises:
            InvalidRequest: the two are one pause.
            UnknownPause: there is no such pause, or it is of another program or another scope.
            AlreadyAnswered, PauseRevoked, PauseSuperseded, PauseExpired: it has ended otherwise.
        """
        if jti == claims.jti:
            raise InvalidRequest.of_field("supersedes", "must name another pause than the one of this question")
        row = await self._ledger.find(jti)
        if row is None or row.claims.scope_hash != claims.scope_hash:
            raise UnknownPause
        require_minter(principal, row.minter)
        if not _replaced_by(row, claims):
            row.require_open(at=at)
        return row

    async def issue(self, minted: LedgerRow, seen: LedgerRow, *, principal: str, at: int) -> LedgerRow:
        """Write the new row and end the one that was seen; return the stored new row, which may be an earlier one.

        An earlier row that names another pause as replaced, or none, has changed nothing: the caller must refuse it.

        Raises:
            As `replaced`: the old pause has ended since, and nothing was written.
            StoreUnavailable: it is not known whether both were written; the same mint again finds out.
        """
        for _ in range(TRIES):
            if _replaced_by(seen, minted.claims):
                return await self._ledger.issue(minted)
            change = _change(seen, minted.claims, minted.waiter, at=at)
            row = await self._ledger.supersede(minted, seen, change)
            if row is not None:
                if row.supersedes == seen.claims.jti:
                    await self._announce(change.applied_to(seen), at=at)
                return row
            seen = await self.replaced(seen.claims.jti, minted.claims, principal=principal, at=at)
        raise StoreUnavailable(reason="the pause changed at every try to replace it")

    async def _announce(self, ended: LedgerRow, *, at: int) -> None:
        await self._delivery.announce(PauseEventType.SUPERSEDED, ended, at=at)


def _replaced_by(row: LedgerRow, claims: PauseClaims) -> bool:
    return row.superseded is not None and row.superseded.by == claims.jti


def _change(seen: LedgerRow, claims: PauseClaims, waiter: Waiter | None, *, at: int) -> RowChange:
    """Return the change that ends the old pause.

    A task or a callback that waits for the new pause too must not get the failure of the old one: it would end before
    the answer. Every other waiter gets it, because nothing else will ever end its wait.
    """
    moved = seen.waiter is not None and seen.waiter == waiter and seen.waiter.kind.tells_whether_it_waits
    return RowChange(
        status=PauseStatus.SUPERSEDED,
        superseded=Supersession(by=claims.jti, at=at, waiter_moved=moved),
        due_at=None if seen.waiter is None or moved else at,
        clear_reminder=True,
    )
