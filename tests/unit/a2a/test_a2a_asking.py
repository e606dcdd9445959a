"""Another agent's task that asks, its pause in a deployment in memory, and the message that continues the task."""

from typing import Any

import pytest

from askback import (
    InvalidRequest,
    IssuedPause,
    PauseExpired,
    PauseRevoked,
    approval,
    approve,
    ask_user,
    question,
    reject,
)
from askback.a2a.asking import answering_message, pause_fields
from askback.a2a.serving import response, waiting_status
from askback.testing.deployment import InProcessDeployment

PAY = approval("Pay?", action="pay", arguments={"count": 1}, editable={"count": {"type": "integer"}})
REFUND = ask_user(question("Refund?", ["Yes", "No"]))


def a_task(*parts: dict[str, Any], state: str = "TASK_STATE_INPUT_REQUIRED", **fields: Any) -> dict[str, Any]:
    message = {"messageId": "m-1", "role": "ROLE_AGENT", "parts": list(parts)}
    return {"id": "task-1", "contextId": "context-1", "status": {"state": state, "message": message}} | fields


def asked(task: dict[str, Any]) -> tuple[InProcessDeployment, IssuedPause]:
    deployment = InProcessDeployment()
    fields = pause_fields(task, run_id="run-1", ttl_seconds=86_400)
    return deployment, deployment.client().pause(**fields, scope="acme")


def answered(task: dict[str, Any], answer: Any) -> dict[str, Any]:
    deployment, pause = asked(task)
    deployment.answer(pause, answer, by="ada")
    return answering_message(task, deployment.client().outcome(pause.pause_token, scope="acme"))


def test_words_are_answered_in_words() -> None:
    task = a_task({"text": "Which city?"})
    message = answered(task, {"answer": "Zürich"})
    assert [part["text"] for part in message["parts"]] == ["Zürich"]
    assert (message["role"], message["taskId"], message["contextId"]) == ("ROLE_USER", "task-1", "context-1")
    assert message["metadata"]["askback"]["answeredBy"] == "ada"


def test_a_schema_is_answered_with_its_fields() -> None:
    schema = {"type": "object", "properties": {"floor": {"type": "integer"}}, "required": ["floor"]}
    message = answered(a_task({"text": "Which floor?"}, {"data": {"responseSchema": schema}}), {"floor": 3})
    assert [part["data"] for part in message["parts"]] == [{"floor": 3}]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (PAY, approve(comment="Fine.", edits={"count": 2})),
        (PAY, reject()),
        (REFUND, "No"),
    ],
)
def test_two_agents_with_askback_understand_each_other(question: Any, answer: Any) -> None:
    """The first serves the task, the second asks its own people, and the first takes the message as the answer."""
    first = InProcessDeployment()
    pause = first.client().pause(*question, run_id="r", scope="acme", ttl_seconds=60, tool_call_id="c", messages=[{}])
    status = waiting_status(pause, task_id="task-1", context_id="context-1", at=0)
    task = {"id": "task-1", "contextId": "context-1", "status": status}
    fields = {pause.payload["questions"][0]["id"]: answer} if isinstance(answer, str) else answer
    given = response(answered(task, fields), pause, task_id="task-1")
    done = first.client().resume(pause.pause_token, given, scope="acme", answerer="the other agent's people")
    if isinstance(answer, str):
        assert done.response["answers"][0]["selections"] == [answer]
    else:
        assert (done.response["decision"], done.response["comment"]) == (answer["decision"], answer.get("comment"))
        assert done.response["arguments"] == ({"count": 2} if answer["decision"] == "approve" else None)


def test_a_long_question_is_the_text_below_a_title() -> None:
    _, pause = asked(a_task({"text": "Which city? " * 30}))
    assert pause.payload["title"] == "A question"
    assert pause.payload["description"].startswith("Which city?")


def test_the_same_status_again_asks_nothing_new() -> None:
    deployment, pause = asked(a_task({"text": "Which city?"}))
    fields = pause_fields(a_task({"text": "Which city?"}), run_id="run-1", ttl_seconds=86_400)
    assert deployment.client().pause(**fields, scope="acme").jti == pause.jti


@pytest.mark.parametrize("error", [PauseExpired, PauseRevoked])
def test_without_an_answer_there_is_no_message(error: Any) -> None:
    with pytest.raises(error):
        answering_message(a_task({"text": "?"}), error())
    end = {PauseExpired: "expired", PauseRevoked: "revoked"}[error]
    with pytest.raises(error):
        answering_message(a_task({"text": "?"}), {"outcome": end, "delivery_id": "j"})


def test_an_answer_to_another_task_is_no_message_for_this_one() -> None:
    outcome = {"name": "form", "interrupt_id": "task-2", "response": {"answer": "x"}}
    with pytest.raises(InvalidRequest):
        answering_message(a_task({"text": "?"}), outcome)


@pytest.mark.parametrize(
    ("task", "field"),
    [
        (a_task({"text": "Sign in."}, state="TASK_STATE_AUTH_REQUIRED"), "task.status.state"),
        (a_task({"text": "Done."}, state="TASK_STATE_COMPLETED"), "task.status.state"),
        (a_task({"text": "?"}, status="waiting"), "task.status.state"),
        (a_task(status={"state": "TASK_STATE_INPUT_REQUIRED"}), "task.status.message"),
        (a_task(), "task.status.message.parts"),
        (a_task({"text": " "}), "task.status.message.parts"),
        (a_task({"text": "?"}, id=""), "task.id"),
        (a_task({"text": "?"}, contextId=None), "task.contextId"),
    ],
)
def test_a_task_that_does_not_ask_is_refused_with_its_field(task: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        pause_fields(task, run_id="run-1", ttl_seconds=60)
    assert [error.field for error in refused.value.errors] == [field]
