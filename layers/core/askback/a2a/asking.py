"""Another agent's task asks for input, and a person answers through askback.

`pause_fields` gives the pause of a task that waits, and `answering_message` the message that continues the task. The
task's status message is the question: its text, and the form of the answer from a data part, as `serving` writes it.
"""

from collections.abc import Mapping
from typing import Any, Final

from askback.a2a.parts import METADATA, data_part, text_of, text_part, texts_and_data
from askback.domain.delivery.reported import ANSWERED, Outcome, Reported, reported
from askback.domain.errors import (
    HumanInteractionError,
    InvalidRequest,
    PauseErased,
    PauseExpired,
    PauseRevoked,
    PauseSuperseded,
)
from askback.domain.interactions.flat_answers import APPROVAL, FORM, flat_decision

FIELD: Final = "answer"
"""The only field of the form for a question in words."""
TITLE_MAX_CHARACTERS: Final = 200
_WORDS: Final = {"type": "string"}
_ASKS: Final = "TASK_STATE_INPUT_REQUIRED"
_NO_ANSWER = {"expired": PauseExpired, "revoked": PauseRevoked, "superseded": PauseSuperseded, "erased": PauseErased}


def pause_fields(task: Mapping[str, Any], *, run_id: str, ttl_seconds: int) -> dict[str, Any]:
    """Return the arguments of the client's `pause` for a task that waits for input; the caller adds the scope.

    An approval is asked as one, a `responseSchema` as a form, and words as a form of one text. The context is the
    thread, and the task the interrupt. The status message names the pause, so the same status again asks nothing new.

    Raises:
        InvalidRequest: the task does not wait for input, or its status has no question. `TASK_STATE_AUTH_REQUIRED`
            wants something that no message gives, such as a sign-in at the other agent.
    """
    status = task.get("status")
    if not isinstance(status, Mapping) or status.get("state") != _ASKS:
        raise InvalidRequest.of_field("task.status.state", f"must be {_ASKS}")
    message, task_id = status.get("message"), text_of(task, "id", of="task")
    if not isinstance(message, Mapping):
        raise InvalidRequest.of_field("task.status.message", "must have the question")
    name, payload = _asked(message)
    return {
        "name": name,
        "payload": payload,
        "interrupt_id": task_id,
        "tool_call_id": task_id,
        "idempotency_key": f"{run_id}/{text_of(message, 'messageId', of='task.status.message')}",
        "thread_id": text_of(task, "contextId", of="task"),
        "run_id": run_id,
        "ttl_seconds": ttl_seconds,
    }


def answering_message(task: Mapping[str, Any], outcome: Outcome) -> dict[str, Any]:
    """Return the user's message that gives the task its answer. Send it with `SendMessage`.

    Its id follows from the pause, so the same answer sent again is the same message.

    Raises:
        NotAnswered: the pause is still open.
        PauseExpired, PauseRevoked, PauseSuperseded, PauseErased: there is no answer, and so no message. Cancel the task
            with `CancelTask` if nothing else can answer it.
        InvalidRequest: the outcome is that of another task.
    """
    end, task_id = reported(outcome), text_of(task, "id", of="task")
    if end.end != ANSWERED:
        raise outcome if isinstance(outcome, HumanInteractionError) else _NO_ANSWER[end.end]
    if end.interrupt_id != task_id:
        raise InvalidRequest.of_field("outcome.interrupt_id", "must be the id of the task")
    about = {"jti": end.jti, "answeredBy": end.answered_by, "assurance": end.assurance, "byPolicy": end.by_policy}
    return {
        "messageId": f"{end.jti}/answer",
        "role": "ROLE_USER",
        "taskId": task_id,
        "contextId": text_of(task, "contextId", of="task"),
        "parts": _parts(end),
        "metadata": {METADATA: about},
    }


def _asked(message: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    texts, data = texts_and_data(message)
    text = "\n".join(texts).strip()
    for each in data:
        match each:
            case {"name": "approval", "payload": dict(payload)}:
                return APPROVAL, payload
            case {"responseSchema": dict(schema)}:
                return FORM, {**_title(text), "schema": schema}
    return FORM, {**_title(text), "schema": {"type": "object", "properties": {FIELD: _WORDS}, "required": [FIELD]}}


def _title(text: str) -> dict[str, Any]:
    if not text:
        raise InvalidRequest.of_field("task.status.message.parts", "must have the question")
    return {"title": text} if len(text) <= TITLE_MAX_CHARACTERS else {"title": "A question", "description": text}


def _parts(end: Reported) -> list[dict[str, Any]]:
    if end.name == APPROVAL:
        comment = end.response["comment"]
        return [data_part({**flat_decision(end.response), **({"comment": comment} if comment else {})})]
    if end.name == FORM and list(end.response) == [FIELD]:
        return [text_part(end.response[FIELD])]
    return [data_part(end.response)]
