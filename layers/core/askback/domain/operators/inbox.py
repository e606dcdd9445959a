"""The operator's actions on pauses: list them, show one, revoke one or one link of it, redrive a delivery.

Every change of a row is one conditional write, so in a race between an operator and an answer the first write wins. The
inbox does not call the waiter (the callback target). It makes the row due, and the sweep delivers within a minute and
repeats failed deliveries. So an operator needs no permission on the workflow that waits.
"""

from collections.abc import Callable
from dataclasses import replace

from askback.domain.delivery.delivery import Delivery
from askback.domain.delivery.revoking import TRIES, RevokedPause, Revoking
from askback.domain.errors import NotRedrivable, StoreUnavailable
from askback.domain.pause.admitted_row import admitted_row
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ledger import LedgerRow, PauseStatus, Revocation
from askback.domain.pause.list_filter import ListFilter
from askback.domain.pause.listing import ListedPause, ListPlace, OpenPage, OpenPlace, PausePage
from askback.domain.pause.principal_scopes import Admit, AllowedScope, every_row
from askback.domain.pause.scope import Scope
from askback.domain.ports import IssuanceLedger, PauseDirectory

EVERYTHING = ListFilter()
PUT_OFF_SECONDS = 600
"""Longer than the sweep puts off a row that it cannot work on."""


class Inbox:
    """The operator's view of all pauses. `known` is called with the claims of each pause whose row was read.

    The `admit` of a request is called before anything is returned or changed.
    """

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
        self._revoking = Revoking(ledger=ledger, delivery=delivery, known=known)
        self._known = known

    async def pauses(
        self, scope: Scope, *, limit: int, after: ListPlace | None, asked: ListFilter = EVERYTHING
    ) -> PausePage:
        """Return a scope's pauses, open ones first.

        A pause that ends between two page requests may be returned twice. No pause that existed at the first request is
        left out.
        """
        wanted = None if asked == EVERYTHING else asked.fits
        return await self._pauses.of_scope(
            scope.digest(), limit=limit, after=after, wanted=wanted, open_only=asked.open_only
        )

    async def open_pauses(
        self,
        whole: AllowedScope,
        *,
        limit: int,
        after: OpenPlace | None,
        asked: ListFilter,
        at: int,
        sees: Callable[[str, str], bool],
    ) -> OpenPage:
        """Return open pauses of a scope and of every narrower scope; on each page, the next to expire comes first.

        `sees` says of the hash and the label of a scope whether the caller may see its pauses; it holds for every line.
        A pause whose row has no label is found only by its exact scope: rows of the first versions have none.
        """

        def wanted(listed: ListedPause) -> bool:
            place = (listed.scope_hash, listed.scope_label)
            return asked.fits(listed) and whole.admits_stored(*place) and sees(*place)

        # Something is due for an open pause by its expiry at the latest, or, after a sweep could not work on it, when
        # it was put off to.
        due_before = None if asked.expires_before is None else max(asked.expires_before, at + PUT_OFF_SECONDS)
        page = await self._pauses.open_pauses(
            limit=limit, after=after, wanted=wanted, expires_before=asked.expires_before, due_before=due_before
        )
        return replace(page, pauses=tuple(sorted(page.pauses, key=lambda listed: listed.expires_at or 0)))

    async def pause(self, jti: str, *, admit: Admit = every_row) -> LedgerRow:
        """Return one pause; raises UnknownPause. A pause of the legacy engine has no row before it is answered."""
        return await admitted_row(self._ledger, jti, admit=admit, known=self._known)

    async def revoke(self, jti: str, *, by: str, at: int, admit: Admit = every_row) -> RevokedPause:
        """Revoke an open pause at `at` (epoch seconds); raises as `Revoking.revoke` does."""
        return await self._revoking.revoke(jti, Revocation(by=by, at=at), admit=admit)

    async def revoke_link(self, jti: str, recipient: str, *, at: int, admit: Admit = every_row) -> RevokedPause:
        """Revoke the link of one recipient at `at` (epoch seconds); the links of all others stay good.

        Raises:
            InvalidRequest: the pause has no such recipient.
            UnknownPause, AlreadyAnswered, PauseRevoked, PauseExpired: there is no open pause.
            StoreUnavailable: the link was not revoked, or this is not known; send the same request again.
        """
        for _ in range(TRIES):
            row = await self.pause(jti, admit=admit)
            row.require_open(at=at)
            named = row.answerers.recipient_named(recipient, field="recipient")
            if named in row.revoked_links:
                return RevokedPause(row=row, replayed=True)
            revoked = replace(row, revoked_links=(*row.revoked_links, named))
            if await self._ledger.revoke_links(row, revoked.revoked_links):
                return RevokedPause(row=revoked, replayed=False)
        raise StoreUnavailable(reason="the pause changed at every try to revoke a link of it")

    async def redrive(self, jti: str, *, at: int, admit: Admit = every_row) -> LedgerRow:
        """Let the sweep deliver an undeliverable outcome again, with a full number of attempts; return the new row.

        Raises:
            UnknownPause, NotRedrivable: there is no undeliverable outcome.
        """
        row = await self.pause(jti, admit=admit)
        if not row.redrivable:
            raise NotRedrivable(row.status)
        if await self._ledger.redrive(row, at=at):
            return row.redriven(at=at)
        # Another request did the same, or an earlier attempt of this write succeeded and its reply was lost.
        row = await self.pause(jti)
        if row.status is not PauseStatus.ANSWERED and row.due_at is None:
            raise NotRedrivable(row.status)
        return row
