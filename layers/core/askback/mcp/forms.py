"""The built-in interactions as forms of MCP's form elicitation, and what a client sends back as answers to them.

A form of MCP is flat: an object of texts, numbers, yes or no, and lists of choices. The names of its fields are enough
to make the answer, so a retry in another process needs no question. Nothing is checked here: the deployment checks the
answer against the recorded question.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

OTHER = "-other"
"""Follows the id of a question in the name of the field for free text."""
EDIT = "edit-"
"""Stands before the name of an argument in the name of the field that edits it."""


class Form(NamedTuple):
    """What a client shows: a text, and either the schema of a flat object or an address to open."""

    message: str
    schema: Mapping[str, Any] = MappingProxyType({})
    url: str = ""


def form_of(name: str, payload: Mapping[str, Any]) -> Form | None:
    """Return the form of a recorded question, or None for an interaction that has none here."""
    make = {"ask_user": _ask_user, "approval": _approval, "form": _form}.get(name)
    return None if make is None else make(payload)


def response_of(name: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer that a client's content gives; a field of null is a field without a value."""
    given = {field: value for field, value in content.items() if value is not None}
    if name == "ask_user":
        return _chosen(given)
    return _decided(given) if name == "approval" else given


def _ask_user(payload: Mapping[str, Any]) -> Form:
    lines: list[str] = []
    fields: dict[str, Any] = {}
    for question in payload["questions"]:
        choice = {"type": "string", "enum": [option["label"] for option in question["options"]]}
        several = {"type": "array", "items": choice}
        title = question["header"] or question["question"]
        fields[question["id"]] = {"title": title, **(several if question["multi_select"] else choice)}
        if question["allow_other"]:
            fields[question["id"] + OTHER] = {"title": f"{title}: another answer", "type": "string"}
        lines.append(question["question"])
        for option in question["options"]:
            said = "\n".join(filter(None, (option["description"], option["preview"])))
            lines += [f"- {option['label']}: {said}"] if said else []
    # A question that takes free text needs one of its two fields, which a flat schema cannot say.
    required = [name for name in fields if not name.endswith(OTHER) and name + OTHER not in fields]
    return Form("\n".join(lines), _object(fields, required))


def _chosen(content: Mapping[str, Any]) -> dict[str, Any]:
    answers: dict[str, dict[str, Any]] = {}
    for field, value in content.items():
        answer = answers.setdefault(field.removesuffix(OTHER), {"selections": []})
        if field.endswith(OTHER):
            answer["other"] = value
        else:
            answer["selections"] = value if isinstance(value, list) else [value]
    return {"answers": [{"question_id": question, **answer} for question, answer in answers.items()]}


def _approval(payload: Mapping[str, Any]) -> Form:
    action = payload["action"]
    lines = [payload["title"], payload.get("summary"), f"{action['name']} {json.dumps(action['arguments'], indent=1)}"]
    # Without a default: a person who only presses the button has not approved.
    fields: dict[str, Any] = {"decision": {"title": "Decision", "type": "string", "enum": ["approve", "reject"]}}
    for name, field in payload.get("editable", {}).items():
        fields[EDIT + name] = {"title": name, "description": "Empty keeps the value.", **_field(field)}
    comment = payload.get("comment")
    if comment != "none":
        fields["comment"] = {"title": "Comment", "type": "string"}
    required = ["decision", *(["comment"] if comment == "required" else [])]
    return Form("\n\n".join(filter(None, lines)), _object(fields, required))


def _decided(content: Mapping[str, Any]) -> dict[str, Any]:
    edits = {field.removeprefix(EDIT): value for field, value in content.items() if field.startswith(EDIT)}
    answer = {field: value for field, value in content.items() if not field.startswith(EDIT)}
    # A client sends every field that it shows; an empty comment is none.
    if answer.get("comment") == "":
        del answer["comment"]
    return {**answer, "edits": edits} if edits and answer.get("decision") == "approve" else answer


def _form(payload: Mapping[str, Any]) -> Form:
    schema = payload["schema"]
    fields = {name: _field(schema["properties"][name]) for name in payload["order"]}
    lines = [payload["title"], payload.get("description")]
    return Form("\n\n".join(filter(None, lines)), _object(fields, schema.get("required", [])))


def _field(field: Mapping[str, Any]) -> dict[str, Any]:
    """Return a field in MCP's words: it has `title` and `const` for a choice with a name, and no `uniqueItems`."""
    written = {keyword: value for keyword, value in field.items() if keyword != "uniqueItems"}
    if "items" in written:
        written["items"] = _choices(written["items"], "anyOf")
    return _choices(written, "oneOf")


def _choices(field: Mapping[str, Any], keyword: str) -> dict[str, Any]:
    named = dict(field)
    names = named.pop("enumNames", None)
    if names is None:
        return named
    choices = named.pop("enum")
    if keyword == "anyOf":
        named.pop("type")
    return named | {keyword: [{"const": const, "title": name} for const, name in zip(choices, names, strict=True)]}


def _object(fields: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": required}
