"""The dispatch of messages to a catalogue: every method of the protocol that a server of tools needs.

It is stateless. Every message is answered with one JSON document; there are no streams, no sessions, and no requests to
the client.
"""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Generic

from askback.edge.lambda_events import RouteRequest
from askback.edge.mcp.catalogue import TASKS, C, Catalogue, Result, Tasks, ToolCall
from askback.edge.mcp.messages import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    MISSING_CLIENT_CAPABILITY,
    REVISIONS,
    WITH_HANDSHAKE,
    Message,
    ProtocolError,
    message_id,
    read_message,
)

LIST_FRESH_MS = 3_600_000
"""How long a client may keep the list of tools: it changes only with a deployment."""
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
"""Where a server without sessions says who it is: a member of `_meta`, and no member of a result."""
_ONLY_OLD = frozenset({"initialize", "ping"})
_ONLY_NEW = frozenset({"server/discover", "tasks/get", "tasks/update", "tasks/cancel"})
"""Methods that one generation has and the other does not."""
_ONLY_STATELESS = frozenset({"resultType", "ttlMs", "cacheScope"})
"""Members of results that the older generation does not have."""


class McpServer(Generic[C]):
    """Answers messages for one catalogue; `context` goes to the tools as it is."""

    def __init__(self, catalogue: Catalogue[C]) -> None:
        self._catalogue = catalogue
        self._methods: dict[str, Callable[[Message, C], Coroutine[Any, Any, Result]]] = {
            "initialize": self._initialize,
            "ping": self._ping,
            "server/discover": self._discover,
            "tools/list": self._list,
            "tools/call": self._call,
            "tasks/get": self._task,
            "tasks/update": self._update,
            "tasks/cancel": self._cancel,
        }

    async def answer(self, request: RouteRequest, context: C) -> tuple[int, dict[str, Any]]:
        """Return the HTTP status and the document for a message; that of a notification is 202 and empty."""
        try:
            message = read_message(request)
        except ProtocolError as error:
            return error.status, _error(message_id(request.body), error)
        if message.id is None:
            return 202, {}
        try:
            result = await self._result(message, context)
        except ProtocolError as error:
            # A client of the older generation takes a 404 as the end of its session.
            return error.status if message.stateless else 200, _error(message.id, error)
        return 200, {"jsonrpc": "2.0", "id": message.id, "result": result}

    async def _result(self, message: Message, context: C) -> Result:
        method = self._methods.get(message.method)
        if method is None or message.method in (_ONLY_OLD if message.stateless else _ONLY_NEW):
            raise ProtocolError(METHOD_NOT_FOUND, "there is no such method")
        result = {"resultType": "complete", **await method(message, context)}
        if message.stateless:
            return result
        return {name: value for name, value in result.items() if name not in _ONLY_STATELESS}

    async def _initialize(self, message: Message, _: C) -> Result:
        asked = message.params.get("protocolVersion")
        revision = asked if asked in WITH_HANDSHAKE else WITH_HANDSHAKE[0]
        return {"protocolVersion": revision, "serverInfo": self._info(), **self._offer({"tools": {}})}

    async def _ping(self, _: Message, __: C) -> Result:
        return {}

    async def _discover(self, _: Message, __: C) -> Result:
        extensions: dict[str, Any] = {TASKS: {}} if self._catalogue.tasks is not None else {}
        return {
            "supportedVersions": list(REVISIONS),
            "_meta": {SERVER_INFO: self._info()},
            **self._offer({"tools": {}, "extensions": extensions}),
            "ttlMs": LIST_FRESH_MS,
            "cacheScope": "public",
        }

    def _info(self) -> dict[str, str]:
        return {"name": self._catalogue.name, "version": self._catalogue.version}

    def _offer(self, capabilities: Mapping[str, Any]) -> dict[str, Any]:
        return {"capabilities": dict(capabilities), "instructions": self._catalogue.instructions}

    async def _list(self, message: Message, _: C) -> Result:
        if message.params.get("cursor") is not None:
            raise ProtocolError(INVALID_PARAMS, "the list has one page, so no cursor is one of it")
        tools = [tool.listed() for tool in self._catalogue.tools]
        return {"tools": tools, "ttlMs": LIST_FRESH_MS, "cacheScope": "public"}

    async def _call(self, message: Message, context: C) -> Result:
        name, arguments = message.params.get("name"), message.params.get("arguments", {})
        tool = self._catalogue.named(name) if isinstance(name, str) else None
        if tool is None:
            raise ProtocolError(INVALID_PARAMS, "there is no tool of this name")
        if not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, "arguments must be an object")
        return await tool.act(ToolCall(context=context, arguments=arguments, message=message))

    async def _task(self, message: Message, context: C) -> Result:
        tasks, task_id = self._asked_task(message)
        return await tasks.task(task_id, context)

    async def _cancel(self, message: Message, context: C) -> Result:
        tasks, task_id = self._asked_task(message)
        await tasks.cancel(task_id, context)
        return {}

    async def _update(self, message: Message, context: C) -> Result:
        tasks, task_id = self._asked_task(message)
        given = message.params.get("inputResponses")
        if not isinstance(given, Mapping):
            raise ProtocolError(INVALID_PARAMS, "inputResponses must be an object")
        await tasks.update(task_id, given, context)
        return {}

    def _asked_task(self, message: Message) -> tuple[Tasks[C], str]:
        if self._catalogue.tasks is None:
            raise ProtocolError(METHOD_NOT_FOUND, "there is no such method")
        if not message.extension(TASKS):
            data: dict[str, Any] = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
            raise ProtocolError(MISSING_CLIENT_CAPABILITY, f"the client must declare {TASKS}", data=data)
        task_id = message.params.get("taskId")
        if not isinstance(task_id, str):
            raise ProtocolError(INVALID_PARAMS, "taskId must be a text")
        return self._catalogue.tasks, task_id


def _error(ident: str | int | None, error: ProtocolError) -> dict[str, Any]:
    said: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        said["data"] = dict(error.data)
    return {"jsonrpc": "2.0", "id": ident, "error": said}
