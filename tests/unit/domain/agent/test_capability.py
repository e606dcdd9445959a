"""Pausing from inside an agent's own process."""

import asyncio
from typing import Any

import pytest

from askback.domain.agent.turn import InvocationPaused, PendingInterrupt, ReservedCall, captured_messages
from askback.domain.errors import HumanInteractionError, InvalidRequest, StoreUnavailable, UnknownInteraction
from askback.domain.pause.binding import PauseBinding
from askback.domain.pause.scope import Scope
from askback.domain.records.open_calls import open_tool_call_ids
from askback.domain.records.turns import TurnCheckpoint
from askback.domain.resume.eight_steps import ResumeCommand
from askback.domain.tokens.scope_binder import Redeemer
from tests.support.agent_runs import APPROVE, ASK, TRANSCRIPT, a_capability, a_turn
from tests.support.failing_stores import PartlyFailingCheckpoints
from tests.support.memory_deployment import NOW, SCOPE, InMemoryDeployment, a_binding
from tests.support.own_interactions import a_deployment


def pause(deployment: InMemoryDeployment, call: ReservedCall, **over: Any) -> PendingInterrupt:
    """Return what the run that paused on `call` is unwound with."""
    turn = over.pop("turn", a_turn(call))
    binding: PauseBinding = over.pop("binding", a_binding())
    with pytest.raises(InvocationPaused) as paused:
        asyncio.run(a_capability(deployment, **over).pause(call, turn=turn, binding=binding))
    return paused.value.pending


def _refused(
    deployment: InMemoryDeployment, call: ReservedCall, error: type[HumanInteractionError], **over: Any
) -> HumanInteractionError:
    with pytest.raises(error) as refusal:
        asyncio.run(a_capability(deployment).pause(call, turn=a_turn(call), **{"binding": a_binding(), **over}))
    assert not deployment.ledger.rows
    assert not deployment.checkpoints.texts
    return refusal.value


def test_the_pending_interrupt_says_all_that_the_run_needs() -> None:
    deployment = InMemoryDeployment()
    pending = pause(deployment, ASK)
    assert (pending.name, pending.kind, pending.tool_call_id, pending.interrupt_id) == (
        "ask_user",
        "ask_user",
        "call_Cc03Ask",
        "",
    )
    assert (pending.run_id, pending.session_id, pending.expires_at) == ("run-1", "sess-1", NOW + 3600)
    assert pending.resumable is True
    assert pending.payload["questions"][0]["id"].startswith("q-")
    assert list(deployment.ledger.rows) == [pending.jti]


def test_any_other_interaction_is_an_interrupt_with_an_id_of_its_own() -> None:
    pending = pause(a_deployment(), APPROVE)
    assert (pending.name, pending.kind, pending.tool_call_id) == ("approval_required", "interrupt", "call_X")
    assert pending.interrupt_id.startswith("i-")
    assert pending.payload == {"amount": 136.0}


def test_its_token_resumes_the_run_with_the_round_that_asked() -> None:
    deployment = a_deployment()
    turn = a_turn(APPROVE, ReservedCall(call_id="call_Y", name="search", arguments={}), prompt="Refund!")
    pending = pause(deployment, APPROVE, turn=turn)
    command = ResumeCommand(
        token=pending.pause_token,
        redeemer=Redeemer(scope=SCOPE, session_id="sess-1", run_id="run-1"),
        response={"approved": True},
        answered_by="ada",
        at=NOW + 60,
        attempt_id="attempt-1",
    )
    outcome = asyncio.run(deployment.resuming.resume(command, require_turn=True))
    assert outcome.turn is not None
    assert outcome.turn.prompt == "Refund!"
    assert outcome.turn.messages == captured_messages(TRANSCRIPT, "Let me ask.", turn.requests)
    assert outcome.turn.messages[-1]["tool_calls"][0]["id"] == "call_X"


def test_results_of_calls_that_ran_already_are_recorded_after_the_round_that_asked() -> None:
    """A-06: they are kept once, and what has not run is still open."""
    deployment = InMemoryDeployment()
    sent = {"role": "tool", "tool_call_id": "c1", "content": "sent"}
    calls = [ReservedCall(call_id=call_id, name="mail", arguments={}) for call_id in ("c1", "c3")]
    turn = a_turn(calls[0], ASK, calls[1], results=(sent,))
    pause(deployment, ASK, turn=turn)
    (recorded,) = (
        text for (_, _, key, _), text in deployment.checkpoints.texts.items() if key.startswith("turn_state")
    )
    messages = TurnCheckpoint.decode(recorded).messages
    assert messages == (*captured_messages(TRANSCRIPT, "Let me ask.", turn.requests), sent)
    assert open_tool_call_ids(messages, answered="call_Cc03Ask") == ("c3",)


def test_a_binding_may_name_its_own_thread_and_checkpoint() -> None:
    deployment = InMemoryDeployment()
    pause(deployment, ASK, binding=a_binding(thread_id="mine", checkpoint_id="saved-7"))
    assert set(deployment.checkpoints.texts) == {
        ("mine", "saved-7", "ask_user_request:call_Cc03Ask", SCOPE.digest()),
        ("mine", "saved-7", "turn_state:call_Cc03Ask", SCOPE.digest()),
    }


@pytest.mark.parametrize(
    ("binding", "thread_id"),
    [
        (a_binding(), "acme:eu:sess-1"),
        (a_binding(scope=Scope(tenant_id="acme")), "acme:_:sess-1"),
        (a_binding(session_id=""), "acme:eu:run-1"),
        (a_binding(thread_id="mine"), "mine"),
    ],
)
def test_the_thread_follows_from_scope_and_session(binding: PauseBinding, thread_id: str) -> None:
    deployment = InMemoryDeployment()
    pause(deployment, ASK, binding=binding)
    assert {thread for thread, _, _, _ in deployment.checkpoints.texts} == {thread_id}


def test_a_pause_without_a_scope_is_refused() -> None:
    assert "scope" in _refused(InMemoryDeployment(), ASK, InvalidRequest, binding=a_binding(scope=None)).detail


def test_no_token_is_ever_bound_to_no_checkpoint() -> None:
    deployment = InMemoryDeployment()
    mint = deployment.minting_over(None)
    capability = a_capability(deployment, mint=mint)
    with pytest.raises(InvalidRequest, match="checkpoint_id"):
        asyncio.run(capability.pause(ASK, turn=a_turn(ASK), binding=a_binding()))
    assert not deployment.ledger.rows
    pending = pause(deployment, ASK, mint=mint, binding=a_binding(checkpoint_id="saved-7"))
    assert pending.resumable is False


@pytest.mark.parametrize("arguments", [{}, {"questions": []}, {"questions": "Go on?"}])
def test_an_invalid_payload_is_refused_before_anything_is_minted(arguments: dict[str, Any]) -> None:
    call = ReservedCall(call_id="call_Cc03Ask", name="ask_user", arguments=arguments)
    _refused(InMemoryDeployment(), call, InvalidRequest)


def test_an_unregistered_call_is_refused() -> None:
    deployment = InMemoryDeployment()
    assert a_capability(deployment).handles("ask_user")
    assert not a_capability(deployment).handles("approval_required")
    _refused(deployment, APPROVE, UnknownInteraction)


def test_being_resumable_is_earned_by_a_turn_that_the_store_said_is_written() -> None:
    checkpoints = PartlyFailingCheckpoints()
    checkpoints.write_errors["turn_state"] = StoreUnavailable()
    assert pause(InMemoryDeployment(checkpoints=checkpoints), ASK).resumable is False
    checkpoints.write_errors = {"ask_user_request": StoreUnavailable()}
    assert pause(InMemoryDeployment(checkpoints=checkpoints), ASK).resumable is True


def test_the_agent_gets_no_answer_token_unless_the_mint_returns_links() -> None:
    assert pause(InMemoryDeployment(return_links=False), ASK).answer_token == ""
    assert pause(InMemoryDeployment(return_links=True), ASK).answer_token


def test_the_text_of_the_unwinding_never_carries_a_token() -> None:
    deployment = InMemoryDeployment()
    with pytest.raises(InvocationPaused) as paused:
        asyncio.run(a_capability(deployment).pause(ASK, turn=a_turn(ASK), binding=a_binding()))
    pending = paused.value.pending
    assert pending.pause_token != pending.answer_token
    for token in (pending.pause_token, pending.answer_token):
        assert token.count(".") == 2
        assert token not in f"{paused.value} {paused.value!r}"
    assert SCOPE.matches(next(iter(deployment.ledger.rows.values())).claims.scope_hash)
