"""The answer to a built-in interaction as one flat JSON object, for programs that draw forms from a JSON Schema.

AG-UI and A2A carry such objects. The names are `approved`, `editedArgs` and `comment` of an approval, the ids of the
questions of an `ask_user`, and the fields of a form. An interaction of an adopter's own has no flat form: its answer
goes as it is.

Reading fails closed: what is not clearly an answer is refused, and nothing is left out of it. Only `true` approves; a
text never does. The deployment checks the answer again against the recorded question.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from askback.domain.errors import InvalidRequest
from askback.domain.json_text import Json, canonical_text, require_json

APPROVAL, ASK_USER, FORM = "approval", "ask_user", "form"
TITLE_MAX_CHARACTERS = 100
"""The longest title of a field, as in a `form`; a longer question is the description."""


class OpenPause(Protocol):
    """The part of the client's `IssuedPause` that a front end or another agent may see: no token, and no link."""

    @property
    def jti(self) -> str:
        """The id of the pause."""
        ...

    @property
    def name(self) -> str:
        """The interaction."""
        ...

    @property
    def payload(self) -> Mapping[str, Any]:
        """The question, with the ids of the deployment."""
        ...

    @property
    def tool_call_id(self) -> str:
        """The call that waits for the answer; empty without one."""
        ...

    @property
    def expires_at(self) -> int:
        """Epoch seconds."""
        ...


def question_text(name: str, payload: Mapping[str, Any]) -> str:
    """Return what a person is asked, in one text; the name of the interaction if it is an adopter's own."""
    if name == ASK_USER:
        return "\n".join(each["question"] for each in payload["questions"])
    if name == APPROVAL:
        return "\n\n".join(text for text in (payload["title"], payload.get("summary")) if text)
    if name == FORM:
        return "\n\n".join(text for text in (payload["title"], payload.get("description")) if text)
    return name


def flat_schema(name: str, payload: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the JSON Schema of the flat answer; None for an interaction of an adopter's own."""
    if name == ASK_USER:
        questions = {each["id"]: _question_schema(each) for each in payload["questions"]}
        return _object(questions, required=list(questions))
    if name == APPROVAL:
        return _approval_schema(payload)
    if name == FORM:
        return dict(payload["schema"])
    return None


def read_flat(name: str, payload: Mapping[str, Any], value: Json, *, at: str) -> Json:
    """Return the `response` that a flat answer stands for; `at` is its path in what was received.

    Raises:
        InvalidRequest: it is not an answer to this question; the error has the path of the field.
    """
    require_json(value, at=at)
    readers = {ASK_USER: _read_choices, APPROVAL: _read_decision, FORM: _read_values}
    if name not in readers:
        return value
    if not isinstance(value, Mapping):
        raise InvalidRequest.of_field(at, "must be an object")
    return readers[name](payload, value, at)


def _object(properties: dict[str, Any], *, required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


# --- ask_user: an id of a question, and the label or the labels -------------------------------------------------------


def _labels(question: Mapping[str, Any]) -> list[str]:
    return [option["label"] for option in question["options"]]


def _question_schema(question: Mapping[str, Any]) -> dict[str, Any]:
    text, labels = question["question"], _labels(question)
    named = {"title": text} if len(text) <= TITLE_MAX_CHARACTERS else {"description": text}
    choice: dict[str, Any] = {"type": "string"}
    if question.get("allow_other"):
        # An `enum` would exclude every other text.
        named["description"] = f"{named.get('description', '')} {', '.join(labels)}, or another text".strip()
    else:
        choice["enum"] = labels
    if question.get("multi_select"):
        return {"type": "array", "items": choice, "uniqueItems": True, **named}
    return {**choice, **named}


def _read_choices(payload: Mapping[str, Any], value: Mapping[str, Any], at: str) -> Json:
    questions = {each["id"]: each for each in payload["questions"]}
    _refuse_others(value, questions, at)
    return {"answers": [_read_choice(each, value, f"{at}.{name}") for name, each in questions.items()]}


def _read_choice(question: Mapping[str, Any], value: Mapping[str, Any], at: str) -> Json:
    chosen = value.get(question["id"])
    texts = chosen if isinstance(chosen, list) and question.get("multi_select") else [chosen]
    if not all(isinstance(text, str) for text in texts):
        raise InvalidRequest.of_field(at, "must be a label of the question")
    labels = _labels(question)
    selections, others = [text for text in texts if text in labels], [text for text in texts if text not in labels]
    if len(others) > (1 if question.get("allow_other") else 0):
        raise InvalidRequest.of_field(at, "must be a label of the question")
    answer = {"question_id": question["id"], "selections": selections}
    return {**answer, "other": others[0]} if others else answer


# --- approval: `approved`, the whole new arguments, and a comment -----------------------------------------------------


def _approval_schema(payload: Mapping[str, Any]) -> dict[str, Any]:
    comment, editable = payload.get("comment", "optional"), payload.get("editable")
    properties: dict[str, Any] = {"approved": {"type": "boolean"}}
    if editable:
        properties["editedArgs"] = {
            "type": "object",
            "description": "All arguments of the call; only the listed ones may differ from the proposed call.",
            "properties": dict(editable),
        }
    if comment != "none":
        properties["comment"] = {"type": "string"}
    return _object(properties, required=["approved", *(["comment"] if comment == "required" else [])])


def _read_decision(payload: Mapping[str, Any], value: Mapping[str, Any], at: str) -> Json:
    _refuse_others(value, ("approved", "editedArgs", "comment"), at)
    approved, comment, edited = value.get("approved"), value.get("comment"), value.get("editedArgs")
    if not isinstance(approved, bool):
        raise InvalidRequest.of_field(f"{at}.approved", "must be true or false")
    if not isinstance(comment, str | None):
        raise InvalidRequest.of_field(f"{at}.comment", "must be a string")
    decision: dict[str, Any] = {"decision": "approve" if approved else "reject"}
    if comment is not None:
        decision["comment"] = comment
    if edited is None:
        return decision
    if not approved:
        raise InvalidRequest.of_field(f"{at}.editedArgs", "are allowed with an approval only")
    return {**decision, "edits": _edits(payload, edited, f"{at}.editedArgs")}


def flat_decision(response: Mapping[str, Any]) -> dict[str, Any]:
    """Return the flat answer of a recorded approval, without its comment: `editedArgs` only if something was edited."""
    approved = response["decision"] == "approve"
    edited = {"editedArgs": response["arguments"]} if approved and response["edits"] else {}
    return {"approved": approved, **edited}


def _edits(payload: Mapping[str, Any], edited: Json, at: str) -> Json:
    proposed, editable = payload["action"]["arguments"], payload.get("editable", {})
    if not isinstance(edited, Mapping) or edited.keys() != proposed.keys():
        # They replace all arguments. A missing one could mean "as proposed" or "without it", so it is refused.
        raise InvalidRequest.of_field(at, "must have every argument of the proposed call, and no other")
    edits = {name: _whole(value, editable.get(name, {})) for name, value in edited.items()}
    edits = {name: value for name, value in edits.items() if canonical_text(value) != canonical_text(proposed[name])}
    if not edits.keys() <= editable.keys():
        raise InvalidRequest.of_field(at, "changes an argument that is not editable")
    return edits


# --- form: its own fields ---------------------------------------------------------------------------------------------


def _read_values(payload: Mapping[str, Any], value: Mapping[str, Any], at: str) -> Json:
    fields = payload["schema"]["properties"]
    _refuse_others(value, fields, at)
    return {name: _whole(each, fields[name]) for name, each in value.items()}


def _whole(value: Json, field: Mapping[str, Any]) -> Json:
    """Return a whole number as an `int` where the field wants one: protobuf carries every number as a double."""
    whole = field.get("type") == "integer" and isinstance(value, float) and value.is_integer()
    return int(value) if whole else value


def _refuse_others(value: Mapping[str, Any], known: Mapping[str, Any] | tuple[str, ...], at: str) -> None:
    if not value.keys() <= set(known):
        raise InvalidRequest.of_field(at, "has a field that the question does not have")
