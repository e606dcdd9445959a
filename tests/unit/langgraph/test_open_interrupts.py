"""Which questions a graph's open interrupts ask, read off its state."""

from types import SimpleNamespace
from typing import Any

import pytest

from askback.domain.errors import InvalidRequest, TurnMissing
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.claims import ASK_USER
from askback.domain.pause.ledger import PauseStatus
from askback.langgraph.open_interrupts import open_interrupts
from askback.langgraph.questions import Question, question
from tests.support.answer_kinds import ANSWER_KINDS
from tests.support.memory_deployment import NOW, REFUND, SCOPE, InMemoryDeployment, an_answer

LEFT, RIGHT = "1" * 32, "2" * 32


def a_state(*values: Any, checkpoint_id: str = "cp-1", thread_id: Any = "thread-1") -> Any:
    """Return a snapshot with an open interrupt for each value."""
    return SimpleNamespace(
        config={"configurable": {"thread_id": thread_id, "checkpoint_ns": "", "checkpoint_id": checkpoint_id}},
        created_at="2026-01-02T03:04:05+00:00",
        interrupts=[
            SimpleNamespace(id=interrupt_id, value=value)
            for interrupt_id, value in zip((LEFT, RIGHT), values, strict=False)
        ],
    )


def mint(deployment: InMemoryDeployment, state: Any, **over: Any) -> list[MintedPause]:
    return [
        deployment.mint(
            **{
                "name": interrupt.name,
                "payload": interrupt.payload,
                "binding": interrupt.mint_command(
                    scope=SCOPE, run_id="run-1", session_id="sess-1", ttl_seconds=60, at=NOW
                ).binding,
                "tool_call_id": interrupt.id,
                "messages": None,
                **over,
            }
        )
        for interrupt in open_interrupts(state)
    ]


@pytest.fixture
def deployment() -> InMemoryDeployment:
    return InMemoryDeployment(registry=ANSWER_KINDS)


def test_every_open_interrupt_is_a_pause_that_carries_its_id(deployment: InMemoryDeployment) -> None:
    state = a_state(question("free_text", {"text": "Why?"}), question("yes_no", {"text": "Go on?"}))
    left, right = mint(deployment, state)
    assert [(p.claims.name, p.claims.tool_call_id) for p in (left, right)] == [("free_text", LEFT), ("yes_no", RIGHT)]
    assert {(p.claims.thread_id, p.claims.checkpoint_id) for p in (left, right)} == {("thread-1", "cp-1")}
    assert left.claims.interrupt_id != right.claims.interrupt_id


def test_the_built_in_question_can_be_asked_as_well(deployment: InMemoryDeployment) -> None:
    (minted,) = mint(deployment, a_state(question(ASK_USER, REFUND)))
    outcome = deployment.resume(minted, require_turn=False, response=an_answer(minted))
    assert (outcome.tool_call_id, outcome.response["answers"][0]["selections"]) == (LEFT, ["Approve"])


def test_an_interrupt_that_is_still_open_keeps_its_pause(deployment: InMemoryDeployment) -> None:
    state = a_state(question("free_text", {"text": "Why?"}))
    assert mint(deployment, state)[0].claims == mint(deployment, state, at=NOW + 9)[0].claims


def test_a_question_whose_time_is_over_is_asked_again_under_a_key(deployment: InMemoryDeployment) -> None:
    """The graph still waits; the same call would find the pause that ended."""
    state = a_state(question("free_text", {"text": "Why?"}))
    (first,) = mint(deployment, state)
    deployment.sweep(at=NOW + 3600)
    (same,) = mint(deployment, state, at=NOW + 3601)
    assert (same.claims.jti, same.status) == (first.claims.jti, PauseStatus.EXPIRED)
    (again,) = mint(deployment, state, at=NOW + 3601, idempotency_key=f"{LEFT}/2")
    outcome = deployment.resume(again, require_turn=False, response="because", at=NOW + 3602)
    assert (outcome.tool_call_id, outcome.thread_id, outcome.response) == (LEFT, "thread-1", "because")


def test_what_a_deployed_mint_is_told_names_the_pause_and_its_place() -> None:
    (interrupt,) = open_interrupts(a_state(question("free_text", {"text": "Why?"}), thread_id=7))
    assert interrupt.mint_fields() == {
        "name": "free_text",
        "payload": {"text": "Why?"},
        "tool_call_id": LEFT,
        "thread_id": "7",
        "checkpoint_id": "cp-1",
    }


def test_a_graph_that_waits_for_nobody_asks_nothing() -> None:
    assert open_interrupts(a_state()) == ()


def test_a_thread_without_a_checkpoint_is_no_graph_that_waits_for_nobody() -> None:
    state = a_state()
    state.created_at = None
    with pytest.raises(TurnMissing):
        open_interrupts(state)


@pytest.mark.parametrize(
    "value",
    [
        "what is your age?",
        None,
        {"name": "free_text"},
        {"name": 1, "payload": {}},
        {"name": "free_text", "payload": "Why?"},
        {"name": "free_text", "payload": {}, "interrupt_id": "i-000000000001"},
    ],
)
def test_an_interrupt_that_is_no_question_is_refused(value: Any) -> None:
    with pytest.raises(InvalidRequest):
        open_interrupts(a_state(value))


def test_interrupts_of_another_form_are_read_by_a_function_of_yours() -> None:
    (interrupt,) = open_interrupts(
        a_state("what is your age?"), asking=lambda value: Question(name="free_text", payload={"text": value})
    )
    assert (interrupt.name, interrupt.payload) == ("free_text", {"text": "what is your age?"})
