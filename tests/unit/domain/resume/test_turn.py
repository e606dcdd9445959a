"""When a turn is demanded, and when its absence is fine."""

import pytest

from askback.domain.errors import StoreUnavailable, TurnMissing
from askback.testing.memory_ports import InMemoryCheckpoints
from tests.support.failing_stores import PartlyFailingCheckpoints
from tests.support.memory_deployment import NOW, InMemoryDeployment, a_binding

HERE = a_binding(checkpoint_id="c1")


def _lose_the_turn(checkpoints: InMemoryCheckpoints) -> None:
    for place in [place for place in checkpoints.texts if place[2].startswith("turn_state:")]:
        del checkpoints.texts[place]


def test_a_route_that_goes_on_with_the_run_refuses_when_no_turn_was_recorded() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(messages=None, binding=HERE)
    with pytest.raises(TurnMissing):
        deployment.resume(minted, require_turn=True)
    assert not deployment.resume(minted, require_turn=False).replayed


def test_a_route_that_only_takes_the_answer_does_not() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(messages=None, binding=HERE)
    outcome = deployment.resume(minted, require_turn=False)
    assert outcome.turn is None
    assert outcome.response["answers"][0]["selections"] == ["Approve"]


def test_a_recorded_turn_is_given_back_whether_it_was_required_or_not() -> None:
    for require_turn in (True, False):
        deployment = InMemoryDeployment()
        assert deployment.resume(deployment.mint(), require_turn=require_turn).turn is not None


def test_a_turn_that_was_promised_and_is_gone_is_refused_on_every_route() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    texts = dict(deployment.checkpoints.texts)
    _lose_the_turn(deployment.checkpoints)
    for require_turn in (True, False):
        with pytest.raises(TurnMissing):
            deployment.resume(minted, require_turn=require_turn)
    deployment.checkpoints.texts = texts
    assert not deployment.resume(minted).replayed


def test_a_turn_that_was_never_promised_is_not_missed() -> None:
    checkpoints = PartlyFailingCheckpoints()
    checkpoints.write_errors["turn_state"] = StoreUnavailable()
    deployment = InMemoryDeployment(checkpoints=checkpoints)
    minted = deployment.mint()
    assert not minted.resumable
    assert deployment.resume(minted, require_turn=False).turn is None


def test_no_turn_is_given_to_another_pause_of_the_same_checkpoint() -> None:
    deployment = InMemoryDeployment()
    first, second = (deployment.mint(tool_call_id=call, binding=HERE, prompt=call) for call in ("c1", "c2"))
    for minted, prompt in ((second, "c2"), (first, "c1")):
        turn = deployment.resume(minted).turn
        assert turn is not None
        assert turn.prompt == prompt


def test_the_turn_is_given_back_with_every_replay() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    first = deployment.resume(minted)
    assert deployment.resume(minted, attempt_id="later", at=NOW + 90).turn == first.turn
