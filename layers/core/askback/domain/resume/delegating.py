"""A delegation: a member passes a pause on to another person, who then decides instead.

It is an act of the member, so it takes the same steps 1 to 5 as an answer. Then it is a change of the people as an
operator's is: one conditional write, announced once. A member who has voted has decided, and passes nothing on.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from askback.domain.delivery.open_changes import OpenChanges
from askback.domain.errors import (
    AlreadyVoted,
    AnswererNotAllowed,
    InvalidRequest,
    LinkRevoked,
    PauseExpired,
    StoreUnavailable,
)
from askback.domain.interactions.floor import DEFAULT_FLOORS, NO_FLOOR, Floor, floors_of
from askback.domain.pause.answerers import PEOPLE_MAX
from askback.domain.pause.changes import ChangeKind, new_places
from askback.domain.pause.delegation import NOT_PASSED_ON, people_after, require_delegate, vote_of
from askback.domain.pause.ledger import LedgerRow
from askback.domain.pause.person_names import require_person, same_person
from askback.domain.ports import IssuanceLedger
from askback.domain.resume.admission import Admission, PersonRequest

TRIES = PEOPLE_MAX + 5
"""How often a delegation is tried again when the pause changed between read and write: each member may vote then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegatedPause:
    """A pause that `by` has passed on to `to`; `replayed` when an earlier request had already done this."""

    row: LedgerRow
    by: str
    to: str
    replayed: bool


class Delegating:
    """Passes pauses on for their members. `floors` are those of the deployment."""

    def __init__(
        self,
        *,
        admission: Admission,
        ledger: IssuanceLedger,
        changes: OpenChanges,
        floors: Mapping[str, Floor] = DEFAULT_FLOORS,
    ) -> None:
        self._admission = admission
        self._ledger = ledger
        self._changes = changes
        self._floors = floors

    async def delegate(self, request: PersonRequest, to: str) -> DelegatedPause:
        """Let the person `to` decide instead of the member whose request this is.

        The member's link is void then, and the member decides no more.

        Raises:
            InvalidRequest: the member may not pass the pause on, or not to this person.
            AlreadyVoted: the member has voted.
            HumanInteractionError: this person cannot answer the pause; it is as for an answer.
            StoreUnavailable: the pause was not passed on, or this is not known; send the same request again.
        """
        require_person(to, field="to")
        for _ in range(TRIES):
            try:
                admitted = await self._admission.admit(request)
            except (LinkRevoked, AnswererNotAllowed):
                # After a delegation its member has no say any more. The reply to the request may have been lost.
                if again := await self._done_before(request, to):
                    return again
                raise
            row, member = admitted.state.row, admitted.answered_by
            if row is None:
                # A pause of the legacy engine has no row, and no people.
                raise InvalidRequest.of_field("to", NOT_PASSED_ON)
            if admitted.live is None:
                raise PauseExpired(expired_at=admitted.claims.exp)
            row.require_open(at=request.at)
            if vote := vote_of(row, member):
                raise AlreadyVoted(voted_at=vote.at)
            require_delegate(row, member, to)
            for floor in floors_of(self._floors, row.claims.name, NO_FLOOR):
                floor.require_person(to, field="to")
            # As the roster spells the name, and not as the request does.
            by = next(each for each in row.answerers.approvers if same_person(each, member))
            people = people_after(row, by, to)
            changed = await self._changes.write(row, ChangeKind.DELEGATED, at=request.at, by=by, people=people)
            if changed is not None:
                return DelegatedPause(row=changed, by=by, to=to, replayed=False)
        raise StoreUnavailable(reason="the pause changed at every try to pass it on")

    async def _done_before(self, request: PersonRequest, to: str) -> DelegatedPause | None:
        """Return what an earlier request of this person did that passed the pause on to the same person."""
        claims, member = await self._admission.person(request)
        row = await self._ledger.find(claims.jti)
        if row is None:
            return None
        row.require_of(claims)
        for number, change in enumerate(row.changes, start=1):
            if change.kind is ChangeKind.DELEGATED and same_person(change.by, member):
                (asked,) = new_places(row.changes, number, row.answerers.recipients)
                if same_person(asked, to):
                    return DelegatedPause(row=row, by=change.by, to=asked, replayed=True)
        return None
