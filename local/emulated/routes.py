"""The routes of the template's HTTP API: the function and the authorizer of each request."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from local.emulated.template import Resolver, TemplateError

_INTEGRATION = re.compile(r":function:(?P<name>[^/:]+)(?::(?P<alias>[^/:]+))?/invocations$")


class Authorizer(Enum):
    """How the gateway authorizes a request."""

    IAM = "iam"
    JWT = "jwt"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One route: `key` is its name in the event; it invokes `alias` of the function named `function`, if it has one."""

    method: str
    path: str
    authorizer: Authorizer
    function: str
    alias: str = ""

    @property
    def key(self) -> str:
        return f"{self.method} {self.path}"

    def match(self, method: str, path: str) -> dict[str, str] | None:
        """Return the path parameters when this route matches the request, else None."""
        if self.method not in ("ANY", method):
            return None
        pattern = re.escape(self.path)
        pattern = re.sub(r"\\\{(\w+)\\\+\\\}", r"(?P<\1>.+)", pattern)
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", pattern)
        found = re.fullmatch(pattern, path)
        return None if found is None else found.groupdict()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cors:
    """The gateway's CORS headers. They replace the CORS headers of a function."""

    origins: tuple[str, ...]
    headers: tuple[str, ...]
    methods: tuple[str, ...]
    exposed: tuple[str, ...]
    max_age: int | None
    credentials: bool

    def answer_headers(self, origin: str | None) -> dict[str, str]:
        """Return the headers of every response, also of errors; none for an origin that is not allowed."""
        allowed = None if origin is None else self._allowed(origin)
        if allowed is None:
            return {}
        headers = {"access-control-allow-origin": allowed}
        if self.credentials:
            headers["access-control-allow-credentials"] = "true"
        if self.exposed:
            headers["access-control-expose-headers"] = ",".join(self.exposed)
        return headers

    def preflight_headers(self, origin: str) -> dict[str, str]:
        """Return the headers of the response to a preflight."""
        headers = self.answer_headers(origin)
        if not headers:
            return {}
        headers.pop("access-control-expose-headers", None)
        headers["access-control-allow-methods"] = ",".join(self.methods)
        headers["access-control-allow-headers"] = ",".join(self.headers)
        if self.max_age is not None:
            headers["access-control-max-age"] = str(self.max_age)
        return headers

    def _allowed(self, origin: str) -> str | None:
        if "*" in self.origins:
            return "*"
        listed = any(fnmatch.fnmatchcase(origin, pattern) for pattern in self.origins)
        return origin if listed else None


def read_routes(resolver: Resolver) -> tuple[Route, ...]:
    """Return every route that exists with these parameters, the most specific first."""
    api = _api(resolver)
    default = resolver.resolve(api.get("Auth", {}).get("DefaultAuthorizer"))
    definition = resolver.resolve(api["DefinitionBody"])
    schemes = definition.get("components", {}).get("securitySchemes", {})
    routes = [
        Route(
            method="ANY" if method == "x-amazon-apigateway-any-method" else method.upper(),
            path=path,
            authorizer=_authorizer(operation.get("security"), default, schemes),
            **_target(operation, where=f"{method} {path}"),
        )
        for path, operations in definition["paths"].items()
        for method, operation in operations.items()
    ]
    return tuple(sorted(routes, key=_specificity))


def read_cors(resolver: Resolver) -> Cors | None:
    """Return the API's CORS configuration, or None."""
    given = resolver.resolve(_api(resolver)["DefinitionBody"]).get("x-amazon-apigateway-cors")
    if not given:
        return None
    return Cors(
        origins=_texts(given.get("allowOrigins")),
        headers=_texts(given.get("allowHeaders")),
        methods=_texts(given.get("allowMethods")),
        exposed=_texts(given.get("exposeHeaders")),
        max_age=int(given["maxAge"]) if "maxAge" in given else None,
        credentials=str(given.get("allowCredentials", False)).lower() == "true",
    )


def find_route(routes: Iterable[Route], method: str, path: str) -> tuple[Route, dict[str, str]] | None:
    """Return the first route that matches the request, with its path parameters."""
    for route in routes:
        parameters = route.match(method, path)
        if parameters is not None:
            return route, parameters
    return None


def _api(resolver: Resolver) -> dict[str, Any]:
    apis = resolver.resources("AWS::Serverless::HttpApi")
    if len(apis) != 1:
        raise TemplateError(f"expected one HTTP API in the template, found {len(apis)}")
    return next(iter(apis.values()))


def _authorizer(security: list[dict[str, Any]] | None, default: str | None, schemes: Mapping[str, Any]) -> Authorizer:
    # A route has exactly one authorizer; a route without its own has the API's default.
    named = next(iter(security[0])) if security else default
    if named is None or named == "NONE":
        return Authorizer.NONE
    if named == "AWS_IAM":
        return Authorizer.IAM
    scheme = schemes.get(named, {}).get("x-amazon-apigateway-authorizer", {})
    if scheme.get("type") == "jwt":
        return Authorizer.JWT
    raise TemplateError(f"the local gateway does not support the authorizer {named}")


def _target(operation: Mapping[str, Any], *, where: str) -> dict[str, str]:
    integration = operation.get("x-amazon-apigateway-integration", {})
    found = _INTEGRATION.search(integration.get("uri", ""))
    if found is None or integration.get("payloadFormatVersion") != "2.0":
        raise TemplateError(f"{where} has no function with payload format 2.0")
    return {"function": found["name"], "alias": found["alias"] or ""}


def _specificity(route: Route) -> tuple[bool, bool, bool]:
    return "+}" in route.path, "{" in route.path, route.method == "ANY"


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(item) for item in value or ())
