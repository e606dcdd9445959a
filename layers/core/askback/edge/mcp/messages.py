"""Messages of the Model Context Protocol, one in each HTTP request, of both generations.

A message of the revision 2026-07-28 says in itself which revision and client it is of, and its headers repeat what a
gateway routes by. Messages of the generation before it begin with `initialize`, and say the revision in a header. This
server keeps no session for them: no message needs an earlier one.

Source: the specification of the protocol, revisions 2026-07-28 and 2025-11-25, "Transports".
"""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from askback.edge.lambda_events import RouteRequest

STATELESS = "2026-07-28"
"""The revision without sessions."""
WITH_HANDSHAKE = ("2025-11-25", "2025-06-18")
"""The revisions that begin with `initialize`; their messages, as far as this server has them, are the same."""
REVISIONS = (STATELESS, *WITH_HANDSHAKE)

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
HEADER_MISMATCH = -32020
MISSING_CLIENT_CAPABILITY = -32021
UNSUPPORTED_REVISION = -32022

_META = "io.modelcontextprotocol/"
_NAMED_BY = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
"""The parameter of a method that the header `Mcp-Name` repeats."""
_ENCODED = re.compile(r"=\?base64\?(.*)\?=")


class ProtocolError(Exception):
    """A message that the protocol does not allow; it becomes a JSON-RPC error, and no tool has run."""

    def __init__(self, code: int, message: str, *, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    @property
    def status(self) -> int:
        """The HTTP status of the error in the revision without sessions."""
        return 404 if self.code == METHOD_NOT_FOUND else 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message. `id` is None for a notification, which gets no reply.

    `client` is the name that the client gives itself, and `capabilities` is what it declares; both are empty in the
    older generation, whose messages do not repeat them.
    """

    method: str
    params: Mapping[str, Any]
    id: str | int | None
    revision: str
    client: str = ""
    capabilities: Mapping[str, Any] = field(default_factory=dict)

    @property
    def stateless(self) -> bool:
        """Whether the message is of the revision without sessions."""
        return self.revision == STATELESS

    def extension(self, name: str) -> bool:
        """Return whether the client has declared an extension of the protocol."""
        extensions = self.capabilities.get("extensions")
        return isinstance(extensions, Mapping) and isinstance(extensions.get(name), Mapping)


def message_id(body: Mapping[str, Any]) -> str | int | None:
    """Return the id of a message as far as it can be read, so that an error names the message it is about."""
    given = body.get("id")
    return given if isinstance(given, str | int) and not isinstance(given, bool) else None


def read_message(request: RouteRequest) -> Message:
    """Return the message of an HTTP request.

    Raises:
        ProtocolError: it is no message of JSON-RPC 2.0, its revision is not supported, or its headers say something
            else than its body.
    """
    body, headers = request.body, request.headers
    method, params = body.get("method"), body.get("params", {})
    if body.get("jsonrpc") != "2.0" or not isinstance(method, str) or ("id" in body and message_id(body) is None):
        raise ProtocolError(INVALID_REQUEST, "the body must be one request or notification of JSON-RPC 2.0")
    if not isinstance(params, Mapping):
        raise ProtocolError(INVALID_PARAMS, "params must be an object")
    said = params.get("_meta")
    meta = said if isinstance(said, Mapping) else {}
    revision = headers.get("mcp-protocol-version", "").strip()
    if f"{_META}protocolVersion" not in meta and (not revision or revision in WITH_HANDSHAKE):
        return Message(method=method, params=params, id=message_id(body), revision=revision or WITH_HANDSHAKE[0])
    if "id" in body:
        if f"{_META}protocolVersion" not in meta:
            # An old client says its revision in the header alone. It must learn which ones there are.
            _require_supported(revision)
        _require_envelope(meta)
        _require_same(headers, meta, method, params)
    _require_supported(revision)
    return Message(
        method=method,
        params=params,
        id=message_id(body),
        revision=revision,
        client=_client_name(meta),
        capabilities=meta.get(f"{_META}clientCapabilities", {}),
    )


def _require_envelope(meta: Mapping[str, Any]) -> None:
    kinds = {"protocolVersion": str, "clientCapabilities": Mapping}
    wrong = [name for name, kind in kinds.items() if not isinstance(meta.get(f"{_META}{name}"), kind)]
    if wrong:
        names = ", ".join(f"{_META}{name}" for name in wrong)
        raise ProtocolError(INVALID_PARAMS, f"params._meta must have {names}")


def _require_same(headers: Mapping[str, str], meta: Mapping[str, Any], method: str, params: Mapping[str, Any]) -> None:
    """Require that the headers say the same as the body: a gateway may have routed or admitted the request by them."""
    expected = {"mcp-protocol-version": meta[f"{_META}protocolVersion"], "mcp-method": method}
    if method in _NAMED_BY:
        expected["mcp-name"] = params.get(_NAMED_BY[method])
    for name, value in expected.items():
        if value is not None and _decoded(headers.get(name)) != value:
            raise ProtocolError(HEADER_MISMATCH, f"the header {name} must say the same as the body")


def _require_supported(revision: str) -> None:
    if revision != STATELESS:
        data = {"supported": list(REVISIONS), "requested": revision}
        raise ProtocolError(UNSUPPORTED_REVISION, "the protocol version is not supported", data=data)


def _decoded(value: str | None) -> str | None:
    """Return the value of a header; a value that a header cannot have as it is comes as base64 of UTF-8."""
    value = None if value is None else value.strip(" \t")
    encoded = _ENCODED.fullmatch(value) if value else None
    if encoded is None:
        return value
    try:
        text = base64.b64decode(encoded[1], validate=True)
        # Only the one form that an encoder writes, so that two values are never the same name.
        return text.decode() if base64.b64encode(text).decode() == encoded[1] else None
    except (binascii.Error, ValueError):
        return None


def _client_name(meta: Mapping[str, Any]) -> str:
    info = meta.get(f"{_META}clientInfo")
    name = info.get("name") if isinstance(info, Mapping) else None
    return name if isinstance(name, str) else ""
