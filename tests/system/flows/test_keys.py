"""One entry of a state asks one question: in loops, branches, maps and redrives, in both query languages."""

import json
from typing import Any

import pytest

from tests.system.flows.flows import MINT, QUESTION, Flows, a_flow_input
from tests.system.flows.machines import (
    approval_flow,
    in_a_map,
    in_rounds,
    in_rounds_of_jsonpath,
    in_two_branches,
    jsonpath_ask,
)

JSONATA = approval_flow(MINT)
JSONPATH = jsonpath_ask(MINT)
BOTH_AT_ONCE = [
    pytest.param(in_a_map(JSONATA), id="map-jsonata"),
    pytest.param(in_two_branches(JSONATA), id="parallel-jsonata"),
    pytest.param(in_a_map(JSONPATH), id="map-jsonpath"),
    pytest.param(in_two_branches(JSONPATH), id="parallel-jsonpath"),
]


def test_a_loop_that_asks_with_the_same_words_pays_once_for_each_approval(flows: Flows) -> None:
    """D-01: one approval paid three times."""
    execution = flows.start(QUESTION, flows.machine(in_rounds(MINT)))

    for number in (1, 2, 3):
        key = flows.keys(execution, number)[-1]
        assert flows.step_functions.describe_execution(executionArn=execution)["status"] == "RUNNING"
        assert flows.choose(flows.answer_token(key), "Approve").status == 200

    assert flows.output(execution) == {"paid": 3}
    assert len(flows.events(execution, "TaskSucceeded")) == 3
    assert len(set(flows.keys(execution, 3))) == 3


def test_a_loop_in_jsonpath_asks_in_each_round(flows: Flows) -> None:
    """D-01."""
    execution = flows.start(a_flow_input("free_text"), flows.machine(in_rounds_of_jsonpath(MINT)))

    for number in (1, 2, 3):
        key = flows.keys(execution, number)[-1]
        assert flows.answer(flows.answer_token(key), f"answer {number}").status == 200

    assert flows.output(execution) == {"paid": 3}
    assert len(flows.events(execution, "TaskSucceeded")) == 3


def test_a_rejected_question_is_revised_and_asked_again(flows: Flows) -> None:
    """D-02: other words under the same key ended the execution with a conflict."""
    execution = flows.start(QUESTION, flows.machine(in_rounds(MINT)))
    assert flows.choose(flows.answer_token(flows.keys(execution)[0]), "Reject").status == 200

    revised = flows.answer_token(flows.keys(execution, 2)[1])

    shown = flows.people.post("/questions", {"answer_token": revised}).document
    assert shown["payload"]["questions"][0]["question"] == "Refund 40.00 EUR?"
    assert flows.choose(revised, "Approve").status == 200


@pytest.mark.parametrize("machine", BOTH_AT_ONCE)
def test_two_states_that_ask_at_the_same_time_get_an_answer_each(flows: Flows, machine: dict[str, Any]) -> None:
    """D-03: the second item took the first's waiter, and one hung until its timeout."""
    in_jsonata = machine["QueryLanguage"] == "JSONata"
    given = QUESTION if in_jsonata else {**a_flow_input("free_text"), "items": [1, 2]}
    execution = flows.start(given, flows.machine(machine))

    tokens = [flows.answer_token(key) for key in flows.keys(execution, 2)]
    for token, label in zip(tokens, ("Approve", "Reject"), strict=True):
        reply = flows.choose(token, label) if in_jsonata else flows.answer(token, label)
        assert (reply.status, reply.document["delivery"]) == (200, "delivered")

    ended = flows.output(execution)
    decisions = {each["decision"] for each in ended} if in_jsonata else {each["response"] for each in ended}
    assert decisions == ({"approved", "rejected"} if in_jsonata else {"Approve", "Reject"})


def test_a_retry_of_the_asking_state_keeps_its_key(flows: Flows) -> None:
    """An attempt that fails in the service is tried again under the key that the state before it assigned."""
    execution = flows.start(QUESTION)
    (key,) = flows.keys(execution)

    assert key.endswith("/0")
    assert len(key.encode()) <= 256
    assert flows.choose(flows.answer_token(key), "Approve").status == 200
    assert flows.output(execution)["decision"] == "approved"


def test_a_redrive_asks_again_although_the_first_question_has_expired(flows: Flows) -> None:
    """D-04: the emulation redrives nothing, so this mints as the state does after a redrive, with the next count."""
    execution = flows.start(QUESTION)
    (key,) = flows.keys(execution)
    flows.answer_token(key)
    flows.sweep(ahead=QUESTION["ttl_seconds"] + 1)
    assert flows.output(execution)["decision"] == "expired"
    request = _request_of(flows, execution)

    same = flows.mint(request)
    redriven = flows.mint({**request, "idempotency_key": key.removesuffix("/0") + "/1"})

    assert (same["status"], redriven["status"]) == ("expired", "issued")


def _request_of(flows: Flows, execution: str) -> dict[str, Any]:
    """Return what the asking state of an execution sent, without its waiter."""
    (scheduled,) = flows.events(execution, "TaskScheduled")
    request: dict[str, Any] = json.loads(scheduled["taskScheduledEventDetails"]["parameters"])["Payload"]
    return {name: value for name, value in request.items() if name != "waiter"}
