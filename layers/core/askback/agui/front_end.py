"""A program that asks through askback is an AG-UI agent, and the person at its front end answers.

`run_finished` shows its pauses, `resume_entries` reads what comes back, and `response` gives each answer in the form
that the client's `resume` takes. A `cancelled` entry never becomes an answer.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from askback.agui.fields import METADATA, text_of
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


def interrupt(pause: OpenPause) -> dict[str, Any]:
    """Return the interrupt that shows an open pause to a front end.

    Its id is the id of the pause, and no token is in it. `responseSchema` is the schema of the flat answer. The
    `metadata` has the interaction and its payload, for a front end that draws more than a schema says.
    """
    reasons = {APPROVAL: "tool_call" if pause.tool_call_id else "confirmation", ASK_USER: "input_required"}
    reasons[FORM] = "input_required"
    shown = {
        "id": pause.jti,
        "reason": reasons.get(pause.name, f"{METADATA}:{pause.name}"),
        "message": question_text(pause.name, pause.payload),
        "toolCallId": pause.tool_call_id or None,
        "responseSchema": flat_schema(pause.name, pause.payload),
        "expiresAt": rfc3339(pause.expires_at),
        "metadata": {METADATA: {"name": pause.name, "payload": dict(pause.payload)}},
    }
    return {name: value for name, value in shown.items() if value is not None}


def run_finished(pauses: Iterable[OpenPause], *, thread_id: str, run_id: str) -> dict[str, Any]:
    """Return the `RUN_FINISHED` event of a run that waits for these pauses.

    Raises:
        ValueError: there is no pause; a run that waits for nothing has no such outcome.
    """
    interrupts = [interrupt(pause) for pause in pauses]
    if not interrupts:
        raise ValueError("a run that waits must wait for at least one pause")
    outcome = {"type": "interrupt", "interrupts": interrupts}
    return {"type": "RUN_FINISHED", "threadId": thread_id, "runId": run_id, "outcome": outcome}


def resume_entries(run_input: Mapping[str, Any], open_ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """Return the entries of `RunAgentInput.resume` by the id of their interrupt.

    AG-UI wants one entry for each open interrupt, so `open_ids` are the ids of all of them.

    Raises:
        InvalidRequest: an entry is missing, is double, is of an unknown interrupt, or has another form.
    """
    listed = run_input.get("resume")
    entries: dict[str, Mapping[str, Any]] = {}
    for place, entry in enumerate(listed if isinstance(listed, list) else []):
        if not isinstance(entry, Mapping) or entry.get("status") not in ("resolved", "cancelled"):
            raise InvalidRequest.of_field(f"resume[{place}].status", "must be resolved or cancelled")
        interrupt_id = text_of(entry, "interruptId", of=f"resume[{place}]")
        if interrupt_id not in open_ids or interrupt_id in entries:
            raise InvalidRequest.of_field(f"resume[{place}].interruptId", "must be one of the open interrupts, once")
        entries[interrupt_id] = entry
    if len(entries) != len(set(open_ids)):
        raise InvalidRequest.of_field("resume", "must have an entry for each open interrupt")
    return entries


def response(entry: Mapping[str, Any], pause: OpenPause) -> Json:
    """Return the `response` that a resume entry gives to a pause, for the client's `resume`.

    A `cancelled` entry has none: the person has left without an answer. Revoke the pause, or let it wait.

    Raises:
        InvalidRequest: the entry is of another pause, was cancelled, or its payload is not an answer.
    """
    if entry.get("interruptId") != pause.jti:
        raise InvalidRequest.of_field("resume.interruptId", "must be the id of the pause")
    if entry.get("status") != "resolved":
        raise InvalidRequest.of_field("resume.status", "must be resolved: a cancelled entry is no answer")
    if "payload" not in entry:
        raise InvalidRequest.of_field("resume.payload", "must be there")
    return read_flat(pause.name, pause.payload, entry["payload"], at="resume.payload")
