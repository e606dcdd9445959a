"""The interrupts of the legacy engine's nodes in a graph, and the texts over which the engine hashed its tokens."""

import json
from collections.abc import Iterator, Mapping

from askback.cutover.recorded import ASK_USER_KEY, INTERRUPT_KEY

INTERRUPT_CHANNEL = "__interrupt__"
"""The channel in which LangGraph stores the argument of `interrupt`."""


def requests_of(written: object) -> Iterator[tuple[str, str]]:
    """Yield the recording key and the text of each of the engine's interrupts in a write of the channel."""
    for interrupt in written if isinstance(written, list | tuple) else (written,):
        value = getattr(interrupt, "value", None)
        if isinstance(value, Mapping) and (request := _request(value)) is not None:
            yield request


def recorded_text(value: object) -> str:
    """Return the text that the engine recorded; a value that the saver parsed becomes JSON again."""
    return value if isinstance(value, str) else json.dumps(value)


def _request(value: Mapping[str, object]) -> tuple[str, str] | None:
    call, request = value.get("tool_call_id"), value.get("request")
    if value.get("type") == "ask_user" and isinstance(call, str) and call and isinstance(request, Mapping):
        # The form in which pydantic writes a model: fields in order, no spaces, characters not escaped.
        return ASK_USER_KEY + call, json.dumps(request, separators=(",", ":"), ensure_ascii=False)
    interrupt, payload = value.get("interrupt_id"), value.get("payload")
    if value.get("type") == "interrupt" and isinstance(interrupt, str) and interrupt:
        return INTERRUPT_KEY + interrupt, json.dumps(payload or {}, default=str)
    return None
