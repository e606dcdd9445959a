"""Whether a reply is one that the OpenAPI document describes for its route."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from local.openapi.__main__ import WRITTEN

_URI = "urn:askback:document"


def require_described(route: object, *, status: int, kind: str, body: Any) -> None:
    """Fail unless the document has this status and content type for the route, and a schema that the body fits.

    A member that the schema does not have fails too: programs ignore such members, and the document must not. Events of
    a route that the API does not have are not looked at.
    """
    if not isinstance(route, str) or route not in described_routes():
        return
    schema = _schema(route, status, kind)
    assert schema is not None, f"{route}: {status} {kind} is not described"
    faults = sorted(schema.iter_errors(body), key=lambda fault: len(fault.path))
    assert not faults, f"{route}: {status}: {_most_telling(faults[0])}"


@cache
def described_routes() -> frozenset[str]:
    """Return each route of the document, such as `POST /resume`."""
    paths = closed_document()["paths"]
    return frozenset(f"{method.upper()} {path}" for path, methods in paths.items() for method in methods)


def _most_telling(fault: Any) -> str:
    """Return the deepest error of an alternative, without the value that was sent."""
    while fault.context:
        fault = min(fault.context, key=lambda each: (each.validator == "const", -len(each.path)))
    return f"{fault.json_path} does not fit {fault.validator} {json.dumps(fault.validator_value)[:200]}"


@cache
def closed_document() -> dict[str, Any]:
    """Return the document with replies whose forms have no further members."""
    document: dict[str, Any] = json.loads(WRITTEN.read_text(encoding="utf-8"))
    schemas = document["components"]["schemas"]
    for name, schema in schemas.items():
        schemas[name] = _closed(schema, schemas)
    return document


def _closed(schema: dict[str, Any], schemas: Mapping[str, Any]) -> dict[str, Any]:
    if "allOf" in schema:
        base, own = schemas["Problem"], schema["allOf"][1]
        both = {"properties": {**base["properties"], **own["properties"]}}
        required = sorted({*base["required"], *own["required"]})
        return {"type": "object", **both, "required": required, "additionalProperties": False}
    return {"additionalProperties": False, **schema} if "properties" in schema else schema


def without_security(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document without the authentication of its operations."""
    found: dict[str, Any] = json.loads(json.dumps(document))
    for path in found["paths"].values():
        for operation in path.values():
            del operation["security"]
    del found["security"], found["components"]["securitySchemes"]
    return found


@cache
def _registry() -> Registry[Any]:
    whole: Registry[Any] = Registry().with_resource(_URI, DRAFT202012.create_resource(closed_document()))
    return whole


@cache
def _schema(route: str, status: int, kind: str) -> Draft202012Validator | None:
    method, path = route.split(" ")
    responses = closed_document()["paths"].get(path, {}).get(method.lower(), {}).get("responses", {})
    found = responses.get(str(status), {}).get("content", {}).get(kind)
    if found is None:
        return None
    place = f"#/paths/{path.replace('~', '~0').replace('/', '~1')}/{method.lower()}/responses/{status}/content"
    pointer = f"{place}/{kind.replace('/', '~1')}/schema".replace("{", "%7B").replace("}", "%7D")
    return Draft202012Validator(
        {"$ref": _URI + pointer}, registry=_registry(), format_checker=Draft202012Validator.FORMAT_CHECKER
    )
