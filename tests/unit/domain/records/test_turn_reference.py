"""A run that was given an outcome loads its turn by the reference in it."""

import asyncio
import json
from dataclasses import replace

import pytest

from askback.domain.errors import InteractionConfigurationError, TurnMismatch, TurnMissing, TurnUnreadable
from askback.domain.records.turns import TurnCheckpointStore, TurnReference
from askback.testing.memory_ports import InMemoryCheckpoints, text_place
from tests.support.failing_stores import PartlyFailingCheckpoints
from tests.support.memory_deployment import MESSAGES, InMemoryDeployment
from tests.support.waiting_pauses import TASK, outcomes_of


def _delivered(checkpoints: InMemoryCheckpoints) -> TurnReference:
    """Return the reference that a run was given."""
    deployment = InMemoryDeployment(checkpoints=checkpoints)
    deployment.resume(deployment.mint(waiter=TASK, prompt="Refund it"))
    ((_, text),) = outcomes_of(deployment)
    return TurnReference(**json.loads(text)["turn_reference"])


def test_the_reference_of_an_outcome_loads_the_turn_that_paused() -> None:
    checkpoints = InMemoryCheckpoints()
    reference = _delivered(checkpoints)
    turn = asyncio.run(TurnCheckpointStore(checkpoints).fetch(reference))
    assert (turn.messages, turn.prompt, turn.run_id) == (MESSAGES, "Refund it", "run-1")


def test_a_reference_to_nothing_is_a_missing_turn() -> None:
    checkpoints = InMemoryCheckpoints()
    reference = replace(_delivered(checkpoints), checkpoint_id="elsewhere")
    with pytest.raises(TurnMissing):
        asyncio.run(TurnCheckpointStore(checkpoints).fetch(reference))


def test_a_turn_that_lies_where_it_does_not_belong_is_refused() -> None:
    checkpoints = InMemoryCheckpoints()
    reference = _delivered(checkpoints)
    moved = replace(reference, thread_id="globex:eu:sess-1")
    checkpoints.texts[text_place(**moved.to_dict())] = checkpoints.texts[text_place(**reference.to_dict())]
    with pytest.raises(TurnMismatch):
        asyncio.run(TurnCheckpointStore(checkpoints).fetch(moved))


@pytest.mark.parametrize(
    ("error", "told_as"), [(LookupError("gone"), TurnMissing), (ValueError("damaged"), TurnUnreadable)], ids=repr
)
def test_a_turn_whose_body_is_gone_or_damaged_has_its_own_refusal(error: Exception, told_as: type[Exception]) -> None:
    checkpoints = PartlyFailingCheckpoints()
    reference = _delivered(checkpoints)
    checkpoints.body_errors["turn_state"] = error
    with pytest.raises(told_as):
        asyncio.run(TurnCheckpointStore(checkpoints).fetch(reference))


def test_without_a_store_there_is_nothing_to_fetch_from() -> None:
    reference = TurnReference(thread_id="t", checkpoint_id="c", key="turn_state:x")
    with pytest.raises(InteractionConfigurationError):
        asyncio.run(TurnCheckpointStore(None).fetch(reference))
