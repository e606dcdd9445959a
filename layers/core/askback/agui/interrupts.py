"""An AG-UI agent has stopped with interrupts, and people answer them through askback.

`open_interrupts` reads the event, `pause_fields` gives the pause of each interrupt, and `resume_entry` turns its
outcome into an entry of the next run's `resume`.

**Only an answer is an answer.** An expired, revoked, replaced or erased pause becomes an entry with the status
`cancelled` and without a payload.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from askback.agui.fields import METADATA, text_of
from askback.domain.delivery.reported import ANSWERED, Outcome, Reported, reported
from askback.domain.errors import InvalidRequest, PauseExpired
from askback.domain.interactions.flat_answers import APPROVAL, ASK_USER, FORM, flat_decision
from askback.domain.json_text import Json
from askback.domain.timestamps import stated_time

TITLE_MAX_CHARACTERS: Final = 200
YES, NO = "Yes", "No"
FIELD: Final = "answer"
"""The only field of the form for an interrupt that wants one value."""
_FLAT_TYPES = ("string", "number", "integer", "boolean")


def open_interrupts(event: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the interrupts of a `RUN_FINISHED` event; an empty list when the run ended in another way.

    Raises:
        InvalidRequest: the event is not `RUN_FINISHED`, or an interrupt outcome has no interrupts.
    """
    if event.get("type") != "RUN_FINISHED":
        raise InvalidRequest.of_field("event.type", "must be RUN_FINISHED")
    outcome = event.get("outcome")
    if not isinstance(outcome, Mapping) or outcome.get("type") != "interrupt":
        return []
    interrupts = outcome.get("interrupts")
    if not isinstance(interrupts, list) or not interrupts or not all(isinstance(each, Mapping) for each in interrupts):
        raise InvalidRequest.of_field("event.outcome.interrupts", "must be a list of at least one interrupt")
    return interrupts


def pause_fields(
    interrupt: Mapping[str, Any],
    *,
    thread_id: str,
    run_id: str,
    ttl_seconds: int,
    at: int,
    tool_call: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the arguments of the client's `pause` for an interrupt; the caller adds the scope.

    `thread_id` and `run_id` are those of the run that has stopped. The pause lives for `ttl_seconds`, or to the
    `expiresAt` of the interrupt if that comes first; `at` is the time now, in epoch seconds. `tool_call` is the AG-UI
    tool call that an interrupt with the reason `tool_call` is about: a person must see what they approve. The interrupt
    and its run name the pause, so the same request again asks nothing new.

    Raises:
        PauseExpired: the interrupt can no longer be answered.
        InvalidRequest: the interrupt or the tool call has another form, or the call is missing or another one.
    """
    name, payload = _asked(interrupt, tool_call)
    interrupt_id, call_id = text_of(interrupt, "id"), interrupt.get("toolCallId")
    return {
        "name": name,
        "payload": payload,
        "interrupt_id": interrupt_id,
        # Some interactions need a call. An interrupt without one is its own.
        "tool_call_id": interrupt_id if call_id is None else text_of(interrupt, "toolCallId"),
        "idempotency_key": f"{run_id}/{interrupt_id}",
        "thread_id": thread_id,
        "run_id": run_id,
        "ttl_seconds": _ttl(interrupt, ttl_seconds, at),
    }


def resume_entry(interrupt: Mapping[str, Any], outcome: Outcome) -> dict[str, Any]:
    """Return the entry of `RunAgentInput.resume` that gives an interrupt its answer, or says that there is none.

    `outcome` is a result of the client, a reply, what a waiter received, or the error that the client raised. The
    `metadata` says who answered and how well they are known, and whether it is a default answer (`by_policy`).

    Raises:
        NotAnswered: the pause is still open.
        InvalidRequest: the outcome is that of another interrupt, or of another kind of question.
    """
    end, interrupt_id = reported(outcome), text_of(interrupt, "id")
    if end.interrupt_id not in ("", interrupt_id):
        raise InvalidRequest.of_field("outcome.interrupt_id", "must be the id of the interrupt")
    about: dict[str, Any] = {"outcome": end.end}
    if end.jti:
        about["jti"] = end.jti
    entry: dict[str, Any] = {"interruptId": interrupt_id, "status": "cancelled", "metadata": {METADATA: about}}
    if end.end != ANSWERED:
        return entry
    about |= {"answeredBy": end.answered_by, "assurance": end.assurance, "byPolicy": end.by_policy}
    if isinstance(end.response, Mapping) and end.response.get("comment"):
        about["comment"] = end.response["comment"]
    return {**entry, "status": "resolved", "payload": _payload(interrupt, end)}


def _asked(interrupt: Mapping[str, Any], tool_call: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]]:
    """Return the interaction and its payload for an interrupt. `_payload` reads the same facts on the way back."""
    own = _own(interrupt)
    if own is not None:
        return own
    if _wants_decision(interrupt):
        return APPROVAL, _approval(interrupt, tool_call)
    title, more = _title(interrupt)
    if _wants_yes_or_no(interrupt):
        options = [{"label": YES}, {"label": NO}]
        return ASK_USER, {"questions": [{"question": more or title, "options": options}]}
    schema = interrupt.get("responseSchema") or {"type": "string"}
    if schema.get("type") != "object":
        schema = {"type": "object", "properties": {FIELD: schema}, "required": [FIELD]}
    return FORM, {"title": title, **({"description": more} if more else {}), "schema": schema}


def _payload(interrupt: Mapping[str, Any], end: Reported) -> Json:
    """Return the payload of a resume entry in the form that the interrupt asks for."""
    name, response = end.name, end.response
    own = _own(interrupt)
    expected = own[0] if own else APPROVAL if _wants_decision(interrupt) else None
    expected = expected or (ASK_USER if _wants_yes_or_no(interrupt) else FORM)
    if name != expected:
        raise InvalidRequest.of_field("outcome.name", f"must be {expected}, which the interrupt was asked as")
    if own:
        return response
    if expected == APPROVAL:
        return flat_decision(response)
    if expected == ASK_USER:
        agreed = response["answers"][0]["selections"] == [YES]
        return {"approved": agreed} if _has_approved(interrupt) else agreed
    return response if _schema(interrupt).get("type") == "object" else response[FIELD]


def _own(interrupt: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    metadata = interrupt.get("metadata")
    ours = metadata.get(METADATA) if isinstance(metadata, Mapping) else None
    match ours:
        case None:
            return None
        case {"name": str(name), "payload": dict(payload)}:
            return name, payload
    raise InvalidRequest.of_field(f"interrupt.metadata.{METADATA}", "must have a name and a payload")


def _schema(interrupt: Mapping[str, Any]) -> Mapping[str, Any]:
    schema = interrupt.get("responseSchema")
    if schema is None:
        return {}
    if not isinstance(schema, Mapping) or not isinstance(schema.get("properties", {}), Mapping):
        raise InvalidRequest.of_field("interrupt.responseSchema", "must be a JSON Schema")
    return schema


def _has_approved(interrupt: Mapping[str, Any]) -> bool:
    approved = _schema(interrupt).get("properties", {}).get("approved")
    return isinstance(approved, Mapping) and approved.get("type") == "boolean"


def _wants_decision(interrupt: Mapping[str, Any]) -> bool:
    bare = not _schema(interrupt)
    return text_of(interrupt, "reason") == "tool_call" and (bare or _has_approved(interrupt))


def _wants_yes_or_no(interrupt: Mapping[str, Any]) -> bool:
    schema = _schema(interrupt)
    only_approved = _has_approved(interrupt) and len(schema["properties"]) == 1
    plain = not schema or schema.get("type") == "boolean" or only_approved
    return text_of(interrupt, "reason") == "confirmation" and plain


def _title(interrupt: Mapping[str, Any]) -> tuple[str, str]:
    """Return a title, and the whole message if it is too long for one."""
    message = text_of(interrupt, "message") if interrupt.get("message") is not None else ""
    message = message.strip() or text_of(interrupt, "reason")
    if len(message) <= TITLE_MAX_CHARACTERS:
        return message, ""
    return text_of(interrupt, "reason")[:TITLE_MAX_CHARACTERS], message


def _approval(interrupt: Mapping[str, Any], tool_call: Mapping[str, Any] | None) -> dict[str, Any]:
    function = tool_call.get("function") if isinstance(tool_call, Mapping) else None
    if tool_call is None or not isinstance(function, Mapping):
        raise InvalidRequest.of_field("tool_call", "must be the tool call of the interrupt")
    if tool_call.get("id") != interrupt.get("toolCallId"):
        raise InvalidRequest.of_field("tool_call.id", "must be the toolCallId of the interrupt")
    try:
        arguments = json.loads(function["arguments"])
    except (KeyError, TypeError, ValueError):
        arguments = None
    if not isinstance(arguments, dict):
        raise InvalidRequest.of_field("tool_call.function.arguments", "must be a JSON object as text")
    title, more = _title(interrupt)
    payload: dict[str, Any] = {"title": title, "action": {"name": function.get("name"), "arguments": arguments}}
    edited = _schema(interrupt).get("properties", {}).get("editedArgs")
    fields = edited.get("properties", {}) if isinstance(edited, Mapping) else {}
    # Only a field with a type can be drawn and checked; the others go as the agent has proposed them.
    editable = {
        name: dict(field)
        for name, field in fields.items()
        if name in arguments and isinstance(field, Mapping) and field.get("type") in _FLAT_TYPES
    }
    return {**payload, **({"summary": more} if more else {}), **({"editable": editable} if editable else {})}


def _ttl(interrupt: Mapping[str, Any], ttl_seconds: int, at: int) -> int:
    if interrupt.get("expiresAt") is None:
        return ttl_seconds
    expires_at = stated_time(text_of(interrupt, "expiresAt"))
    if expires_at is None:
        raise InvalidRequest.of_field("interrupt.expiresAt", "must be an ISO 8601 time with an offset")
    if expires_at <= at:
        raise PauseExpired(expired_at=expires_at)
    return min(ttl_seconds, expires_at - at)
