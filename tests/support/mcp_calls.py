"""Messages of the Model Context Protocol, sent to the mcp function as the gateway sends them."""

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from askback.edge.lambda_events import HTTP_ALIAS
from local.emulated.functions import LambdaContext
from tests.support.function_deployment import LOCAL_ARN, Handlers

STATELESS = "2026-07-28"
META = "io.modelcontextprotocol/"
TASKS: dict[str, Any] = {"extensions": {f"{META}tasks": {}}}

_ids = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The HTTP reply to a message."""

    status: int
    headers: Mapping[str, str]
    document: dict[str, Any]

    @property
    def result(self) -> dict[str, Any]:
        """The result; a reply with an error fails."""
        assert self.status == 200, self.document
        return dict(self.document["result"])

    @property
    def facts(self) -> dict[str, Any]:
        """The object of a tool's result, which its text repeats."""
        result = self.result
        facts: dict[str, Any] = result["structuredContent"]
        assert [each["type"] for each in result["content"]] == ["text"]
        assert json.loads(result["content"][0]["text"]) == facts
        return facts

    @property
    def error(self) -> tuple[int, int]:
        """The HTTP status, and the code of the JSON-RPC error."""
        return self.status, self.document["error"]["code"]


@dataclass(frozen=True, slots=True, kw_only=True)
class McpClient:
    """An agent that sends messages; with a `token`, one of a person who signs in.

    `seconds_left` is how long the function may still run.
    """

    handlers: Handlers
    arn: str = LOCAL_ARN
    token: str = ""
    revision: str = STATELESS
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    seconds_left: int = 28

    def tool(self, name: str, **arguments: Any) -> Reply:
        """Call a tool."""
        return self.send("tools/call", {"name": name, "arguments": arguments})

    def send(self, method: str, params: Mapping[str, Any] | None = None, **headers: str) -> Reply:
        """Send a request in the form of the client's revision; `headers` replace its own, by names with `_`."""
        params = dict(params or {})
        if self.revision == STATELESS:
            params["_meta"] = {
                f"{META}protocolVersion": STATELESS,
                f"{META}clientInfo": {"name": "Example agent", "version": "1"},
                f"{META}clientCapabilities": dict(self.capabilities),
            }
        own = {"mcp-protocol-version": self.revision, "mcp-method": method}
        if name := params.get("name", params.get("taskId")):
            own["mcp-name"] = str(name)
        given = own | {header.replace("_", "-"): value for header, value in headers.items()}
        return self.post({"jsonrpc": "2.0", "id": next(_ids), "method": method, "params": params}, **given)

    def post(self, body: object, **headers: str) -> Reply:
        """Send a body as it is."""
        headers = {name: value for name, value in headers.items() if value}
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        path, kind = ("/user/mcp", "user_mcp") if self.token else ("/mcp", "mcp")
        event = self.handlers.event(path, body, arn=self.arn, headers=headers)
        context = LambdaContext(function_name=kind, timeout_seconds=self.seconds_left, alias=HTTP_ALIAS)
        return read(self.handlers.invoke(kind, event, context))


def read(result: Mapping[str, Any]) -> Reply:
    """Return a function's result as a reply; every one forbids that it is kept."""
    headers = result["headers"]
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert ("content-type" in headers) is bool(result["body"])
    return Reply(status=result["statusCode"], headers=headers, document=json.loads(result["body"] or "{}"))
