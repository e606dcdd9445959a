"""Converts an HTTP request to a Lambda event, and a Lambda result to an HTTP response, like an HTTP API.

Payload format 2.0. A handler that works with these events must also work behind the real gateway.
So there are no simplifications: each would be a difference that shows only after a deployment.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

from local.emulated.routes import Route
from local.emulated.template import ACCOUNT

API_ID: Final = "local"
_TEXT_TYPES: Final = re.compile(r"text/.*|application/(json|xml|javascript)", re.IGNORECASE | re.DOTALL)


class FunctionResponseError(Exception):
    """A function returned a result that is not a valid response; the caller gets a 500."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One HTTP request; `target` is path and query, not decoded."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""
    source_ip: str = "127.0.0.1"

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    def header(self, name: str) -> str | None:
        """The header's values joined by commas, or None."""
        values = [value for key, value in self.headers if key.lower() == name]
        return ",".join(values) if values else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One HTTP response; header names are lower case, each cookie becomes a header."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    cookies: tuple[str, ...] = ()
    body: bytes = b""

    @classmethod
    def of_gateway(cls, status: int, message: str) -> Response:
        """Return a response of the gateway itself, in its own form."""
        body = json.dumps({"message": message}, separators=(",", ":")).encode()
        return cls(status=status, headers={"content-type": "application/json"}, body=body)


def build_event(
    request: Request,
    route: Route,
    *,
    path_parameters: Mapping[str, str],
    authorizer: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the event of a request, in payload format 2.0.

    A missing part has no key, and is never null: query, body, path parameters, cookies and
    authorizer.
    """
    now = datetime.now(UTC)
    context: dict[str, Any] = {
        "accountId": ACCOUNT,
        "apiId": API_ID,
        "domainName": f"{API_ID}.execute-api.localhost",
        "domainPrefix": API_ID,
        "http": {
            "method": request.method,
            "path": request.path,
            "protocol": "HTTP/1.1",
            "sourceIp": request.source_ip,
            "userAgent": request.header("user-agent") or "",
        },
        "requestId": uuid.uuid4().hex[:15] + "=",
        "routeKey": route.key,
        "stage": "$default",
        "time": now.strftime("%d/%b/%Y:%H:%M:%S +0000"),
        "timeEpoch": int(now.timestamp() * 1000),
    }
    if authorizer is not None:
        context["authorizer"] = dict(authorizer)
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": route.key,
        "rawPath": request.path,
        "rawQueryString": request.query,
        "headers": _joined((name.lower(), value) for name, value in request.headers if name.lower() != "cookie"),
        "requestContext": context,
        "isBase64Encoded": False,
    }
    # Cookies have a separate list and are not among the headers.
    if cookies := [
        cookie.strip() for name, value in request.headers if name.lower() == "cookie" for cookie in value.split(";")
    ]:
        event["cookies"] = cookies
    if request.query:
        event["queryStringParameters"] = _joined(parse_qsl(request.query, keep_blank_values=True))
    if path_parameters:
        event["pathParameters"] = {name: unquote(value) for name, value in path_parameters.items()}
    if request.body:
        event["body"], event["isBase64Encoded"] = _encode(request)
    return event


def read_result(result: Any) -> Response:
    """Return the response for a function's result.

    A result with a `statusCode` is a complete response. Any other result is the body of a 200 with
    content type application/json. Raises FunctionResponseError for an invalid response.
    """
    if not isinstance(result, dict) or "statusCode" not in result:
        text = result if isinstance(result, str) else json.dumps(result, separators=(",", ":"))
        headers = {"content-type": "application/json"}
        return Response(status=200, headers=headers, body=text.encode())
    headers = {"content-type": "text/plain;charset=UTF-8"}
    headers |= {name.lower(): _text(value) for name, value in (result.get("headers") or {}).items()}
    return Response(
        status=_status(result["statusCode"]),
        headers=headers,
        cookies=tuple(result.get("cookies") or ()),
        body=_body(result),
    )


def _encode(request: Request) -> tuple[str, bool]:
    # A body is passed as text only for a text content type. Any other body, also one without a
    # content type, is passed as base64. A handler that forgets this fails on a plain POST.
    kind = (request.header("content-type") or "").partition(";")[0].strip()
    if _TEXT_TYPES.fullmatch(kind):
        try:
            return request.body.decode(), False
        except UnicodeDecodeError:
            pass  # not text, in spite of its content type; base64 passes it without change
    return base64.b64encode(request.body).decode(), True


def _joined(pairs: Any) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in pairs:
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _status(value: Any) -> int:
    try:
        status = int(value)
    except (TypeError, ValueError):
        raise FunctionResponseError(f"statusCode is {value!r}") from None
    if not 100 <= status <= 599:
        raise FunctionResponseError(f"statusCode is {status}")
    return status


def _body(result: Mapping[str, Any]) -> bytes:
    body = result.get("body")
    if body is None:
        return b""
    if not isinstance(body, str):
        raise FunctionResponseError("body is not text")
    if not result.get("isBase64Encoded"):
        return body.encode()
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error:
        raise FunctionResponseError("body is not base64") from None
