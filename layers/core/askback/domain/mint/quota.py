"""The limits on open pauses: how many a scope may have, and how many of them may go to one person.

An agent that asks in a loop would flood people, so the mint refuses before it writes any record. A limit counts the
pauses of every interaction, also where the floor of one interaction sets it. A pause that was minted before is never
refused, so a retry is safe at the limit too.
"""

from collections.abc import Iterable, Mapping, Sequence

from askback.domain.errors import StoreUnavailable, TooManyOpen
from askback.domain.interactions.floor import Floor
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ids import digest
from askback.domain.pause.ledger import LedgerRow
from askback.domain.pause.person_names import is_among, person_key
from askback.domain.ports import IssuanceLedger, OpenPauses, Place


class Quota:
    """The limits of a deployment; a mint without recipients and without a limit of its scope asks no store."""

    def __init__(self, *, pauses: OpenPauses, ledger: IssuanceLedger) -> None:
        self._pauses = pauses
        self._ledger = ledger

    async def require_room(
        self,
        claims: PauseClaims,
        *,
        people: Mapping[str, str],
        floors: Sequence[Floor],
        at: int,
        replaced: LedgerRow | None = None,
    ) -> None:
        """Count a new pause for each person whom it may ask, by the field of the mint that names this person.

        The pause that it replaces ends in the same write, so it does not count: neither in the scope nor for a
        person whom it was counted for.

        Raises:
            TooManyOpen: a limit is reached; then it is counted for no person.
            StoreUnavailable: it may be counted; the same mint again counts it once.
        """
        most = _least(floor.open_pauses_max for floor in floors)
        if most is not None:
            await self._require_room_in_scope(claims, most=most, besides=int(replaced is not None), at=at)
        most = _least(floor.open_pauses_per_recipient_max for floor in floors)
        if most is not None:
            asked = () if replaced is None else _counted_of(replaced)
            await self._enter(claims, people, most=most, asked=asked, at=at)

    async def _require_room_in_scope(self, claims: PauseClaims, *, most: int, besides: int, at: int) -> None:
        if await self._pauses.count(claims.scope_hash, at=at, most=most + besides) < most + besides:
            return
        if await self._ledger.find(claims.jti) is None:
            raise TooManyOpen(f"this scope has {most} open pauses, and open_pauses_max of this deployment is {most}")

    async def _enter(
        self, claims: PauseClaims, people: Mapping[str, str], *, most: int, asked: Sequence[str], at: int
    ) -> None:
        entered: list[str] = []
        for field, name in people.items():
            # The same person in another scope is counted apart: one tenant must not use up the limit of another.
            person = digest("open pauses", claims.scope_hash, person_key(name))
            room = most + is_among(name, asked)
            place = await self._pauses.enter(claims.jti, person=person, at=at, most=room)
            if place is Place.FULL:
                await self._leave(claims.jti, entered)
                raise TooManyOpen(
                    f"{field} has {most} open pauses in this scope, "
                    f"and open_pauses_per_recipient_max of this deployment is {most}"
                )
            if place is Place.ENTERED:
                entered.append(person)

    async def _leave(self, jti: str, people: Sequence[str]) -> None:
        for person in people:
            try:
                await self._pauses.leave(jti, person=person)
            except StoreUnavailable:
                # The refusal is the better reply. The entry has no row, so it does not count for long.
                return


def _counted_of(row: LedgerRow) -> tuple[str, ...]:
    """Return the people whom a pause was counted for at its mint; a person named by an operator was not."""
    return (*row.asked_at_mint.recipients, *(person for step in row.escalation for person in step.to))


def _least(limits: Iterable[int | None]) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)
