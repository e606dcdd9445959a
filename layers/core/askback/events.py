"""Lambda events, read into one kind of request: HTTP API payload format 2.0, or a direct invocation.

Who calls is told by the route and by what the gateway's authorizer put into the event, never by what the body claims.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from askback.domain.errors import HumanInteractionError, InvalidRequest, RequestTooLarge, Unauthenticated
from askback.domain.json_text import read_json
from askback.domain.limits import BODY_MAX_BYTES


class UnknownRoute(HumanInteractionError):
    """There is no such route on this function."""

    code = "unknown-route"


class Via(StrEnum):
    """How a request was let in."""

    DIRECT = "direct"
    IAM = "iam"
    JWT = "jwt"
    LINK = "link"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls: the IAM principal's ARN if there is one, or the claims of a verified JWT."""

    via: Via
    arn: str = ""
    jwt_claims: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request: the route it came by, the caller, and the JSON object it carries.

    `route` is `POST /resume` and the like, or the name of a direct action.
    """

    route: str
    caller: Caller
    body: dict[str, Any]


def is_http(event: object) -> bool:
    """Tell whether a gateway sent the event, so that the caller expects an HTTP response."""
    return isinstance(event, Mapping) and isinstance(event.get("requestContext"), Mapping)


def read_http(event: Mapping[str, Any], routes: Mapping[str, Via], *, trust_unsigned: bool) -> Request:
    """Read an HTTP API event for one of `routes`, each with the way its callers are let in.

    Raises:
        InvalidRequest, RequestTooLarge: payload format 1.0, or a body that is not a JSON object of at most 1 MB.
        UnknownRoute: no such route.
        Unauthenticated: the route's authorizer left nothing in the event. The route is then open by mistake, and its
            caller is not believed.
    """
    context = event["requestContext"]
    if not isinstance(context.get("http"), Mapping):
        raise InvalidRequest("the event has payload format 1.0; set the integration's payload format to 2.0")
    route = _route(event, routes)
    caller = _caller(context.get("authorizer"), routes[route], trust_unsigned=trust_unsigned)
    return Request(route=route, caller=caller, body=_body(event))


def read_direct(event: object, actions: frozenset[str], *, default: str) -> Request:
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
    return Request(route=action, caller=Caller(via=Via.DIRECT), body=body)


def _route(event: Mapping[str, Any], routes: Mapping[str, Via]) -> str:
    key = event.get("routeKey")
    if isinstance(key, str) and key in routes:
        return key
    # Only a catch-all route comes here. A stage or a custom domain's base path may stand before the route.
    method = event["requestContext"]["http"].get("method")
    path = event.get("rawPath")
    if isinstance(method, str) and isinstance(path, str):
        matches = [
            name for name in routes if f"{method} " == name[: len(method) + 1] and path.endswith(name.split(" ")[1])
        ]
        if matches:
            return max(matches, key=len)
    raise UnknownRoute("there is no such route")


def _caller(authorizer: object, via: Via, *, trust_unsigned: bool) -> Caller:
    if via is Via.LINK:
        return Caller(via=via)
    found = authorizer.get(via.value) if isinstance(authorizer, Mapping) else None
    if isinstance(found, Mapping):
        if via is Via.IAM:
            return Caller(via=via, arn=str(found.get("userArn") or ""))
        if isinstance(found.get("claims"), Mapping):
            return Caller(via=via, jwt_claims=found["claims"])
    if via is Via.IAM and trust_unsigned:
        return Caller(via=via)
    raise Unauthenticated("this route needs a caller that the gateway has authenticated")


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
