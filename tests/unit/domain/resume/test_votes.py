"""A vote through the eight steps: what is announced and delivered when another vote comes between."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.errors import AnswererNotAllowed, PauseExpired, PauseRevoked
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import PauseStatus, VoteWrite
from askback.domain.pause.quorum import Quorum
from askback.domain.pause.waiters import Waiter
from askback.domain.resume.eight_steps import ResumeOutcome
from askback.interactions import REGISTRY
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.ledger_steps import EVENT
from tests.support.memory_deployment import NOW, InMemoryDeployment

ACTION = {"title": "Pay?", "action": {"name": "pay", "arguments": {"amount": 10}}}
YES, NO = {"decision": "approve"}, {"decision": "reject"}


class Overtaken(InMemoryLedger):
    """A ledger that loses the reply to the next vote; something else happens before the vote is looked for."""

    meanwhile: Callable[[], object] | None = None

    async def vote(self, *args: Any, **over: Any) -> VoteWrite:
        meanwhile, self.meanwhile = self.meanwhile, None
        written = await super().vote(*args, **over)
        if meanwhile is None:
            return written
        # In a thread: a second event loop cannot run in this one.
        with ThreadPoolExecutor(1) as other:
            other.submit(meanwhile).result()
        return VoteWrite(row=self.rows[written.row.claims.jti], written=False)


class Scene:
    """A pause of two of three, whose ledger can lose a reply."""

    def __init__(self, **over: Any) -> None:
        self.ledger = Overtaken()
        self.deployment = InMemoryDeployment(registry=REGISTRY, ledger=self.ledger)
        people = Answerers(approvers=("ada", "bob", "cyd"))
        command = {"name": "approval", "payload": ACTION, "answerers": people, "quorum": Quorum(needed=2), **over}
        self.minted: MintedPause = self.deployment.mint(**command)

    def vote(self, person: str, response: dict[str, Any] = YES, **over: Any) -> ResumeOutcome:
        over = {"attempt_id": f"attempt of {person}", "response": response, "answered_by": person, **over}
        return self.deployment.resume(self.minted, **over)

    def lost(self, person: str, meanwhile: Callable[[], object], **over: Any) -> ResumeOutcome:
        self.ledger.meanwhile = meanwhile
        return self.vote(person, **over)

    def announced(self) -> list[PauseEventType]:
        return [event.type for event in self.deployment.events.events][1:]


def test_each_vote_and_the_decision_are_announced_once() -> None:
    scene = Scene()
    scene.vote("ada")
    scene.vote("ada", attempt_id="again")
    scene.vote("bob")
    scene.vote("bob", attempt_id="again")
    assert scene.announced() == [PauseEventType.VOTED, PauseEventType.ANSWERED]


@pytest.mark.parametrize(("waiter", "once"), [(None, PauseEventType.ANSWERED), (EVENT, PauseEventType.DELIVERED)])
def test_a_vote_that_another_one_completed_announces_and_delivers_nothing_a_second_time(
    waiter: Waiter | None, once: PauseEventType
) -> None:
    scene = Scene(waiter=waiter)
    found = scene.lost("ada", lambda: scene.vote("bob"))
    assert (found.replayed, found.still_open, found.answered_by) == (False, False, "ada")
    assert found.response["decision"] == "approve"
    assert scene.announced() == [once]


def test_a_vote_that_a_veto_followed_has_what_was_decided() -> None:
    scene = Scene()
    found = scene.lost("ada", lambda: scene.vote("bob", NO))
    assert (found.own_response["decision"], found.response["decision"]) == ("approve", "reject")


def test_a_vote_that_a_revocation_followed_is_refused_and_delivers_nothing() -> None:
    scene = Scene(waiter=EVENT)
    with pytest.raises(PauseRevoked):
        scene.lost("ada", lambda: scene.ledger.revoke(scene.minted.claims.jti))
    assert scene.announced() == []
    assert [vote.by for vote in scene.ledger.rows[scene.minted.claims.jti].votes] == ["ada"]


def test_the_receipt_of_each_vote_is_given_after_the_end_of_the_tokens() -> None:
    scene = Scene()
    scene.vote("ada")
    scene.vote("bob")
    later = NOW + 10**7
    assert scene.vote("ada", attempt_id="later", at=later).replayed
    for person, response in (("ada", NO), ("cyd", YES)):
        with pytest.raises(PauseExpired):
            scene.vote(person, response, attempt_id="later", at=later)


def test_a_vote_of_a_person_whom_the_roster_lost_meanwhile_is_refused() -> None:
    scene = Scene()

    def leaves() -> None:
        row = scene.ledger.rows[scene.minted.claims.jti]
        people = replace(row.answerers, approvers=("bob", "cyd"))
        scene.ledger.rows[scene.minted.claims.jti] = replace(row, answerers=people, votes=())

    with pytest.raises(AnswererNotAllowed):
        scene.lost("ada", leaves)
    assert scene.ledger.rows[scene.minted.claims.jti].status is PauseStatus.ISSUED
