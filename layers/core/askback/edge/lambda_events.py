"""Reads Lambda events into requests: HTTP API events of payload format 2.0, and direct invocations.

The route and the data of the gateway's authorizer say who calls; the body does not. A request has one object with all
its fields. They come from the body or, for a request without a body, from the path and the query.
"""

import base64
import binascii
import functools
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from urllib.parse import parse_qsl, unquote

from askback.domain.errors import InvalidRequest, RequestTooLarge, Unauthenticated, UnknownRoute
from askback.domain.json_text import read_json
from askback.domain.limits import BODY_MAX_BYTES
from askback.domain.pause.minter import DIRECT, principal_of_arn

QUERY_MAX_CHARACTERS = 4096
QUERY_MAX_FIELDS = 16
HTTP_ALIAS = "http"
"""The alias of a function that the gateway alone may invoke; template.yaml has the same name."""
OUTCOMES_ALIAS = "outcomes"
"""The alias of the resume function that reads outcomes and answers nothing; template.yaml has the same name."""
_BODILESS = ("GET", "DELETE")


class CallerAuth(StrEnum):
    """How the caller of a request was authenticated. The holder of a link was not: they have only the token.

    For an answer, the row stores the value of `AnsweredVia`, not this one.
    """

    DIRECT = "direct"
    IAM = "iam"
    JWT = "jwt"
    LINK = "link"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The caller: the ARN of an IAM principal, or the claims of a verified JWT, if the request has one."""

    auth: CallerAuth
    arn: str = ""
    jwt_claims: Mapping[str, Any] | None = None

    @property
    def principal(self) -> str:
        """The caller of a signed route without the name of its session, or the one name of all direct callers."""
        return DIRECT if self.auth is CallerAuth.DIRECT else principal_of_arn(self.arn)


def unlimited() -> float:
    """Return the time of a request that no platform ends."""
    return math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteRequest:
    """One request: the route, the caller, and the object with the fields.

    `route` is a text such as `POST /resume`, or the name of a direct action. Values from a path or a query are texts.
    `headers` are those of HTTP, by names in lower case. `seconds_left` says how long the function may still run.
    """

    route: str
    caller: Caller
    body: dict[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds_left: Callable[[], float] = unlimited


def is_http(event: object) -> bool:
    """Return whether the event has the form of a gateway's; a direct caller can send this form too."""
    return isinstance(event, Mapping) and isinstance(event.get("requestContext"), Mapping)


def invoked_alias(context: object) -> str:
    """Return the alias through which the function was invoked, as the ARN in Lambda's context says; empty without one.

    A policy names the alias, so it says what the caller may do. The event itself proves nothing: a direct caller could
    send one with the JWT claims of any person.
    """
    return ":".join(str(getattr(context, "invoked_function_arn", "")).split(":")[7:])


def read_http(event: Mapping[str, Any], routes: Mapping[str, CallerAuth], *, trust_unsigned: bool) -> RouteRequest:
    """Read an HTTP API event of one of `routes`; `routes` also says how the callers of each route are authenticated.

    Raises:
        InvalidRequest, RequestTooLarge: the payload format is 1.0; the body is not a JSON object of at most 1 MB; or,
            on a route without a body, there is a body or a query that is not a list of different names with values.
        UnknownRoute: there is no such route.
        Unauthenticated: the event has no data of the route's authorizer. Then the route is open by mistake, and the
            request is refused.
    """
    context = event["requestContext"]
    if not isinstance(context.get("http"), Mapping):
        raise InvalidRequest("the event has payload format 1.0; set the integration's payload format to 2.0")
    route, path = _route(event, routes)
    caller = _caller(context.get("authorizer"), routes[route], trust_unsigned=trust_unsigned)
    return RouteRequest(route=route, caller=caller, body=_fields(event, route, path), headers=_headers(event))


def read_direct(event: object, actions: frozenset[str], *, default: str) -> RouteRequest:
    """Read a direct invocation: the event is the body, with `action` if the function has more than one action.

    Raises:
        InvalidRequest: the event is not a request object (a list, the event of a queue or a schedule, or an HTTP event
            that did not come from the gateway), or the action is unknown.
    """
    if is_http(event):
        raise InvalidRequest(f"an HTTP event is accepted from the API only, which invokes the alias {HTTP_ALIAS}")
    if not isinstance(event, Mapping) or "Records" in event or "detail-type" in event or "httpMethod" in event:
        raise InvalidRequest("the event is neither an HTTP API event nor a request object")
    if not actions:
        raise InvalidRequest("this function takes requests of the API only")
    body = dict(event)
    action = body.pop("action", default)
    # Some JSON values are not hashable, so they cannot be looked up in a set.
    if not isinstance(action, str) or action not in actions:
        raise InvalidRequest.of_field("action", f"must be one of {', '.join(sorted(actions))}")
    return RouteRequest(route=action, caller=Caller(auth=CallerAuth.DIRECT), body=body)


def _route(event: Mapping[str, Any], routes: Mapping[str, CallerAuth]) -> tuple[str, Mapping[str, str]]:
    """Return the route of the event, and the values in its path."""
    key = event.get("routeKey")
    if isinstance(key, str) and key in routes:
        return key, _path_parameters(event.get("pathParameters"), key)
    # Only for a catch-all route. The path can begin with a stage or the base path of a custom domain.
    method = event["requestContext"]["http"].get("method")
    path = event.get("rawPath")
    if isinstance(method, str) and isinstance(path, str):
        matches = {name: found for name in routes if (found := _pattern(name).fullmatch(f"{method} {path}"))}
        if matches:
            route = max(matches, key=len)
            return route, {name: _unquoted(value) for name, value in matches[route].groupdict().items()}
    raise UnknownRoute("there is no such route")


@functools.cache
def _pattern(route: str) -> re.Pattern[str]:
    method, path = map(re.escape, route.split(" "))
    return re.compile(f"{method} .*" + re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", path), re.DOTALL)


def _path_parameters(given: object, route: str) -> Mapping[str, str]:
    values: dict[str, str] = {}
    for name in re.findall(r"{(\w+)}", route):
        value = given.get(name) if isinstance(given, Mapping) else None
        if not isinstance(value, str):
            raise InvalidRequest.of_field(name, "must be in the path")
        values[name] = value
    return values


def _unquoted(value: str) -> str:
    try:
        return unquote(value, errors="strict")
    except UnicodeDecodeError:
        raise InvalidRequest("the path is not UTF-8") from None


def _caller(authorizer: object, auth: CallerAuth, *, trust_unsigned: bool) -> Caller:
    if auth is CallerAuth.LINK:
        return Caller(auth=auth)
    found = authorizer.get(auth.value) if isinstance(authorizer, Mapping) else None
    if isinstance(found, Mapping):
        if auth is CallerAuth.IAM:
            return Caller(auth=auth, arn=str(found.get("userArn") or ""))
        if isinstance(found.get("claims"), Mapping):
            return Caller(auth=auth, jwt_claims=found["claims"])
    if auth is CallerAuth.IAM and trust_unsigned:
        return Caller(auth=auth)
    raise Unauthenticated("this route needs a caller that the gateway has authenticated")


def _headers(event: Mapping[str, Any]) -> Mapping[str, str]:
    given = event.get("headers")
    named = given.items() if isinstance(given, Mapping) else ()
    return {name.lower(): value for name, value in named if isinstance(name, str) and isinstance(value, str)}


def _fields(event: Mapping[str, Any], route: str, path: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of the request; each field may be in one place only."""
    if route.startswith(_BODILESS):
        if event.get("body"):
            raise InvalidRequest("the request must not have a body")
        said: dict[str, Any] = _query(event)
    elif path and not event.get("body"):
        # The path has the fields that the route needs, so the body can be missing.
        said = {}
    else:
        said = _body(event)
    for name in path:
        if name in said:
            raise InvalidRequest.of_field(name, "is in the path and must not be repeated")
    return {**said, **path}


def _query(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the query. The raw text is read, because the gateway joins the values of a repeated name."""
    raw = event.get("rawQueryString") or ""
    if not isinstance(raw, str) or len(raw) > QUERY_MAX_CHARACTERS:
        raise InvalidRequest(f"the query must be at most {QUERY_MAX_CHARACTERS} characters")
    if not raw:
        return {}
    try:
        pairs = parse_qsl(
            raw, keep_blank_values=True, strict_parsing=True, errors="strict", max_num_fields=QUERY_MAX_FIELDS
        )
    except ValueError:
        raise InvalidRequest(f"the query must be at most {QUERY_MAX_FIELDS} pairs of name=value in UTF-8") from None
    query = dict(pairs)
    for name in query:
        if sum(name == other for other, _ in pairs) > 1:
            raise InvalidRequest.of_field(name, "must be given once")
    return query


def _body(event: Mapping[str, Any]) -> dict[str, Any]:
    raw = event.get("body")
    if not isinstance(raw, str) or not raw:
        raise InvalidRequest("the request has no body; send a JSON object")
    encoded = str(event.get("isBase64Encoded", False)).lower() == "true"
    # Four characters of base64 are three bytes. The limit is checked before decoding.
    if len(raw) > (BODY_MAX_BYTES * 4 // 3 + 4 if encoded else BODY_MAX_BYTES):
        raise _too_large()
    data: str | bytes = raw
    if encoded:
        try:
            data = base64.b64decode(raw, validate=True)
        except (binascii.Error, ValueError):
            raise InvalidRequest("the body is marked as base64 but is not base64") from None
    if len(data if isinstance(data, bytes) else data.encode(errors="surrogatepass")) > BODY_MAX_BYTES:
        raise _too_large()
    try:
        body = read_json(data, digits=True)
    except ValueError as error:
        raise InvalidRequest(f"the body is not a JSON object: {error}") from None
    if not isinstance(body, dict):
        raise InvalidRequest("the body must be a JSON object")
    return body


def _too_large() -> RequestTooLarge:
    return RequestTooLarge(f"the body must be at most {BODY_MAX_BYTES} bytes")
