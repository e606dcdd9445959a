"""The schemas of bodies and replies, as pydantic says them, with the limits of the domain and with plain names."""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from askback.domain.interactions.ask_user import AskUserQuestion
from askback.domain.interactions.form import FormRequest
from local.openapi.requests import LIMITS

PREFIX = "#/components/schemas/"
NAMES = {
    "PauseListBody": "ListPauses",
    "PauseBody": "NamedPause",
    "MintBody": "CreatePause",
    "LinksBody": "FetchLinks",
    "AskerRevocationBody": "RevokeQuestion",
    "ClarificationBody": "Clarify",
    "OutcomeBody": "FetchOutcome",
    "QuestionBody": "ReadQuestion",
    "UserQuestionBody": "ReadUserQuestion",
    "QuestionBackBody": "AskBack",
    "UserQuestionBackBody": "UserAskBack",
    "DelegationBody": "Delegate",
    "UserDelegationBody": "UserDelegate",
    "LinkRevocationBody": "RevokeLink",
    "ExtensionBody": "ExtendPause",
    "ReassignmentBody": "ReassignPause",
}
"""Names of schemas that are not those of their classes; of every other class, `Body` at the end is left out."""
_SET_BY_THE_SERVER: Mapping[type[BaseModel], str] = {AskUserQuestion: "id", FormRequest: "order"}
"""What a recorded payload has, and a request need not have."""


class _WithoutTitles(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def schema_name(model: Any) -> str:
    """Return the name of the schema of a class."""
    return _name(model.__name__)


def _name(own: str) -> str:
    return NAMES.get(own, own.removesuffix("Body"))


def ref(name: str) -> dict[str, str]:
    """Return the reference to a schema."""
    return {"$ref": PREFIX + name}


def schemas(classes: Iterable[Any]) -> dict[str, Any]:
    """Return the schema of each class and of all that it names, by the plain name."""
    classes = list(dict.fromkeys(classes))
    inputs = [(each.__name__, "validation", TypeAdapter(each)) for each in classes]
    _, whole = TypeAdapter.json_schemas(inputs, ref_template=PREFIX + "{model}", schema_generator=_WithoutTitles)  # type: ignore[arg-type]
    found: dict[str, Any] = whole["$defs"]
    for model, fields in LIMITS.items():
        for name, limits in fields.items():
            _limit(found[model.__name__]["properties"], name, limits)
    for model, name in _SET_BY_THE_SERVER.items():
        found[model.__name__]["required"].remove(name)
    named = {_name(name): plain(schema) for name, schema in found.items()}
    if len(named) < len(found):
        raise ValueError("two classes have the same name in the document")
    return named


def _limit(properties: dict[str, Any], name: str, limits: Mapping[str, Any]) -> None:
    """Add the limits to the schema of a field, or to that of its value if it can also be null."""
    schema = properties[name]
    alternatives = schema.get("anyOf", [])
    target = next((each for each in alternatives if each != {"type": "null"}), schema)
    for key, limit in limits.items():
        target[key] = {**target.get(key, {}), **limit} if isinstance(limit, dict) else limit


def plain(schema: Any) -> Any:
    """Return a schema with plain names, without titles of classes and defaults that say nothing."""
    if isinstance(schema, list):
        return [plain(each) for each in schema]
    if isinstance(schema, str):
        return PREFIX + _name(schema.removeprefix(PREFIX)) if schema.startswith(PREFIX) else schema
    if not isinstance(schema, dict):
        return schema
    kept = {name: plain(value) for name, value in schema.items()}
    if isinstance(kept.get("title"), str):
        del kept["title"]
    if kept.get("default", 0) in (None, ""):
        del kept["default"]
    if isinstance(kept.get("description"), str):
        kept["description"] = unwrapped(kept["description"])
    return kept


def unwrapped(text: str) -> str:
    """Return a text whose paragraphs are lines."""
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))
