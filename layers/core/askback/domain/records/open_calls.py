"""Which tool calls of a recorded turn still have no result.

A resumed loop owes its provider one result for every call, so it must know which besides the answered one are open. The
messages are only read here, never changed, and only the ids that join calls and results are looked at: OpenAI and
LangChain (`tool_calls[].id`, `tool_call_id`), Anthropic (`tool_use.id`, `tool_use_id`) and Bedrock
(`toolUse.toolUseId`, `toolResult.toolUseId`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any


def open_tool_call_ids(messages: Iterable[Mapping[str, Any]], *, answered: str) -> tuple[str, ...]:
    """Return the ids of calls without a result, in the order they were made, without the one that is `answered`."""
    calls: dict[str, None] = {}
    results = {answered}
    for node in _objects(list(messages)):
        if node.get("type") == "tool_use":
            _add(calls, node.get("id"))
        if isinstance(node.get("tool_calls"), list):
            for call in node["tool_calls"]:
                if isinstance(call, Mapping):
                    _add(calls, call.get("id"))
        if isinstance(node.get("toolUse"), Mapping):
            _add(calls, node["toolUse"].get("toolUseId"))
        if isinstance(node.get("toolResult"), Mapping):
            results.add(str(node["toolResult"].get("toolUseId")))
        results.update(str(node[name]) for name in _RESULT_OF if name in node)
    return tuple(call for call in calls if call not in results)


def _add(calls: dict[str, None], call_id: object) -> None:
    if isinstance(call_id, str):
        calls[call_id] = None


_RESULT_OF = ("tool_call_id", "tool_use_id")
"""What a result names; a Bedrock result stands under `toolResult` and is never entered anyway."""
_ENVELOPES = ("message", "data", "kwargs", "content")
"""Where the formats nest: Strands' message, LangChain's data and kwargs, and lists of content blocks.

Arguments and results are not entered: a tool's own data may look like a call.
"""


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
        if any(value.get(name) for name in _RESULT_OF):
            return
        for name in _ENVELOPES:
            yield from _objects(value.get(name))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            yield from _objects(item)
