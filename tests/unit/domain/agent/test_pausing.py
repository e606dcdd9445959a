"""Finding the question in a round of tool calls."""

import asyncio
from typing import Any

import pytest

from askback.domain.agent.pausing import Unpaused, pause_handler
from askback.domain.agent.turn import AgentTurn, InvocationPaused, ReservedCall
from askback.domain.errors import InteractionConfigurationError
from askback.domain.pause.binding import PauseBinding
from askback.domain.pause.scope import Scope
from tests.support.agent_runs import APPROVE, ASK, a_capability, a_turn
from tests.support.failing_stores import PartlyFailingCheckpoints
from tests.support.memory_deployment import InMemoryDeployment, a_binding
from tests.support.own_interactions import a_deployment

SEARCH = ReservedCall(call_id="call_S", name="search", arguments={"q": "A-1009"})
SECOND = ReservedCall(call_id="call_2", name="ask_user", arguments=ASK.arguments)
BAD = ReservedCall(call_id="call_B", name="ask_user", arguments={"questions": [{"question": "Which?"}]})


def _handle(deployment: InMemoryDeployment, turn: AgentTurn, resolve: Any = lambda run: a_binding()) -> Unpaused:
    return asyncio.run(_handled(deployment, turn, resolve))


async def _handled(deployment: InMemoryDeployment, turn: AgentTurn, resolve: Any) -> Unpaused:
    return await pause_handler(a_capability(deployment), resolve)(turn)


def _paused_on(deployment: InMemoryDeployment, turn: AgentTurn, resolve: Any = lambda run: a_binding()) -> str:
    with pytest.raises(InvocationPaused) as paused:
        _handle(deployment, turn, resolve)
    return paused.value.pending.tool_call_id


def test_a_round_without_a_question_goes_on_without_a_word() -> None:
    deployment = InMemoryDeployment()

    def unasked(run: Any) -> PauseBinding | None:
        raise AssertionError("no binding is needed for a round that asks nobody")

    assert _handle(deployment, a_turn(), unasked) == Unpaused()
    assert _handle(deployment, a_turn(SEARCH, APPROVE), unasked) == Unpaused()
    assert not deployment.ledger.rows


def test_a_round_pauses_on_its_first_question() -> None:
    assert _paused_on(InMemoryDeployment(), a_turn(SEARCH, ASK)) == "call_Cc03Ask"
    assert _paused_on(a_deployment(), a_turn(SEARCH, APPROVE, ASK)) == "call_X"


def test_of_two_questions_in_one_round_only_the_first_is_minted() -> None:
    deployment = InMemoryDeployment()
    assert _paused_on(deployment, a_turn(SECOND, ASK)) == "call_2"
    assert [row.claims.tool_call_id for row in deployment.ledger.rows.values()] == ["call_2"]


def test_a_first_question_that_is_declined_is_not_replaced_by_the_second() -> None:
    deployment = InMemoryDeployment()
    assert _handle(deployment, a_turn(BAD, ASK)).call_id == "call_B"
    assert not deployment.ledger.rows


def test_the_binding_is_resolved_anew_for_every_run() -> None:
    deployment = InMemoryDeployment()
    tenants = iter(("acme", "globex"))
    capability = a_capability(deployment)
    handle = pause_handler(capability, lambda run: a_binding(scope=Scope(tenant_id=run)))
    for tenant in tenants:
        with pytest.raises(InvocationPaused):
            asyncio.run(_call(handle, a_turn(ASK, run=tenant)))
    hashes = [row.claims.scope_hash for row in deployment.ledger.rows.values()]
    assert hashes == [Scope(tenant_id="acme").digest(), Scope(tenant_id="globex").digest()]


async def _call(handle: Any, turn: AgentTurn) -> None:
    await handle(turn)


def test_a_run_without_a_binding_declines_with_the_reason_and_does_not_raise() -> None:
    deployment = InMemoryDeployment()
    declined = _handle(deployment, a_turn(ASK), lambda run: None)
    assert declined.call_id == "call_Cc03Ask"
    assert declined.reason
    assert not deployment.ledger.rows


def test_a_refused_pause_is_declined_in_words_for_the_model_that_wrote_the_call() -> None:
    declined = _handle(InMemoryDeployment(), a_turn(BAD))
    assert declined.call_id == "call_B"
    assert declined.reason is not None
    assert "payload.questions[0].options" in declined.reason


@pytest.mark.parametrize(
    "resolve",
    [lambda run: a_binding(scope=None), lambda run: a_binding(run_id=""), lambda run: a_binding(checkpoint_id="")],
    ids=["no scope", "no run", "an empty checkpoint"],
)
def test_a_binding_that_cannot_pause_is_a_decline(resolve: Any) -> None:
    deployment = InMemoryDeployment()
    assert _handle(deployment, a_turn(ASK), resolve).reason
    assert not deployment.ledger.rows


def test_a_misconfigured_deployment_is_a_decline_that_tells_no_secret() -> None:
    deployment = InMemoryDeployment(key_ring='{"current":"k1","key:k1":"short MARKER"}')
    declined = _handle(deployment, a_turn(ASK))
    assert declined.reason is not None
    assert InteractionConfigurationError.code not in declined.reason
    assert "MARKER" not in declined.reason


@pytest.mark.parametrize("error", [RuntimeError("a bug"), KeyError("a bug"), TimeoutError()], ids=repr)
def test_any_other_exception_propagates(error: Exception) -> None:
    checkpoints = PartlyFailingCheckpoints()
    checkpoints.write_errors["ask_user_request"] = error
    with pytest.raises(type(error)):
        _handle(InMemoryDeployment(checkpoints=checkpoints), a_turn(ASK))


def test_a_fault_of_the_resolver_propagates() -> None:
    def broken(run: Any) -> PauseBinding | None:
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        _handle(InMemoryDeployment(), a_turn(ASK), broken)
