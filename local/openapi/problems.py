"""The schemas of the refusals, from the table of the code: one schema for each code and status."""

import inspect
from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Any, ClassVar, get_args, get_origin

from askback.domain.errors import ERRORS_SHOWN, REFUSALS, HumanInteractionError
from askback.edge.problems import internal_problem, problem
from local.openapi.schemas import ref as _ref, unwrapped

INTERNAL = "Internal"
"""The schema of an unexpected error, which has no class."""
GATEWAY = "GatewayRefusal"
PROBLEM = "Problem"
_TIME = "2026-01-02T03:04:05Z"
_JSON, _PROBLEM_JSON = "application/json", "application/problem+json"


def schema_name(refusal: type[HumanInteractionError]) -> str:
    """Return the name of the schema of a refusal, which is that of its class."""
    return refusal.__name__


def schemas() -> dict[str, Any]:
    """Return the schema of every refusal, of their base, and of a refusal of the gateway."""
    return {
        PROBLEM: _base(),
        "FieldError": {
            "description": "The error of one field of a body.",
            "type": "object",
            "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            "required": ["field", "message"],
        },
        GATEWAY: {
            "description": "A refusal of API Gateway itself; it has no code.",
            "type": "object",
            "properties": {"message": {"type": "string"}},
            "required": ["message"],
        },
        INTERNAL: _of(internal_problem(), "An unexpected error; the log has its cause.", {}, ()),
        **{schema_name(refusal): _refusal(refusal) for refusal in REFUSALS},
    }


def responses(refusals: Iterable[type[HumanInteractionError]], *, gateway: Mapping[int, str]) -> dict[str, Any]:
    """Return the responses of an operation that is refused in these ways; `gateway` has what API Gateway can refuse."""
    names: dict[int, list[str]] = {500: [INTERNAL]}
    titles = {500: internal_problem()["title"]}
    for refusal in sorted(set(refusals), key=REFUSALS.index):
        names.setdefault(refusal.status, []).append(schema_name(refusal))
        titles[refusal.status] = _document(refusal)["title"]
    found: dict[str, Any] = {}
    for status in sorted(names.keys() | gateway.keys()):
        content = {_PROBLEM_JSON: {"schema": _one_of(names[status])}} if status in names else {}
        if status in gateway:
            content[_JSON] = {"schema": _ref(GATEWAY)}
        found[str(status)] = {"description": titles.get(status) or gateway[status], "content": content}
        if status == 503:
            found["503"]["headers"] = {
                "retry-after": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
            }
    return found


def any_of(refusals: Iterable[type[HumanInteractionError]]) -> dict[str, Any]:
    """Return the schema of one of these refusals, or of an unexpected error; two of them can have one code."""
    names = [schema_name(refusal) for refusal in sorted(set(refusals), key=REFUSALS.index)]
    return {"anyOf": [_ref(name) for name in (*names, INTERNAL)]}


def _one_of(names: Iterable[str]) -> dict[str, Any]:
    refs = [_ref(name) for name in names]
    return refs[0] if len(refs) == 1 else {"oneOf": refs}


def _base() -> dict[str, Any]:
    kinds = {str: "string", int: "integer", bool: "boolean"}
    document = internal_problem()
    return {
        "description": "A refusal (RFC 9457). Treat a code that you do not know by its status.",
        "type": "object",
        "properties": {name: {"type": kinds[type(value)]} for name, value in document.items()},
        "required": list(document),
    }


def _refusal(refusal: type[HumanInteractionError]) -> dict[str, Any]:
    members: dict[str, Any] = {
        name: {"type": "string", "format": "date-time"} if int in _kinds(kind) else {"type": "string"}
        for name, kind in _own_members(refusal).items()
    }
    required = [name for name, kind in _own_members(refusal).items() if type(None) not in _kinds(kind)]
    if "errors" in inspect.signature(refusal).parameters:
        members["errors"] = {"type": "array", "items": _ref("FieldError"), "maxItems": ERRORS_SHOWN}
    text = unwrapped(refusal.__doc__ or "") + f"\n\nWho must act: {refusal.acts.value}."
    return _of(_document(refusal), text, members, required)


def _own_members(refusal: type[HumanInteractionError]) -> dict[str, Any]:
    """Return the members that this class has besides those of every problem, with their types; a time is an int."""
    return {name: kind for name, kind in inspect.get_annotations(refusal).items() if not _is_of_the_class(kind)}


def _is_of_the_class(kind: Any) -> bool:
    origin: Any = get_origin(kind)
    return origin is ClassVar


def _kinds(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if isinstance(kind, UnionType) else (kind,)


def _document(refusal: type[HumanInteractionError]) -> dict[str, Any]:
    """Return a problem document of the class, as the edge makes it."""
    return problem(refusal.from_problem(dict.fromkeys(_own_members(refusal), _TIME)))


def _of(document: dict[str, Any], text: str, members: dict[str, Any], required: Iterable[str]) -> dict[str, Any]:
    fixed = {name: {"const": document[name]} for name in ("type", "title", "status", "code", "retryable")}
    return {
        "description": text,
        "allOf": [
            _ref(PROBLEM),
            {"type": "object", "properties": {**fixed, **members}, "required": [*fixed, *required]},
        ],
    }
