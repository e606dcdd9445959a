"""The interrupts that the legacy engine's own nodes raise in a graph, and the texts that its tokens are hashed over."""

import json
from collections.abc import Iterator, Mapping

from askback.cutover.recorded import ASK_USER_KEY, INTERRUPT_KEY

INTERRUPT_CHANNEL = "__interrupt__"
"""Where LangGraph keeps what a node called `interrupt` with."""


def requests_of(written: object) -> Iterator[tuple[str, str]]:
    """Give frozen key and text for each interrupt in a write of the channel that is the engine's."""
    for interrupt in written if isinstance(written, list | tuple) else (written,):
        value = getattr(interrupt, "value", None)
        if isinstance(value, Mapping) and (request := _request(value)) is not None:
            yield request


def recorded_text(value: object) -> str:
    """Return what the engine filed as text; a saver that parsed it gets JSON made of it again."""
    return value if isinstance(value, str) else json.dumps(value)


def _request(value: Mapping[str, object]) -> tuple[str, str] | None:
    call, request = value.get("tool_call_id"), value.get("request")
    if value.get("type") == "ask_user" and isinstance(call, str) and call and isinstance(request, Mapping):
        # As pydantic writes a model: in the order of its fields, without spaces, characters as they are.
        return ASK_USER_KEY + call, json.dumps(request, separators=(",", ":"), ensure_ascii=False)
    interrupt, payload = value.get("interrupt_id"), value.get("payload")
    if value.get("type") == "interrupt" and isinstance(interrupt, str) and interrupt:
        return INTERRUPT_KEY + interrupt, json.dumps(payload or {}, default=str)
    return None
