"""The example state machine, executed: each way it can end, and what is told twice."""

import json
from typing import Any

import pytest

from tests.system.flows.flows import MINT, QUESTION, Flows
from tests.system.flows.machines import approval_flow, in_a_map


@pytest.mark.parametrize(("label", "decision"), [("Approve", "approved"), ("Reject", "rejected")])
def test_an_execution_waits_for_its_answer_and_continues_with_it(flows: Flows, label: str, decision: str) -> None:
    execution = flows.start(QUESTION)
    token = flows.answer_token(execution)
    waiting = flows.step_functions.describe_execution(executionArn=execution)["status"]

    receipt = flows.choose(token, label)

    assert waiting == "RUNNING"
    assert (receipt.status, receipt.document["delivery"]) == (200, "delivered")
    output = flows.output(execution)
    assert (output["decision"], output["answered_by"]) == (decision, "link")
    assert output["pause"] == receipt.document["jti"]


def test_a_pause_that_nobody_answers_ends_as_expired_and_as_nobodys_refusal(flows: Flows) -> None:
    execution = flows.start(QUESTION)
    token = flows.answer_token(execution)

    report = flows.sweep(ahead=QUESTION["ttl_seconds"] + 1)

    assert report["done"]["Expired"] >= 1
    assert flows.output(execution) == {"decision": "expired", "reason": "Askback.PauseExpired"}
    (failed,) = flows.events(execution, "TaskFailed")
    cause = json.loads(failed["taskFailedEventDetails"]["cause"])
    assert (cause["outcome"], cause["delivery_id"]) == ("expired", flows.row(execution)["pk"]["S"].split("#")[1])
    late = flows.choose(token, "Approve")
    assert (late.status, late.code) == (410, "expired")


def test_a_revoked_pause_ends_as_revoked_and_not_as_rejected(flows: Flows) -> None:
    execution = flows.start(QUESTION)
    token = flows.answer_token(execution)

    assert flows.revoke(execution).status == 200
    flows.sweep(ahead=1)

    assert flows.output(execution) == {"decision": "revoked"}
    late = flows.choose(token, "Approve")
    assert (late.status, late.code) == (410, "revoked")


def test_a_stopped_execution_leaves_no_question_behind(flows: Flows) -> None:
    execution, another = flows.start(QUESTION), flows.start(QUESTION)
    token, other_token = flows.answer_token(execution), flows.answer_token(another)

    flows.stop(execution)

    shown = flows.people.post("/questions", {"answer_token": token}).document
    assert (shown["status"], shown["reason"]) == ("revoked", "The run that asked has ended.")
    late = flows.choose(token, "Approve")
    assert (late.status, late.code) == (410, "revoked")
    assert flows.choose(other_token, "Approve").document["delivery"] == "delivered"
    assert flows.output(another)["decision"] == "approved"


def test_all_questions_of_a_stopped_execution_are_revoked(flows: Flows) -> None:
    execution = flows.start(QUESTION, flows.machine(in_a_map(approval_flow(MINT))))
    keys = flows.keys(execution, 2)
    for key in keys:
        flows.answer_token(key)

    flows.stop(execution)

    assert [flows.row(key)["status"]["S"] for key in keys] == ["revoked", "revoked"]


def test_a_sweep_leaves_an_open_pause_alone(flows: Flows) -> None:
    execution = flows.start(QUESTION)
    token = flows.answer_token(execution)

    flows.sweep(ahead=0)

    assert flows.choose(token, "Approve").status == 200
    assert flows.output(execution)["decision"] == "approved"


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"question": ""}, "payload.questions[0].question"),
        ({"ttl_seconds": 1}, "ttl_seconds"),
        ({"scope": "acme"}, "scope"),
    ],
)
def test_an_input_that_cannot_be_asked_is_refused_by_name(flows: Flows, wrong: dict[str, Any], named: str) -> None:
    ended = flows.ended(flows.start(QUESTION | wrong))

    assert (ended["status"], ended["error"]) == ("FAILED", "Askback.BadRequest")
    assert named in ended["cause"]


def test_an_answer_outside_the_options_leaves_the_execution_waiting(flows: Flows) -> None:
    execution = flows.start(QUESTION)
    token = flows.answer_token(execution)

    refused = flows.choose(token, "Maybe")

    assert (refused.status, refused.code) == (422, "answer-invalid")
    assert flows.choose(token, "Reject").status == 200
    assert flows.output(execution)["decision"] == "rejected"


def test_the_same_answer_twice_continues_the_execution_once(flows: Flows) -> None:
    execution = flows.start(QUESTION)
    token = flows.answer_token(execution)
    response = flows.choice(token, "Approve")

    first, again = flows.answer(token, response), flows.answer(token, response)
    output = flows.output(execution)
    after_the_end = flows.answer(token, response)

    assert [each.status for each in (first, again, after_the_end)] == [200, 200, 200]
    assert [each.document["replayed"] for each in (first, again, after_the_end)] == [False, True, True]
    assert len({each.document["answered_at"] for each in (first, again, after_the_end)}) == 1
    assert output["decision"] == "approved"
    assert len(flows.events(execution, "TaskSucceeded")) == 1


def test_a_long_continuation_delays_no_reply_and_runs_once(flows: Flows) -> None:
    """A-29: the work that follows is outside the request, so a repeat gets a definite answer while it goes on."""
    definition = approval_flow(MINT, Next="Work")
    definition["States"]["Work"] = {"Type": "Wait", "Seconds": 600, "Next": "Decide"}
    execution = flows.start(QUESTION, flows.machine(definition))
    token = flows.answer_token(execution)
    response = flows.choice(token, "Approve")

    first = flows.answer(token, response)
    flows.until(lambda: flows.events(execution, "WaitStateEntered"), "the work")
    again, other = flows.answer(token, response), flows.choose(token, "Reject")

    assert (first.status, first.document["delivery"]) == (200, "delivered")
    assert (again.status, again.document["replayed"]) == (200, True)
    assert (other.status, other.code) == (409, "already-answered")
    assert flows.step_functions.describe_execution(executionArn=execution)["status"] == "RUNNING"
    assert len(flows.events(execution, "WaitStateEntered")) == 1


def test_another_answer_is_told_when_the_first_was_given(flows: Flows) -> None:
    execution = flows.start(QUESTION)
    token = flows.answer_token(execution)

    first, other = flows.choose(token, "Approve"), flows.choose(token, "Reject")

    assert (other.status, other.code) == (409, "already-answered")
    assert other.document["answered_at"] == first.document["answered_at"]
    assert flows.output(execution)["decision"] == "approved"


def test_an_answer_after_the_state_timed_out_is_told_that_nobody_waits(flows: Flows) -> None:
    execution = flows.start(QUESTION, flows.machine(approval_flow(MINT, TimeoutSeconds=1)))
    token = flows.answer_token(execution)
    response = flows.choice(token, "Approve")

    assert flows.output(execution) == {"decision": "expired", "reason": "States.Timeout"}
    for _ in range(2):
        late = flows.answer(token, response)
        assert (late.status, late.code, late.document["retryable"]) == (410, "waiter-gone", False)


def test_an_answer_after_the_execution_was_stopped_is_told_that_nobody_waits(flows: Flows) -> None:
    execution = flows.start(QUESTION)
    token = flows.answer_token(execution)

    flows.step_functions.stop_execution(executionArn=execution)

    assert flows.ended(execution)["status"] == "ABORTED"
    late = flows.choose(token, "Approve")
    assert (late.status, late.code) == (410, "waiter-gone")
