"""A task of ours that waits for a person: its statuses, and a user's message as an answer that the deployment takes."""

from dataclasses import replace
from typing import Any

import pytest

from askback import (
    InvalidRequest,
    IssuedPause,
    NotAnswered,
    PauseErased,
    PauseExpired,
    PauseRevoked,
    PauseSuperseded,
    approval,
    approve,
    ask_user,
    choose,
    form,
    question,
    reject,
)
from askback.a2a.serving import ended_status, response, waiting_status
from askback.domain.errors import HumanInteractionError
from askback.testing.deployment import InProcessDeployment

PAY = approval("Pay?", action="pay", arguments={"order": "A-1009", "count": 1}, editable={"count": {"type": "integer"}})
REFUND = ask_user(question("Refund?", ["Yes", "No"]))
WHERE = ask_user(question("Where to?", ["Bank", "Card"], allow_other=True))
BOTH = ask_user(question("Refund?", ["Yes", "No"]), question("Sure?", ["Yes", "No"]))
CITY = form("Which city?", {"city": {"type": "string"}}, required=["city"])
FLOOR = form("Which floor?", {"floor": {"type": "integer"}}, required=["floor"])
TASK: dict[str, Any] = {"task_id": "task-1", "context_id": "context-1", "at": 1_790_000_000}


class Waiting:
    """A deployment in memory with one open pause."""

    def __init__(self, asked: Any) -> None:
        self.deployment = InProcessDeployment()
        self.client = self.deployment.client()
        self.pause: IssuedPause = self.client.pause(
            *asked,
            run_id="run-1",
            scope="acme",
            ttl_seconds=86_400,
            tool_call_id="call_1",
            messages=[{"role": "user", "content": "Refund order A-1009."}],
            idempotency_key="run-1/call_1",
        )

    def status(self, **options: Any) -> dict[str, Any]:
        try:
            outcome = self.client.outcome(self.pause.pause_token, scope="acme")
        except HumanInteractionError as ended:
            return ended_status(ended, **TASK, **options)
        return ended_status(outcome, **TASK, **options)


def a_message(*parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"messageId": "m", "role": "ROLE_USER", "taskId": "task-1", "parts": list(parts)} | fields


def test_the_users_own_question_is_in_the_status() -> None:
    pause = Waiting(PAY).pause
    status = waiting_status(pause, **TASK)
    message = status["message"]
    text, data = message["parts"]
    assert (status["state"], status["timestamp"]) == ("TASK_STATE_INPUT_REQUIRED", "2026-09-21T14:13:20Z")
    assert (message["taskId"], message["contextId"], message["role"]) == ("task-1", "context-1", "ROLE_AGENT")
    assert text["text"] == "Pay?"
    assert data["data"]["payload"] == pause.payload
    assert data["data"]["responseSchema"]["required"] == ["approved"]
    assert message["metadata"]["askback"]["jti"] == pause.jti


def test_another_persons_question_is_not_shown_to_the_agent_that_waits() -> None:
    pause = Waiting(PAY).pause
    status = waiting_status(pause, **TASK, user_answers=False)
    assert status["state"] == "TASK_STATE_AUTH_REQUIRED"
    assert status["message"]["metadata"]["askback"]["jti"] == pause.jti
    assert "Pay?" not in repr(status)
    assert "A-1009" not in repr(status)


@pytest.mark.parametrize("user_answers", [True, False])
def test_no_token_and_no_link_is_shown(user_answers: bool) -> None:
    deployment = InProcessDeployment(return_links=True)
    pause = deployment.client().pause(
        *REFUND, run_id="r", scope="acme", ttl_seconds=60, tool_call_id="c", idempotency_key="k"
    )
    shown = repr(waiting_status(pause, **TASK, user_answers=user_answers))
    assert pause.pause_token
    assert pause.answer_token
    assert not [secret for secret in (pause.pause_token, pause.answer_token, str(pause.answer_link)) if secret in shown]


def test_a_question_of_your_own_has_no_schema() -> None:
    pause = replace(Waiting(PAY).pause, name="sign_off", payload={"text": "?"})
    assert waiting_status(pause, **TASK)["message"]["parts"][1]["data"] == {
        "name": "sign_off",
        "payload": {"text": "?"},
    }


@pytest.mark.parametrize(
    ("asked", "answer", "state", "as_result"),
    [
        (PAY, approve(), "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"),
        (PAY, reject(), "TASK_STATE_REJECTED", "TASK_STATE_COMPLETED"),
        (CITY, {"city": "Zürich"}, "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"),
    ],
)
def test_an_answer_lets_the_task_go_on_and_a_rejection_ends_it(
    asked: Any, answer: Any, state: str, as_result: str
) -> None:
    waiting = Waiting(asked)
    waiting.deployment.answer(waiting.pause, answer, by="ada")
    status = waiting.status()
    assert status["state"] == state
    assert status["message"]["metadata"]["askback"] == {
        "jti": waiting.pause.jti,
        "outcome": "answered",
        "answeredBy": "ada",
        "assurance": "signed_in",
        "byPolicy": False,
    }
    completed = waiting.status(answer_is_result=True)
    assert completed["state"] == as_result
    assert answer.items() <= completed["message"]["parts"][1]["data"].items()


def test_a_default_answer_says_so() -> None:
    outcome = {
        "outcome": "answered",
        "name": "form",
        "interrupt_id": "",
        "response": {"city": "Bern"},
        "by_policy": True,
    }
    status = ended_status(outcome, **TASK)
    assert status["message"]["parts"][0]["text"] == "The default answer was taken."
    assert status["message"]["metadata"]["askback"]["byPolicy"] is True


@pytest.mark.parametrize("asked", [PAY, REFUND, CITY], ids=["approval", "ask_user", "form"])
@pytest.mark.parametrize(("end", "state"), [("expired", "TASK_STATE_FAILED"), ("revoked", "TASK_STATE_CANCELED")])
@pytest.mark.parametrize("answer_is_result", [False, True])
def test_a_task_without_an_answer_never_goes_on(asked: Any, end: str, state: str, answer_is_result: bool) -> None:
    waiting = Waiting(asked)
    waiting.deployment.expire(waiting.pause) if end == "expired" else waiting.deployment.revoke(waiting.pause)
    status = waiting.status(answer_is_result=answer_is_result)
    assert status["state"] == state
    assert status["message"]["parts"][0]["text"].endswith("This is not an approval.")
    assert len(status["message"]["parts"]) == 1


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (PauseExpired(), "TASK_STATE_FAILED"),
        (PauseErased(), "TASK_STATE_FAILED"),
        (PauseRevoked(), "TASK_STATE_CANCELED"),
        (PauseSuperseded(), "TASK_STATE_INPUT_REQUIRED"),
    ],
    ids=str,
)
def test_each_end_has_its_state(error: HumanInteractionError, state: str) -> None:
    assert ended_status(error, **TASK)["state"] == state


def test_an_open_pause_has_no_end() -> None:
    with pytest.raises(NotAnswered):
        Waiting(PAY).status()


def test_a_status_that_is_reported_again_is_the_same_message() -> None:
    pause = Waiting(PAY).pause
    first, again = (waiting_status(pause, **TASK)["message"]["messageId"] for _ in range(2))
    assert first == again == f"{pause.jti}/input_required"


@pytest.mark.parametrize(
    ("asked", "parts", "recorded"),
    [
        (PAY, [{"data": {"approved": True}}], {"decision": "approve"}),
        (PAY, [{"text": "Yes, go on."}, {"data": {"approved": False}}], {"decision": "reject"}),
        (
            PAY,
            [{"data": {"approved": True, "editedArgs": {"order": "A-1009", "count": 2.0}}}],
            {"arguments": {"order": "A-1009", "count": 2}},
        ),
        (CITY, [{"text": "Zürich"}], {"city": "Zürich"}),
        (CITY, [{"data": {"city": "Zürich"}}, {"raw": "aGk="}], {"city": "Zürich"}),
        (FLOOR, [{"data": {"floor": 3.0}}], {"floor": 3}),
    ],
)
def test_a_users_message_is_an_answer_that_the_deployment_takes(asked: Any, parts: Any, recorded: Any) -> None:
    waiting = Waiting(asked)
    answer = response(a_message(*parts), waiting.pause, task_id="task-1")
    done = waiting.client.resume(waiting.pause.pause_token, answer, scope="acme", answerer="ada@example.com")
    assert recorded.items() <= done.response.items()


@pytest.mark.parametrize(("asked", "text"), [(REFUND, " Yes\n"), (WHERE, "In cash")])
def test_a_text_answers_one_question_by_its_label_or_as_free_text_where_that_is_allowed(asked: Any, text: str) -> None:
    waiting = Waiting(asked)
    answer = response(a_message({"text": text}), waiting.pause, task_id="task-1")
    (given,) = answer["answers"]
    assert [text.strip()] == [*given["selections"], *filter(None, [given.get("other")])]
    waiting.client.resume(waiting.pause.pause_token, answer, scope="acme", answerer="ada@example.com")


@pytest.mark.parametrize(
    ("asked", "message", "field"),
    [
        (PAY, a_message({"text": "approve"}), "message.parts"),
        (PAY, a_message({"text": "Yes"}), "message.parts"),
        (PAY, a_message({"data": {"approved": "yes"}}), "message.parts.data.approved"),
        (PAY, a_message({"data": {"approved": True}}, {"data": {"approved": False}}), "message.parts"),
        (PAY, a_message({"data": {"approved": True}}, role="ROLE_AGENT"), "message.role"),
        (PAY, a_message({"data": {"approved": True}}, taskId="task-2"), "message.taskId"),
        (PAY, {"role": "ROLE_USER", "parts": []}, "message.taskId"),
        (PAY, a_message(), "message.parts"),
        (PAY, a_message(parts="approve"), "message.parts"),
        (PAY, a_message({"text": 1}), "message.parts.text"),
        (REFUND, a_message({"text": "yes"}), "message.parts.text.*"),
        (REFUND, a_message({"text": "Yes"}, {"text": "No"}), "message.parts"),
        (BOTH, a_message({"text": "Yes"}), "message.parts"),
        (FLOOR, a_message({"text": "3"}), "message.parts"),
    ],
)
def test_a_message_that_is_no_answer_is_refused_with_its_field(asked: Any, message: Any, field: str) -> None:
    pause = Waiting(asked).pause
    with pytest.raises(InvalidRequest) as refused:
        response(message, pause, task_id="task-1")
    (error,) = refused.value.errors
    assert error.field == field or (field.endswith("*") and error.field.startswith(field[:-1]))


def test_choose_and_a_data_part_say_the_same() -> None:
    pause = Waiting(REFUND).pause
    (asked,) = pause.payload["questions"]
    assert response(a_message({"data": {asked["id"]: "Yes"}}), pause, task_id="task-1") == choose(pause, "Yes")
