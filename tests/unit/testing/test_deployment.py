"""The deployment of the fixture `askback`: the deployed rules, people who answer, and a clock that the test moves."""

from datetime import timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from askback import (
    AlreadyAnswered,
    AnswererNotAllowed,
    AnswerInvalid,
    IssuedPause,
    NotAnswered,
    PauseExpired,
    PauseRevoked,
    ScopeMismatch,
    TokenRejected,
    UnknownInteraction,
    approval,
    approve,
    ask_user,
    choose,
    form,
    question,
    reject,
)
from askback.domain.interactions.registry import InteractionRegistration, InteractionRegistry
from askback.testing.deployment import InProcessDeployment

REFUND = ask_user(question("Refund 49.90 EUR?", ["Approve", "Reject"], header="Refund"))


def a_pause(askback: InProcessDeployment, asked: tuple[str, dict[str, Any]] = REFUND, **over: Any) -> IssuedPause:
    name, payload = asked
    request = {
        "run_id": "run-1",
        "scope": "acme/eu",
        "ttl_seconds": timedelta(hours=1),
        "tool_call_id": "call-1",
        "messages": [{"role": "user", "content": "Refund order A-1009"}],
        **over,
    }
    return askback.client().pause(name, payload, **request)


def test_a_person_answers_through_the_link_and_the_run_goes_on(askback: InProcessDeployment) -> None:
    pause = a_pause(askback)
    receipt = askback.answer(pause, choice="Approve")
    outcome = askback.client().outcome(pause)
    assert (receipt.answered_by, receipt.answered_via) == ("link", "link")
    assert outcome.response["answers"][0]["selections"] == ["Approve"]
    assert outcome.turn is not None
    assert outcome.turn.messages[0]["content"] == "Refund order A-1009"


def test_d_43_the_clock_moves_by_hand_and_the_default_answer_counts(askback: InProcessDeployment) -> None:
    default = {"policy": "default", "response": {"answers": [{"selections": ["Reject"]}]}}
    pause = a_pause(askback, ttl_seconds=300, on_expiry=default)
    assert askback.clock.advance(299) == {}
    assert askback.clock.advance(96) == {"AnsweredByPolicy": 1}
    outcome = askback.client().outcome(pause)
    assert (outcome.response["answers"][0]["selections"], outcome.answered_by) == (["Reject"], "policy")


@pytest.mark.parametrize("duration", [-1, -0.5, timedelta(seconds=-1), float("inf"), float("nan")])
def test_the_clock_goes_forward_only(askback: InProcessDeployment, duration: float | timedelta) -> None:
    before = askback.clock.exactly()
    with pytest.raises(ValueError, match="forward only"):
        askback.clock.advance(duration)
    assert askback.clock.exactly() == before


def test_a_person_who_has_signed_in_is_recorded_by_name(askback: InProcessDeployment) -> None:
    receipt = askback.answer(a_pause(askback, approvers=["ada"]), choice="Reject", by="ada")
    assert (receipt.answered_by, receipt.answered_via) == ("ada", "jwt")


def test_only_an_approver_may_answer(askback: InProcessDeployment) -> None:
    pause = a_pause(askback, approvers=["ada"])
    with pytest.raises(AnswererNotAllowed):
        askback.answer(pause, choice="Approve", by="bob")


def test_the_rules_of_an_answer_are_the_deployed_ones(askback: InProcessDeployment) -> None:
    pause = a_pause(askback)
    with pytest.raises(AnswerInvalid, match="must be among the labels 'Approve', 'Reject'"):
        askback.answer(pause, choice="Maybe")
    askback.answer(pause, choice="Approve")
    with pytest.raises(AlreadyAnswered):
        askback.answer(pause, choice="Reject")


def test_a_token_is_good_in_its_scope_and_on_its_route_alone(askback: InProcessDeployment) -> None:
    pause = a_pause(askback)
    client = askback.client()
    with pytest.raises(ScopeMismatch):
        client.resume(pause, choose(pause, "Approve"), scope="globex")
    with pytest.raises(TokenRejected):
        client.answer(pause.pause_token, choose(pause, "Approve"))


def test_a_pause_expires_when_its_time_passes(askback: InProcessDeployment) -> None:
    pause = a_pause(askback)
    askback.clock.advance(timedelta(minutes=59))
    with pytest.raises(NotAnswered):
        askback.client().outcome(pause)
    askback.clock.advance(60)
    with pytest.raises(PauseExpired):
        askback.client().outcome(pause)


def test_an_expired_pause_takes_no_answer(askback: InProcessDeployment) -> None:
    pause = a_pause(askback)
    askback.expire(pause)
    with pytest.raises(PauseExpired):
        askback.answer(pause, choice="Approve")


def test_a_default_answer_stands_in(askback: InProcessDeployment) -> None:
    default = {"policy": "default", "response": {"answers": [{"selections": ["Reject"]}]}}
    pause = a_pause(askback, on_expiry=default)
    askback.expire(pause)
    assert askback.client().outcome(pause).answered_by == "policy"


def test_an_operator_revokes_a_question(askback: InProcessDeployment) -> None:
    pause = a_pause(askback)
    askback.revoke(pause)
    with pytest.raises(PauseRevoked):
        askback.client().outcome(pause)


def test_a_run_that_waits_gets_its_outcome(askback: InProcessDeployment) -> None:
    pause = a_pause(askback, waiter={"kind": "step_functions", "task_token": "task-1"})
    assert askback.answer(pause, choice="Approve").delivery == "delivered"
    ((how, _),) = askback.services.waiters.outcomes["task-1"]
    assert how == "success"


def test_code_that_pauses_and_waits_in_one_call_gets_its_answer(askback: InProcessDeployment) -> None:
    askback.answer_each(lambda pause: choose(pause, "Approve"))
    outcome = askback.client().wait(a_pause(askback))
    assert outcome.response["answers"][0]["selections"] == ["Approve"]


def test_the_deployment_lists_each_pause_once(askback: InProcessDeployment) -> None:
    first = a_pause(askback, idempotency_key="run-1/call-1")
    again = a_pause(askback, idempotency_key="run-1/call-1")
    assert askback.pauses == [first]
    assert again.jti == first.jti
    assert askback.pauses[0].scope == first.scope


def test_every_built_in_interaction_can_be_asked(askback: InProcessDeployment) -> None:
    asked = approval("Refund?", action="refund", arguments={"amount": 49.9})
    assert askback.answer(a_pause(askback, asked), approve()).response["decision"] == "approve"
    pause = a_pause(askback, asked, tool_call_id="call-2")
    assert askback.answer(pause, reject(comment="No.")).response["arguments"] is None
    fields = form("Address", {"city": {"type": "string"}}, required=["city"])
    pause = a_pause(askback, fields, tool_call_id="call-3")
    assert askback.answer(pause, {"city": "Ulm"}).response == {"city": "Ulm"}


@pytest.mark.parametrize("given", [{}, {"response": {}, "choice": "Approve"}])
def test_an_answer_is_given_in_one_way(askback: InProcessDeployment, given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="either a response or a choice"):
        askback.answer(a_pause(askback), **given)


class Prompt(BaseModel):
    text: str


class TestOwnInteractions:
    @pytest.fixture
    def askback_registry(self) -> InteractionRegistry:
        return InteractionRegistry(
            [InteractionRegistration(name="sure", payload_schema=Prompt, response_schema=bool, allow_link=True)]
        )

    def test_a_registry_of_the_tests_own_is_asked_for(self, askback: InProcessDeployment) -> None:
        pause = a_pause(askback, ("sure", {"text": "Sure?"}))
        assert askback.answer(pause, False).response is False

    def test_it_replaces_the_built_in_interactions(self, askback: InProcessDeployment) -> None:
        with pytest.raises(UnknownInteraction, match=r"it knows sure$"):
            a_pause(askback)


def test_two_deployments_share_nothing(askback: InProcessDeployment) -> None:
    other = InProcessDeployment()
    pause = a_pause(askback)
    with pytest.raises(TokenRejected):
        other.client().outcome(pause)
    assert pause.pause_token not in repr(askback.services)
    assert askback.services.key_ring not in repr(askback.services)
