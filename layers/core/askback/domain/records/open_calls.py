"""Which tool calls of a recorded turn still have no result.

A resumed loop owes its provider one result for every call, so it must know which calls besides the answered one are
open. The messages are only read here, never changed. Each format has a name:

    OpenAI Chat          `tool_calls[].id`, joined by `tool_call_id`
    OpenAI Responses     items `function_call` and the like with `call_id`, joined by `…_output`
    Anthropic            blocks `tool_use.id`, joined by `tool_result.tool_use_id`
    Bedrock, Strands     blocks `toolUse.toolUseId`, joined by `toolResult.toolUseId`
    Gemini               parts `functionCall` and `functionResponse`, by `id`, or by `name` where there is no id
    Gemini Interactions  steps `function_call.id`, joined by `function_result.call_id`
    LangChain            `tool_calls[].id` and `tool_call_id`, bare or inside `messages_to_dict` and `dumpd`
    Vercel AI SDK        UI parts `tool-<name>` with a `state`; model parts `tool-call` and `tool-result`
    Pydantic AI          parts by `part_kind`: `tool-call`, `tool-return`, `retry-prompt`
    AG-UI                `toolCalls[].id`, joined by `toolCallId`

A message of any other format makes the answer None, which means: not known. An empty answer would claim that nothing is
open. For the same reason the answer is None when the answered call is not found among the calls, or when an open call
has no id.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that was made; `key` or `call_id` joins it to its result; `call_id` is None where the format has none."""

    key: str
    call_id: str | None


@dataclass(frozen=True, slots=True)
class _Result:
    key: str


_Step = _Call | _Result


def open_tool_call_ids(messages: Iterable[Message], *, answered: str) -> tuple[str, ...] | None:
    """Return the ids of calls without a result, in the order they were made, without the one that is `answered`.

    A result closes the latest open call of its id, so an id that a later round uses again is another call. None where
    the answer is not known: an unknown format, an open call without an id, or an `answered` call that is not there.
    """
    opened = _Open()
    for message in messages:
        steps = _steps(message)
        if steps is None:
            return None
        for step in steps:
            if isinstance(step, _Call):
                opened.add(step)
            else:
                opened.close(step.key)
    if answered and not opened.knows(answered):
        return None
    opened.close(answered)
    ids = dict.fromkeys(opened.ids())
    return None if None in ids else tuple(call_id for call_id in ids if call_id is not None)


class _Open:
    """The calls so far that have no result; each step takes the same time, however many there are."""

    def __init__(self) -> None:
        self._calls: dict[int, _Call] = {}
        self._places: dict[str, list[int]] = {}
        self._made = 0

    def add(self, call: _Call) -> None:
        self._calls[self._made] = call
        for name in {call.key, call.call_id} - {None}:
            self._places.setdefault(str(name), []).append(self._made)
        self._made += 1

    def close(self, key: str) -> None:
        """Take away the latest open call of a key; a result without its call closes nothing."""
        places = self._places.get(key, [])
        # A call that was closed under its other name still has a place here.
        while places and self._calls.pop(places.pop(), None) is None:
            continue

    def knows(self, key: str) -> bool:
        """Return whether a call of that key was ever made."""
        return key in self._places

    def ids(self) -> Iterator[str | None]:
        return (call.call_id for call in self._calls.values())


def _steps(message: object) -> list[_Step] | None:
    """Return the calls and results of one message, in order; None when the message is of no known format."""
    if not isinstance(message, Mapping):
        return None
    reader = next((read for known, read in _FORMATS if known(message)), None)
    return None if reader is None else list(reader(message))


def _strands(message: Message) -> Iterator[_Step]:
    yield from _blocks(message["message"].get("content"))


def _langchain(message: Message) -> Iterator[_Step]:
    inner = message.get("data") or message.get("kwargs") or {}
    if isinstance(inner, Mapping):
        yield from _chat(inner)


def _pydantic_ai(message: Message) -> Iterator[_Step]:
    for part in _objects(message.get("parts")):
        kind = part.get("part_kind")
        if kind == "tool-call":
            yield from _call(part.get("tool_call_id"))
        elif kind == "tool-return" or (kind == "retry-prompt" and part.get("tool_name")):
            yield from _result(part.get("tool_call_id"))


def _item(message: Message) -> Iterator[_Step]:
    """An item of OpenAI Responses, or a step of Gemini's Interactions, whose calls have an `id` and no `call_id`."""
    kind, item_id, call_id = str(message["type"]), message.get("id"), message.get("call_id")
    if kind == "function_call" and "call_id" not in message:
        call_id = item_id
    if kind in _ITEM_CALLS and isinstance(call_id, str):
        yield _Call(item_id if isinstance(item_id, str) else call_id, call_id)
    elif kind.endswith(("_output", "_result")):
        # The output of a local shell call has no `call_id`: it repeats the `id` of the call.
        yield from _result(call_id if call_id is not None else item_id)


def _parts(message: Message) -> Iterator[_Step]:
    """Gemini's parts, and the Vercel AI SDK's UI parts."""
    for part in _objects(message["parts"]):
        if isinstance(part.get("type"), str):
            yield from _vercel_ui(part)
            continue
        call = part.get("functionCall", part.get("function_call"))
        result = part.get("functionResponse", part.get("function_response"))
        if isinstance(call, Mapping):
            yield _Call(_gemini_key(call), call.get("id") if isinstance(call.get("id"), str) else None)
        if isinstance(result, Mapping):
            yield _Result(_gemini_key(result))


def _gemini_key(call: Message) -> str:
    """Return what joins a call and its response: the id, or the name where Gemini gives no id."""
    return call["id"] if isinstance(call.get("id"), str) else f"name:{call.get('name')}"


def _vercel_ui(part: Message) -> Iterator[_Step]:
    """A UI part is a call and, by its state, its result; the SDK before version 5 nests it."""
    part = part["toolInvocation"] if isinstance(part.get("toolInvocation"), Mapping) else part
    if "toolCallId" in part:
        yield from _call(part["toolCallId"])
        if part.get("state") in _VERCEL_ENDED:
            yield from _result(part["toolCallId"])


def _chat(message: Message) -> Iterator[_Step]:
    """A message with a role: OpenAI Chat, AG-UI, Anthropic, Bedrock, the Vercel AI SDK's model messages."""
    answers = next((message[name] for name in ("tool_call_id", "toolCallId") if message.get(name)), None)
    if answers is not None:
        # Its content is the tool's own data, which may look like a call.
        yield from _result(answers)
        return
    seen = set()
    for call in _blocks(message.get("content")):
        seen.add(call.key)
        yield call
    for made in (item for name in _CALL_LISTS for item in _objects(message.get(name))):
        # LangChain lists an Anthropic call twice: as a block, and as a tool call.
        if made.get("id") not in seen:
            yield from _call(made.get("id"))


def _blocks(content: object) -> Iterator[_Step]:
    """The content blocks of one message; arguments and results are not entered."""
    for block in _objects(content):
        match block.get("type"):
            case "tool_use":
                yield from _call(block.get("id"))
            case "tool_result":
                yield from _result(block.get("tool_use_id"))
            case "tool-call":
                yield from _call(block.get("toolCallId"))
            case "tool-result":
                yield from _result(block.get("toolCallId"))
        if isinstance(block.get("toolUse"), Mapping):
            yield from _call(block["toolUse"].get("toolUseId"))
        if isinstance(block.get("toolResult"), Mapping):
            yield from _result(block["toolResult"].get("toolUseId"))


def _call(call_id: object) -> Iterator[_Step]:
    if isinstance(call_id, str):
        yield _Call(call_id, call_id)


def _result(call_id: object) -> Iterator[_Step]:
    if isinstance(call_id, str):
        yield _Result(call_id)


def _objects(value: object) -> Iterator[Message]:
    for item in value if isinstance(value, list | tuple) else ():
        if isinstance(item, Mapping):
            yield item


_CALL_LISTS = ("tool_calls", "toolCalls")
"""LangChain's `invalid_tool_calls` are no calls: nothing can run them."""
_ITEM_CALLS = frozenset(
    {
        *("function_call", "custom_tool_call", "computer_call", "tool_search_call"),
        *("local_shell_call", "shell_call", "apply_patch_call"),
    }
)
"""Those that the caller runs; a tool search of the provider's own has no `call_id`."""
_ITEM_OTHERS = frozenset(
    {
        *("message", "reasoning", "item_reference", "compaction", "mcp_list_tools", "additional_tools", "program"),
        *("user_input", "model_output", "thought"),
    }
)
_VERCEL_ENDED = frozenset({"result", "output-available", "output-error", "output-denied"})
_LANGCHAIN_TYPES = frozenset({"human", "ai", "system", "tool", "function", "chat", "developer", "remove"}) | {
    *("HumanMessageChunk", "AIMessageChunk", "SystemMessageChunk", "ToolMessageChunk", "FunctionMessageChunk"),
}


def _is_item(message: Message) -> bool:
    kind = message.get("type")
    return isinstance(kind, str) and (
        kind in _ITEM_CALLS | _ITEM_OTHERS or kind.endswith(("_call", "_output", "_result", "_request", "_response"))
    )


_FORMATS: tuple[tuple[Callable[[Message], bool], Callable[[Message], Iterator[_Step]]], ...] = (
    (lambda message: isinstance(message.get("message"), Mapping) and "role" in message["message"], _strands),
    (lambda message: isinstance(message.get("data"), Mapping) and message.get("type") in _LANGCHAIN_TYPES, _langchain),
    (lambda message: "content" in message and message.get("type") in _LANGCHAIN_TYPES, _chat),
    (lambda message: message.get("lc") == 1 and isinstance(message.get("kwargs"), Mapping), _langchain),
    (lambda message: message.get("kind") in ("request", "response") and "parts" in message, _pydantic_ai),
    (_is_item, _item),
    (lambda message: isinstance(message.get("parts"), list), _parts),
    (lambda message: isinstance(message.get("role"), str), _chat),
)
"""Each format with the test that recognises it. The first that fits is used."""
