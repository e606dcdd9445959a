"""Our agent serves a task over A2A, and the task waits for a person.

| the person who answers | the state of the open pause |
|---|---|
| the user of the other agent, with a message of the task | `TASK_STATE_INPUT_REQUIRED`, with the question |
| another person, with a link or signed in | `TASK_STATE_AUTH_REQUIRED`, without the question |

`TASK_STATE_WORKING` would keep a client that waits for the reply on the line for days.
"""

from collections.abc import Mapping
from typing import Any, Final

from askback.a2a.parts import METADATA, data_part, text_of, text_part, texts_and_data
from askback.domain.delivery.reported import ANSWERED, ERASED, EXPIRED, REVOKED, SUPERSEDED, Outcome, reported
from askback.domain.errors import InvalidRequest
from askback.domain.interactions.flat_answers import (
    APPROVAL,
    ASK_USER,
    FORM,
    OpenPause,
    flat_schema,
    question_text,
    read_flat,
)
from askback.domain.json_text import Json
from askback.domain.timestamps import rfc3339

INPUT_REQUIRED: Final = "TASK_STATE_INPUT_REQUIRED"
AUTH_REQUIRED: Final = "TASK_STATE_AUTH_REQUIRED"
WORKING: Final = "TASK_STATE_WORKING"
COMPLETED: Final = "TASK_STATE_COMPLETED"
REJECTED: Final = "TASK_STATE_REJECTED"
FAILED: Final = "TASK_STATE_FAILED"
CANCELED: Final = "TASK_STATE_CANCELED"

_WITHOUT_ANSWER = {
    EXPIRED: (FAILED, "No person answered in time. This is not an approval."),
    REVOKED: (CANCELED, "The question was revoked. This is not an approval."),
    SUPERSEDED: (INPUT_REQUIRED, "A newer question has replaced this one. This is not an approval."),
    ERASED: (FAILED, "The answer was erased. This is not an approval."),
}


def waiting_status(
    pause: OpenPause, *, task_id: str, context_id: str, at: int, user_answers: bool = True
) -> dict[str, Any]:
    """Return the status of a task that waits for this pause; `at` is the time now, in epoch seconds.

    With `user_answers` the message has the question as text, and in a data part the schema of the answer. Otherwise it
    has only the id and the deadline: what another person is asked is not the business of the agent that waits.
    """
    about: dict[str, Any] = {"jti": pause.jti, "expiresAt": rfc3339(pause.expires_at)}
    if not user_answers:
        parts = [text_part(f"Waiting for a person to decide, until {about['expiresAt']}.")]
        return _status(AUTH_REQUIRED, parts, about, task_id=task_id, context_id=context_id, at=at)
    question = {"name": pause.name, "payload": dict(pause.payload)}
    schema = flat_schema(pause.name, pause.payload)
    asked = data_part(question if schema is None else {**question, "responseSchema": schema})
    parts = [text_part(question_text(pause.name, pause.payload)), asked]
    return _status(INPUT_REQUIRED, parts, about, task_id=task_id, context_id=context_id, at=at)


def ended_status(
    outcome: Outcome, *, task_id: str, context_id: str, at: int, answer_is_result: bool = False
) -> dict[str, Any]:
    """Return the status of a task whose pause has ended.

    An answer lets the task go on: `TASK_STATE_WORKING`. The rejection of an action ends a task that was asked for the
    action: `TASK_STATE_REJECTED`. With `answer_is_result`, the task was to ask a person: every answer, a rejection too,
    completes it, and is in a data part. Without an answer the task ends as failed or canceled, and its text says that
    this is no approval. A replaced question leaves the task waiting: show the newer pause with `waiting_status`.

    A task cannot leave one of the last states. If your run goes on without an answer, report that in its own words.

    Raises:
        NotAnswered: the pause is still open.
    """
    end = reported(outcome)
    about: dict[str, Any] = {"jti": end.jti} if end.jti else {}
    about["outcome"] = end.end
    if end.end != ANSWERED:
        state, text = _WITHOUT_ANSWER[end.end]
        return _status(state, [text_part(text)], about, task_id=task_id, context_id=context_id, at=at)
    about |= {"answeredBy": end.answered_by, "assurance": end.assurance, "byPolicy": end.by_policy}
    rejected = end.name == APPROVAL and end.response["decision"] != "approve"
    parts = [text_part("A person has answered." if not end.by_policy else "The default answer was taken.")]
    if answer_is_result:
        return _status(
            COMPLETED, [*parts, data_part(end.response)], about, task_id=task_id, context_id=context_id, at=at
        )
    if rejected:
        parts = [text_part("A person has rejected the action.")]
    return _status(REJECTED if rejected else WORKING, parts, about, task_id=task_id, context_id=context_id, at=at)


def response(message: Mapping[str, Any], pause: OpenPause, *, task_id: str) -> Json:
    """Return the `response` that a user's message of the task gives to its pause, for the client's `resume`.

    A data part has the flat answer. A text alone answers an `ask_user` of one question, by the exact label or as free
    text where that is allowed, and a form of one text field. It never answers an approval: words that only look like a
    yes must not run an action.

    Raises:
        InvalidRequest: the message is not a user's, is of another task, or is not an answer to this question.
    """
    if message.get("role") != "ROLE_USER":
        raise InvalidRequest.of_field("message.role", "must be ROLE_USER")
    if text_of(message, "taskId", of="message") != task_id:
        raise InvalidRequest.of_field("message.taskId", "must be the task that waits")
    texts, data = texts_and_data(message)
    if len(data) > 1 or (not data and len(texts) != 1):
        raise InvalidRequest.of_field("message.parts", "must have one data part, or one text")
    flat = data[0] if data else _flat_of_text(texts[0], pause)
    return read_flat(pause.name, pause.payload, flat, at="message.parts.data" if data else "message.parts.text")


def _flat_of_text(text: str, pause: OpenPause) -> Json:
    if pause.name == ASK_USER and len(pause.payload["questions"]) == 1:
        return {pause.payload["questions"][0]["id"]: text.strip()}
    if pause.name == FORM:
        fields = pause.payload["schema"]["properties"]
        if len(fields) == 1 and all(field.get("type") == "string" for field in fields.values()):
            return dict.fromkeys(fields, text)
    raise InvalidRequest.of_field("message.parts", "must have a data part with the answer to this question")


def _status(
    state: str, parts: list[dict[str, Any]], about: dict[str, Any], *, task_id: str, context_id: str, at: int
) -> dict[str, Any]:
    # The same pause in the same state gives the same message: a status that is reported again is no new message.
    message_id = f"{about.get('jti', task_id)}/{state.removeprefix('TASK_STATE_').lower()}"
    message = {
        "messageId": message_id,
        "role": "ROLE_AGENT",
        "taskId": task_id,
        "contextId": context_id,
        "parts": parts,
        "metadata": {METADATA: about},
    }
    return {"state": state, "message": message, "timestamp": rfc3339(at)}
