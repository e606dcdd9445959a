"""What an operator changes about an open pause that goes on: its deadline, and who is asked.

Every change is one conditional write, so in a race with an answer, the expiry or another operator the first write wins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from askback.domain.delivery.delivery import Delivery
from askback.domain.delivery.open_changes import OpenChanges
from askback.domain.delivery.revoking import TRIES
from askback.domain.errors import InvalidRequest, StoreUnavailable
from askback.domain.interactions.floor import DEFAULT_FLOORS, NO_FLOOR, Floor, floors_of
from askback.domain.operators.inbox import Inbox
from askback.domain.pause.changes import REASSIGNMENTS_MAX, ChangeKind
from askback.domain.pause.delegation import why_not_new
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import LedgerRow, RowChange
from askback.domain.pause.person_names import is_among, require_person
from askback.domain.pause.principal_scopes import Admit, every_row
from askback.domain.pause.roster import People
from askback.domain.ports import IssuanceLedger
from askback.domain.timestamps import rfc3339


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendedPause:
    """A pause after its change; `replayed` when an earlier request had already done this."""

    row: LedgerRow
    replayed: bool


class Amendments:
    """Changes open pauses; the inbox finds them. `open_alarm_seconds` is that of the sweep."""

    def __init__(
        self,
        *,
        inbox: Inbox,
        ledger: IssuanceLedger,
        delivery: Delivery,
        open_alarm_seconds: int = 0,
        floors: Mapping[str, Floor] = DEFAULT_FLOORS,
    ) -> None:
        """`floors` are those of the deployment; the floor of a registration holds for the mint alone."""
        self._inbox = inbox
        self._ledger = ledger
        self._delivery = delivery
        self._open_alarm_seconds = open_alarm_seconds
        self._changes = OpenChanges(ledger=ledger, delivery=delivery, open_alarm_seconds=open_alarm_seconds)
        self._floors = floors

    async def extend(
        self, jti: str, *, at: int, until: int, field: str = "expires_at", admit: Admit = every_row
    ) -> AmendedPause:
        """Move the deadline of an open pause from its present one to `until` (both in epoch seconds).

        The end of the tokens is the latest deadline. The mint has chosen it with `max_ttl_seconds`, within the floors
        of the deployment. `field` is the field of the request that says the time.

        Raises:
            InvalidRequest: the time is not later than the deadline, or later than the tokens are good.
            UnknownPause, AlreadyAnswered, PauseRevoked, PauseExpired: there is no open pause.
            StoreUnavailable: the deadline was not moved, or this is not known; send the same request again.
        """
        for _ in range(TRIES):
            row = await self._inbox.pause(jti, admit=admit)
            row.require_open(at=at)
            if row.expires_at == until:
                return AmendedPause(row=row, replayed=True)
            _require_later(row, until, field)
            change = RowChange(deadline=until, due_at=None)
            change = RowChange(deadline=until, due_at=change.applied_to(row).next_due(self._open_alarm_seconds))
            if await self._ledger.advance(row, change):
                extended = change.applied_to(row)
                await self._delivery.announce(PauseEventType.EXTENDED, extended, at=at)
                return AmendedPause(row=extended, replayed=False)
        raise StoreUnavailable(reason="the pause changed at every try to move its deadline")

    async def reassign(
        self, jti: str, *, leaving: str, to: str, by: str, at: int, admit: Admit = every_row
    ) -> AmendedPause:
        """Ask the person `to` instead of the person `leaving`, at `at` (epoch seconds); `by` is the operator.

        The link of the person who leaves is void, and a vote of this person counts no more. The change is announced
        after the write; if that fails, the sweep does it.

        Raises:
            InvalidRequest: the one is not asked, the other cannot be, or the pause was changed too often.
            UnknownPause, AlreadyAnswered, PauseRevoked, PauseExpired: there is no open pause.
            StoreUnavailable: nobody was replaced, or this is not known; send the same request again.
        """
        require_person(to, field="to")
        for _ in range(TRIES):
            row = await self._inbox.pause(jti, admit=admit)
            row.require_open(at=at)
            if _was_done(row, leaving, to):
                return AmendedPause(row=row, replayed=True)
            for floor in floors_of(self._floors, row.claims.name, NO_FLOOR):
                floor.require_person(to, field="to")
            people = _instead(row, leaving, to)
            changed = await self._changes.write(row, ChangeKind.REASSIGNED, at=at, by=by, people=people)
            if changed is not None:
                return AmendedPause(row=changed, replayed=False)
        raise StoreUnavailable(reason="the pause changed at every try to change its people")


def _was_done(row: LedgerRow, leaving: str, to: str) -> bool:
    """Return whether an earlier request has replaced this person by the other."""
    asked = row.people.asked()
    for number, change in enumerate(row.changes):
        before = (*change.approvers, *row.answerers.recipients[: change.places])
        reassigned = change.kind is ChangeKind.REASSIGNED and is_among(leaving, before)
        if reassigned and is_among(to, _added(row, number)):
            return is_among(to, asked) and not is_among(leaving, asked)
    return False


def _added(row: LedgerRow, number: int) -> Sequence[str]:
    """Return who was asked after the change with this index and not before it."""
    later = row.changes[number + 1] if number + 1 < len(row.changes) else None
    approvers = row.answerers.approvers if later is None else later.approvers
    places = row.answerers.recipients[: None if later is None else later.places]
    change = row.changes[number]
    before = (*change.approvers, *row.answerers.recipients[: change.places])
    return [each for each in (*approvers, *places) if not is_among(each, before)]


def _instead(row: LedgerRow, leaving: str, to: str) -> People:
    """Return the people with one in the place of another; raises InvalidRequest with the wrong field."""
    if not is_among(leaving, row.people.asked()):
        raise InvalidRequest.of_field("from", "is not asked in this pause")
    if why := why_not_new(row, to):
        raise InvalidRequest.of_field("to", why)
    if sum(change.kind is ChangeKind.REASSIGNED for change in row.changes) >= REASSIGNMENTS_MAX:
        raise InvalidRequest.of_field("to", f"cannot be asked: a pause is passed on at most {REASSIGNMENTS_MAX} times")
    return row.people.with_added([to]).without([leaving])


def _require_later(row: LedgerRow, until: int, field: str) -> None:
    latest = rfc3339(row.claims.exp)
    if row.deadline is None:
        raise InvalidRequest.of_field(
            field, f"cannot move: this pause was minted without max_ttl_seconds, so it ends at {latest}"
        )
    if until > row.claims.exp:
        raise InvalidRequest.of_field(field, f"must be at most {latest}, as max_ttl_seconds of the mint says")
    if until < row.expires_at:
        raise InvalidRequest.of_field(field, f"must be later than {rfc3339(row.expires_at)}, the present deadline")
