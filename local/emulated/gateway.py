"""The local gateway: it finds the route, checks the authorizer, builds the event, answers, and adds CORS.

It does not check two things that a real gateway checks. Signatures: a request on an IAM route
always comes from a fixed local user. Bearer tokens: the claims of a token are not verified.
So never use it on any address but a loopback address.
"""

from __future__ import annotations

import base64
import binascii
import json
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from local.emulated.http_events import FunctionResponseError, Request, Response, build_event, read_result
from local.emulated.routes import Authorizer, Cors, Route, find_route
from local.emulated.template import ACCOUNT

# The caller of every request on an IAM route.
LOCAL_USER: Final = {
    "accessKey": "AKIALOCAL",
    "accountId": ACCOUNT,
    "callerId": "AIDALOCAL",
    "cognitoIdentity": None,
    "principalOrgId": None,
    "userArn": f"arn:aws:iam::{ACCOUNT}:user/local",
    "userId": "AIDALOCAL",
}

Function = Callable[..., Any]


class Gateway:
    """Routes, authorizers and CORS of one API in front of its functions. Safe across threads.

    `functions` maps names to callables; each takes an event and `alias`, the invoked alias, and returns or raises like
    its handler.
    """

    def __init__(
        self,
        *,
        routes: tuple[Route, ...],
        cors: Cors | None,
        functions: Mapping[str, Function],
        tracebacks: bool = False,
    ) -> None:
        self._routes = routes
        self._cors = cors
        self._functions = functions
        self._tracebacks = tracebacks

    def answer(self, request: Request) -> Response:
        """Return the response to a request, with the CORS headers for its origin."""
        origin = request.header("origin")
        preflight = request.method == "OPTIONS" and request.header("access-control-request-method")
        if self._cors and origin and preflight:
            # Before routes and authorizers: a browser sends no credentials with a preflight.
            return Response(status=204, headers=self._cors.preflight_headers(origin))
        response = self._route(request)
        if self._cors:
            kept = {name: value for name, value in response.headers.items() if not name.startswith("access-control-")}
            response = replace(response, headers=kept | self._cors.answer_headers(origin))
        return response

    def _route(self, request: Request) -> Response:
        found = find_route(self._routes, request.method, request.path)
        if found is None:
            return Response.of_gateway(404, "Not Found")
        route, path_parameters = found
        authorizer: dict[str, Any] | None = None
        if route.authorizer is Authorizer.IAM:
            authorizer = {"iam": LOCAL_USER}
        elif route.authorizer is Authorizer.JWT:
            claims = unverified_claims(request.header("authorization"))
            if claims is None:
                return Response.of_gateway(401, "Unauthorized")
            authorizer = {"jwt": {"claims": claims, "scopes": None}}
        event = build_event(request, route, path_parameters=path_parameters, authorizer=authorizer)
        try:
            return read_result(self._functions[route.function](event, alias=route.alias))
        except Exception as error:  # noqa: BLE001  for every exception of a function the caller gets a 500
            self._report(route, error)
            return Response.of_gateway(500, "Internal Server Error")

    def _report(self, route: Route, error: Exception) -> None:
        if self._tracebacks:
            traceback.print_exception(error, file=sys.stderr)
        elif isinstance(error, FunctionResponseError):
            print(f"{route.key}: {route.function} returned an invalid response: {error}", file=sys.stderr)
        else:
            name = type(error).__name__
            print(f"{route.key}: {route.function} raised {name}", file=sys.stderr)


def unverified_claims(authorization: str | None) -> dict[str, str] | None:
    """Return the claims of a bearer token in the gateway's form (all texts); nothing is verified."""
    scheme, _, token = (authorization or "").partition(" ")
    parts = token.strip().split(".")
    if scheme.lower() != "bearer" or len(parts) != 3:
        return None
    try:
        padded = parts[1] + "=" * (-len(parts[1]) % 4)
        claims = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError):
        return None
    if not isinstance(claims, dict):
        return None
    return {name: _claim_text(value) for name, value in claims.items()}


def _claim_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "[" + " ".join(_claim_text(item) for item in value) + "]"
    return json.dumps(value)
