"""Lambda events, read into one kind of request: HTTP API payload format 2.0, or a direct invocation.

Who calls is told by the route and by what the gateway's authorizer put into the event, never by what the body claims.
What a request says is one object, wherever it stands: in the body, or in the path and the query of a request that has
none.
"""

import base64
import binascii
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import parse_qsl, unquote

from askback.domain.errors import InvalidRequest, RequestTooLarge, Unauthenticated, UnknownRoute
from askback.domain.json_text import read_json
from askback.domain.limits import BODY_MAX_BYTES

QUERY_MAX_CHARACTERS = 4096
QUERY_MAX_FIELDS = 16
_BODILESS = ("GET", "DELETE")


class CallerAuth(StrEnum):
    """How the caller of a request was authenticated; a link holder was not, the token alone speaks for them.

    `AnsweredVia` is what a row keeps of it for an answer: its values are stored, these are not.
    """

    DIRECT = "direct"
    IAM = "iam"
    JWT = "jwt"
    LINK = "link"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls: the IAM principal's ARN if there is one, or the claims of a verified JWT."""

    auth: CallerAuth
    arn: str = ""
    jwt_claims: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteRequest:
    """One request: the route it came by, the caller, and the object it carries.

    `route` is `POST /resume` and the like, or the name of a direct action. What stands in a path or a query is text.
    """

    route: str
    caller: Caller
    body: dict[str, Any]


def is_http(event: object) -> bool:
    """Tell whether a gateway sent the event, so that the caller expects an HTTP response."""
    return isinstance(event, Mapping) and isinstance(event.get("requestContext"), Mapping)


def read_http(event: Mapping[str, Any], routes: Mapping[str, CallerAuth], *, trust_unsigned: bool) -> RouteRequest:
    """Read an HTTP API event for one of `routes`, each with how its callers are authenticated.

    Raises:
        InvalidRequest, RequestTooLarge: payload format 1.0, or a body that is not a JSON object of at most 1 MB; on a
            route that takes none, any body, or a query that is not distinct names with values.
        UnknownRoute: no such route.
        Unauthenticated: the route's authorizer left nothing in the event. The route is then open by mistake, and its
            caller is not believed.
    """
    context = event["requestContext"]
    if not isinstance(context.get("http"), Mapping):
        raise InvalidRequest("the event has payload format 1.0; set the integration's payload format to 2.0")
    route, path = _route(event, routes)
    caller = _caller(context.get("authorizer"), routes[route], trust_unsigned=trust_unsigned)
    return RouteRequest(route=route, caller=caller, body=_fields(event, route, path))


def read_direct(event: object, actions: frozenset[str], *, default: str) -> RouteRequest:
    """Read a direct invocation: the body itself, with `action` where the function has more than one.

    Raises:
        InvalidRequest: anything but an object, such as a list, a queue's or a schedule's event, or an unknown action.
    """
    if not isinstance(event, Mapping) or "Records" in event or "detail-type" in event or "httpMethod" in event:
        raise InvalidRequest("the event is neither an HTTP API event nor a request object")
    body = dict(event)
    action = body.pop("action", default)
    # Not every JSON value can be looked up in a set.
    if not isinstance(action, str) or action not in actions:
        raise InvalidRequest.of_field("action", f"must be one of {', '.join(sorted(actions))}")
    return RouteRequest(route=action, caller=Caller(auth=CallerAuth.DIRECT), body=body)


def _route(event: Mapping[str, Any], routes: Mapping[str, CallerAuth]) -> tuple[str, Mapping[str, str]]:
    """Return the route of the event, and what its path names."""
    key = event.get("routeKey")
    if isinstance(key, str) and key in routes:
        return key, _path_parameters(event.get("pathParameters"), key)
    # Only a catch-all route comes here. A stage or a custom domain's base path may stand before the route.
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
            raise InvalidRequest.of_field(name, "must stand in the path")
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


def _fields(event: Mapping[str, Any], route: str, path: Mapping[str, str]) -> dict[str, Any]:
    """Return everything that the request says, each thing in one place only."""
    if route.startswith(_BODILESS):
        if event.get("body"):
            raise InvalidRequest("the request must not have a body")
        said: dict[str, Any] = _query(event)
    elif path and not event.get("body"):
        # The path has named what the request is about; there may be nothing more to say.
        said = {}
    else:
        said = _body(event)
    for name in path:
        if name in said:
            raise InvalidRequest.of_field(name, "stands in the path and must not be repeated")
    return {**said, **path}


def _query(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the query by name, read from its raw text: the gateway joins the values of a repeated name."""
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
    # Four characters of base64 carry three bytes; capped before anything is decoded.
    if len(raw) > (BODY_MAX_BYTES * 4 // 3 + 4 if encoded else BODY_MAX_BYTES):
        raise _too_large()
    data: str | bytes = raw
    if encoded:
        try:
            data = base64.b64decode(raw, validate=True)
        except (binascii.Error, ValueError):
            raise InvalidRequest("the body is marked as base64 and is not") from None
    if len(data if isinstance(data, bytes) else data.encode(errors="surrogatepass")) > BODY_MAX_BYTES:
        raise _too_large()
    try:
        body = read_json(data)
    except ValueError as error:
        raise InvalidRequest(f"the body is not a JSON object: {error}") from None
    if not isinstance(body, dict):
        raise InvalidRequest("the body must be a JSON object")
    return body


def _too_large() -> RequestTooLarge:
    return RequestTooLarge(f"the body must be at most {BODY_MAX_BYTES} bytes")
