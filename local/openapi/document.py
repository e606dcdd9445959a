"""Puts the document together: paths, parameters, bodies, responses, and the schemas that they name."""

import re
from typing import Any, Final

from pydantic import BaseModel

from askback import __version__
from askback.edge.batch import BATCH_MAX
from askback.edge.lambda_events import CallerAuth
from askback.interactions import APPROVAL_REGISTRATION, ASK_USER_REGISTRATION, FORM_REGISTRATION
from local.openapi import problems
from local.openapi.operations import OF_AN_ITEM, OPERATIONS, Operation
from local.openapi.page import page_paths
from local.openapi.replies import AcceptedItem
from local.openapi.requests import LIMITS
from local.openapi.routes import served_routes
from local.openapi.schemas import ref, schema_name, schemas

_DESCRIPTION: Final = """\
Durable human answers for AI agents. docs/http-api.md says what each route does, and what each field means.

Ignore members of a reply that you do not know. A limit in bytes of UTF-8 is written here as one in characters. Every \
path that is not here leads to the answer page, which answers 302 for a link whose `#` was encoded, and 404."""
_SECURITY: Final[dict[CallerAuth, list[dict[str, list[str]]]]] = {
    CallerAuth.IAM: [{"sigv4": []}],
    CallerAuth.JWT: [{"jwt": []}],
    CallerAuth.LINK: [],
}
_SCHEMES: Final = {
    "sigv4": {
        "type": "apiKey",
        "in": "header",
        "name": "authorization",
        "description": "AWS Signature Version 4 of the service execute-api, by a principal whose policy lets it call.",
        "x-amazon-apigateway-authtype": "awsSigv4",
    },
    "jwt": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A token of the stack's `JwtIssuer`. In a stack without one, these routes do not exist.",
    },
}
_GATEWAY: Final = {404: "Not found", 413: "Too large", 429: "Too many requests", 500: "", 503: ""}
"""What API Gateway refuses itself, with a title where the table of the code has none."""
_GATEWAY_OF: Final = {CallerAuth.IAM: {403: "Not allowed"}, CallerAuth.JWT: {401: ""}, CallerAuth.LINK: {}}
_JSON: Final = "application/json"
_BODILESS: Final = ("GET", "DELETE")


def document() -> dict[str, Any]:
    """Return the OpenAPI document of the whole HTTP API; raises ValueError if a function has other routes."""
    routes = served_routes()
    if routes.keys() != OPERATIONS.keys():
        raise ValueError(f"functions and document differ in {sorted(routes.keys() ^ OPERATIONS.keys())}")
    named = schemas(_classes())
    paths: dict[str, dict[str, Any]] = {}
    for route, operation in OPERATIONS.items():
        method, path = route.split(" ")
        paths.setdefault(path, {})[method.lower()] = _operation(route, operation, routes[route], named)
    components = _without_parameters(named) | _batches() | problems.schemas()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "askback",
            "version": __version__,
            "description": _DESCRIPTION,
            "license": {"name": "Apache 2.0", "identifier": "Apache-2.0"},
        },
        "servers": [
            {
                "url": "https://{api}.execute-api.{region}.amazonaws.com",
                "variables": {"api": {"default": "api"}, "region": {"default": "eu-west-1"}},
            }
        ],
        "security": [],
        "paths": paths | page_paths(),
        "components": {"securitySchemes": _SCHEMES, "schemas": dict(sorted(components.items()))},
    }


def _classes() -> list[Any]:
    """Return every class whose schema the document has, besides those that these classes name."""
    bodies = [operation.body for operation in OPERATIONS.values()]
    items = [operation.items for operation in OPERATIONS.values() if operation.items]
    replies = [reply for operation in OPERATIONS.values() for forms in operation.replies.values() for reply in forms]
    # A payload and an answer have the form that their interaction chooses; these are the built-in ones.
    built_in = [
        each
        for registration in (ASK_USER_REGISTRATION, APPROVAL_REGISTRATION, FORM_REGISTRATION)
        for each in (registration.payload_schema, registration.response_schema)
        if isinstance(each, type) and issubclass(each, BaseModel)
    ]
    return list(dict.fromkeys([*bodies, *items, *replies, *built_in, *LIMITS]))


def _operation(route: str, operation: Operation, auth: CallerAuth, named: dict[str, Any]) -> dict[str, Any]:
    body = named[schema_name(operation.body)]
    in_path = _in_path(route)
    rest = _without(body, in_path)
    parameters = [_parameter("path", name, body) for name in in_path]
    said: dict[str, Any] = {
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "security": _SECURITY[auth],
    }
    if route.startswith(_BODILESS):
        parameters += [_parameter("query", name, body) for name in rest["properties"]]
    else:
        schema = _body_schema(operation) if rest["properties"] else {"type": "object", "additionalProperties": False}
        # The path has the id of the pause, so a body without a field of its own can be absent.
        required = not in_path or bool(rest["required"])
        said["requestBody"] = {"required": required, "content": {_JSON: {"schema": schema}}}
    if parameters:
        said["parameters"] = parameters
    said["responses"] = {
        **{str(status): _reply(operation, forms) for status, forms in operation.replies.items()},
        **problems.responses(operation.refusals, gateway=_GATEWAY | _GATEWAY_OF[auth]),
    }
    return said


def _in_path(route: str) -> list[str]:
    return re.findall(r"{(\w+)}", route)


def _without(body: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the schema of a body without the fields that stand in the path."""
    properties = {name: schema for name, schema in body["properties"].items() if name not in names}
    return {**body, "properties": properties, "required": [n for n in body.get("required", []) if n not in names]}


def _parameter(place: str, name: str, body: dict[str, Any]) -> dict[str, Any]:
    schema = body["properties"][name]
    # A query has no null: a field that can be null can be absent.
    given = next((each for each in schema.get("anyOf", []) if each != {"type": "null"}), schema)
    return {"name": name, "in": place, "required": name in body.get("required", []), "schema": given}


def _body_schema(operation: Operation) -> dict[str, Any]:
    return ref(_batch_name(operation.items) if operation.items else schema_name(operation.body))


def _reply(operation: Operation, forms: tuple[Any, ...]) -> dict[str, Any]:
    refs = [ref(_BATCH_RESULT if operation.items else schema_name(form)) for form in forms]
    schema = refs[0] if len(refs) == 1 else {"anyOf": refs}
    return {"description": operation.summary, "content": {_JSON: {"schema": schema}}}


_BATCH_RESULT: Final = "BatchResult"
_REFUSED_ITEM: Final = "RefusedItem"


def _batch_name(item: type[BaseModel]) -> str:
    return f"{schema_name(item)}Batch"


def _batches() -> dict[str, Any]:
    """Return the schemas of batches; the code reads the items one by one, so no model has their list."""
    items = {operation.items for operation in OPERATIONS.values() if operation.items}
    batches = {_batch_name(item): _items(ref(schema_name(item)), minItems=1, maxItems=BATCH_MAX) for item in items}
    results = {"anyOf": [ref(schema_name(AcceptedItem)), ref(_REFUSED_ITEM)]}
    refused = problems.any_of(OF_AN_ITEM)
    return batches | {
        _BATCH_RESULT: {"description": "One result for each item, in the same order.", **_items(results)},
        _REFUSED_ITEM: {
            "description": "An item of a batch that was refused, with the problem that it alone would get.",
            "type": "object",
            "properties": {"status": {"type": "integer"}, "problem": refused},
            "required": ["status", "problem"],
        },
    }


def _items(each: dict[str, Any], **limits: int) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"items": {"type": "array", "items": each, **limits}},
        "required": ["items"],
    }


def _without_parameters(named: dict[str, Any]) -> dict[str, Any]:
    """Return the schemas, each body without what is in its path or query, and no body that has nothing else."""
    found = dict(named)
    for route, operation in OPERATIONS.items():
        name = schema_name(operation.body)
        rest = _without(named[name], _in_path(route))
        if operation.items or route.startswith(_BODILESS) or not rest["properties"]:
            found.pop(name, None)
        else:
            found[name] = {**rest, "required": rest["required"]} if rest["required"] else _drop(rest, "required")
    return found


def _drop(schema: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != name}
