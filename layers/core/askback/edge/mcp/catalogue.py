"""What a server of the protocol offers: tools, each with the model of its arguments, and the tasks that they begin."""

import functools
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from askback.domain.written_numbers import written_text
from askback.edge.mcp.messages import Message

C = TypeVar("C")
C_contra = TypeVar("C_contra", contravariant=True)
Result = dict[str, Any]
"""The result of a request, as it is sent; without a `resultType` it is a complete one."""

TASKS = "io.modelcontextprotocol/tasks"
"""The extension that gives a tool call a task: a handle for a result that comes later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall(Generic[C]):
    """One call of a tool: its arguments, the message that brought it, and what the server gives to its tools."""

    context: C
    arguments: dict[str, Any]
    message: Message

    @property
    def takes_task(self) -> bool:
        """Whether the client has declared that it can take a task as the result."""
        return self.message.extension(TASKS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[C]):
    """A tool. `description` is written for the model that calls it. `hints` are the annotations of the protocol."""

    name: str
    title: str
    description: str
    arguments: type[BaseModel]
    act: Callable[[ToolCall[C]], Coroutine[Any, Any, Result]]
    hints: Mapping[str, bool] = field(default_factory=dict)

    def listed(self) -> dict[str, Any]:
        """Return the tool as `tools/list` shows it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": input_schema(self.arguments),
            "annotations": {"title": self.title, **self.hints},
        }


class Tasks(Protocol[C_contra]):
    """The tasks of a server; each raises ProtocolError for an id that it does not know."""

    async def task(self, task_id: str, context: C_contra) -> Result:
        """Return the task with its state and, once it has ended, its result."""
        ...

    async def cancel(self, task_id: str, context: C_contra) -> None:
        """Cancel the task; one that has ended stays as it is."""
        ...

    async def update(self, task_id: str, given: Mapping[str, Any], context: C_contra) -> None:
        """Give the task what it has asked its client for."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue(Generic[C]):
    """What one server offers, and what it says of itself to a model (`instructions`)."""

    name: str
    version: str
    instructions: str
    tools: tuple[Tool[C], ...]
    tasks: Tasks[C] | None = None

    def named(self, name: str) -> Tool[C] | None:
        """Return the tool of this name."""
        return next((tool for tool in self.tools if tool.name == name), None)


def structured(facts: Mapping[str, Any], *, is_error: bool = False) -> Result:
    """Return a tool's result: an object, and the same as text for a client that shows text to its model."""
    result: Result = {
        "content": [{"type": "text", "text": written_text(facts, spaced=True)}],
        "structuredContent": dict(facts),
    }
    if is_error:
        result["isError"] = True
    return result


@functools.cache
def input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments, without references and titles: models read it as it stands."""
    schema = model.model_json_schema()
    parts = schema.pop("$defs", {})
    plain = _plain(schema, parts)
    # The docstring is for readers of this code.
    return {name: value for name, value in plain.items() if name != "description"}


def _plain(node: Any, parts: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_plain(item, parts) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        part = parts[node["$ref"].rpartition("/")[2]]
        return _plain({**part, **{name: value for name, value in node.items() if name != "$ref"}}, parts)
    if optional := [item for item in node.get("anyOf", ()) if item != {"type": "null"}]:
        rest = {name: value for name, value in node.items() if name not in ("anyOf", "default")}
        if len(optional) == 1:
            return _plain({**rest, **optional[0]}, parts)
        node = {**rest, "anyOf": optional}
    named = {name: value for name, value in node.items() if name != "title" or not isinstance(value, str)}
    return {
        name: _each(value, parts) if name == "properties" else _plain(value, parts) for name, value in named.items()
    }


def _each(properties: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(value, parts) for name, value in properties.items()}
