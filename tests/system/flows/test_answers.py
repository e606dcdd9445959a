"""What a person says arrives as it was said, at the execution that asked."""

import json
from typing import Any

import pytest

from tests.system.flows.flows import MINT, Flows, a_flow_input
from tests.system.flows.machines import jsonpath_ask


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("free_text", "yes"),
        ("yes_no", True),
        ("anything", {"a": 1.0}),
        ("free_text", 'say "hi"\n'),
        ("free_text", "Zürich"),
        ("anything", None),
    ],
)
def test_an_answer_of_any_kind_arrives_exactly(flows: Flows, kind: str, answer: Any) -> None:
    execution = flows.start(a_flow_input(kind), flows.machine(jsonpath_ask(MINT)))

    receipt = flows.answer(flows.answer_token(execution), answer)

    assert receipt.status == 200, receipt.document
    outcome = flows.output(execution)
    # As text: 1 and 1.0, and 1 and True, are equal to Python.
    assert json.dumps(outcome["response"]) == json.dumps(answer)
    (told,) = flows.events(execution, "TaskSucceeded")
    assert json.loads(told["taskSucceededEventDetails"]["output"]) == outcome


def test_the_outcome_says_whose_it_is_and_how_the_pause_ended(flows: Flows) -> None:
    asked = a_flow_input("free_text")
    execution = flows.start(asked, flows.machine(jsonpath_ask(MINT)))

    receipt = flows.answer(flows.answer_token(execution), "fine").document

    assert flows.output(execution) == {
        "delivery_id": receipt["jti"],
        "outcome": "answered",
        "response": "fine",
        "answered_at": flows.answered_at(execution),
        "answered_by": "link",
        "by_policy": False,
        "assurance": "link",
        "name": "free_text",
        "run_id": execution.rpartition(":")[2],
        "session_id": "",
        "tool_call_id": asked["tool_call_id"],
        "interrupt_id": flows.row(execution)["interrupt_id"]["S"],
        "turn_reference": None,
    }


def test_two_questions_of_one_thread_are_answered_in_reverse_order_and_keep_their_answers(flows: Flows) -> None:
    """A-01: each answer names its own question, and neither spends the other."""
    machine = flows.machine(jsonpath_ask(MINT))
    first_asked = a_flow_input("free_text", payload={"text": "left?"})
    second_asked = first_asked | {"tool_call_id": "call-right", "payload": {"text": "right?"}}
    first, second = flows.start(first_asked, machine), flows.start(second_asked, machine)
    first_token, second_token = flows.answer_token(first), flows.answer_token(second)

    later = flows.answer(second_token, "R")
    assert flows.output(second)["response"] == "R"
    assert flows.step_functions.describe_execution(executionArn=first)["status"] == "RUNNING"
    earlier = flows.answer(first_token, "L")

    assert flows.output(first)["response"] == "L"
    assert [later.document["response"], earlier.document["response"]] == ["R", "L"]
    interrupts = [flows.output(each)["interrupt_id"] for each in (first, second)]
    assert len(set(interrupts)) == 2


def test_a_jsonpath_state_catches_an_expired_pause_by_name(flows: Flows) -> None:
    execution = flows.start(a_flow_input("free_text"), flows.machine(jsonpath_ask(MINT)))
    flows.answer_token(execution)

    flows.sweep(ahead=61)

    caught = flows.output(execution)
    assert caught["Error"] == "Askback.PauseExpired"
    assert json.loads(caught["Cause"])["outcome"] == "expired"
