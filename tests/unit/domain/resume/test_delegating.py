"""A member passes a pause on: what of it is written, when it is announced, and what is tried again."""

import asyncio
from typing import Any

import pytest

from askback.domain.errors import AnswererNotAllowed, LinkRevoked, PauseExpired, StoreUnavailable
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.assurance import AnsweredVia
from askback.domain.pause.claims import Audience
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import LedgerRow, RowChange
from askback.domain.resume.admission import PersonRequest
from askback.domain.resume.delegating import TRIES, DelegatedPause
from askback.domain.tokens.scope_binder import Redeemer
from askback.testing.memory_ledger import InMemoryLedger
from askback.testing.memory_waiters import InMemoryEvents
from tests.support.memory_deployment import NOW, SCOPE, InMemoryDeployment
from tests.support.waiting_pauses import announced, row_of

END = NOW + 3600
IN_SCOPE = Redeemer(scope=SCOPE)
PEOPLE = Answerers(approvers=("ada", "bob"), recipients=("ada", "bob"))


def minted_on(deployment: InMemoryDeployment, **over: Any) -> MintedPause:
    return deployment.mint(answerers=PEOPLE, **{"delegates": ("*",), **over})


def by_link(minted: MintedPause, person: str = "ada", **over: Any) -> PersonRequest:
    fields = {
        "token": minted.tokens.links[person],
        "redeemer": Redeemer(scope=None),
        "answered_by": "link",
        "answered_via": AnsweredVia.LINK,
        "audiences": frozenset({Audience.ANSWER}),
        "at": NOW + 60,
    }
    return PersonRequest(**{**fields, **over})


def delegate(deployment: InMemoryDeployment, request: PersonRequest, to: str = "zoe") -> DelegatedPause:
    return asyncio.run(deployment.delegating.delegate(request, to))


def test_it_is_one_change_announced_once() -> None:
    deployment = InMemoryDeployment()
    minted = minted_on(deployment)
    passed = delegate(deployment, by_link(minted))
    row = row_of(deployment, minted)
    assert (passed.by, passed.to, passed.replayed) == ("ada", "zoe", False)
    assert (row.people.asked(), row.revoked_links) == (("bob", "zoe"), ("ada",))
    assert (row.to_announce, row.due_at) == (None, END)
    assert announced(deployment) == [PauseEventType.ISSUED, PauseEventType.DELEGATED]
    again = delegate(deployment, by_link(minted, at=NOW + 99))
    assert again == DelegatedPause(row=row, by="ada", to="zoe", replayed=True)
    assert len(announced(deployment)) == 2


def test_a_change_whose_event_is_lost_is_announced_by_the_sweep() -> None:
    class Busy(InMemoryEvents):
        async def publish(self, event: Any) -> None:
            raise StoreUnavailable(reason="busy")

    deployment = InMemoryDeployment()
    minted = minted_on(deployment)
    bus, deployment.events = deployment.events, Busy()
    assert not delegate(deployment, by_link(minted)).replayed
    assert (row_of(deployment, minted).to_announce, row_of(deployment, minted).due_at) == (1, NOW + 120)
    deployment.events = bus
    assert deployment.sweep(at=NOW + 120).done == {"ChangeAnnounced": 1}
    assert announced(deployment) == [PauseEventType.ISSUED, PauseEventType.DELEGATED]


class Restless(InMemoryLedger):
    """A ledger in which another process changes the row before each of the first writes."""

    def __init__(self) -> None:
        super().__init__()
        self.others = 0

    async def advance(self, seen: LedgerRow, change: RowChange) -> bool:
        if self.others:
            self.others -= 1
            return False
        return await super().advance(seen, change)


@pytest.mark.parametrize(("others", "done"), [(TRIES - 1, True), (TRIES, False)])
def test_a_pause_that_changes_meanwhile_is_read_again(others: int, done: bool) -> None:
    ledger = Restless()
    deployment = InMemoryDeployment(ledger=ledger)
    minted = minted_on(deployment)
    ledger.others = others
    if done:
        assert not delegate(deployment, by_link(minted)).replayed
    else:
        with pytest.raises(StoreUnavailable):
            delegate(deployment, by_link(minted))
        assert row_of(deployment, minted).changes == ()


def test_after_its_time_nothing_is_passed_on() -> None:
    deployment = InMemoryDeployment()
    minted = minted_on(deployment)
    with pytest.raises(PauseExpired):
        delegate(deployment, by_link(minted, at=END))


def test_what_another_member_has_done_is_no_earlier_request_of_this_one() -> None:
    deployment = InMemoryDeployment()
    minted = minted_on(deployment)
    delegate(deployment, by_link(minted))
    signed_in = by_link(minted, answered_by="mallory", answered_via=AnsweredVia.JWT, redeemer=IN_SCOPE)
    with pytest.raises(LinkRevoked):
        delegate(deployment, signed_in)
    with pytest.raises(AnswererNotAllowed):
        delegate(deployment, by_link(minted, "bob", answered_by="mallory", answered_via=AnsweredVia.JWT,
                                     redeemer=IN_SCOPE))  # fmt: skip
