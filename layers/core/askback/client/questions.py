"""Functions that write the questions of the built-in interactions, and answers to them.

    client.pause(*ask_user(question("Refund 49.90 EUR?", ["Approve", "Reject"])), run_id=…, scope=…, ttl_seconds=…)

They write the forms of `docs/http-api.md` and check nothing: the deployment refuses a wrong question with
`InvalidRequest` and a wrong answer with `AnswerInvalid`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from askback.client.results import IssuedPause, ShownQuestion

Comment = Literal["none", "optional", "required_to_reject", "required"]


class Asked(NamedTuple):
    """The first two arguments of `pause`: the interaction's name and its payload."""

    name: str
    payload: dict[str, Any]


def question(
    text: str,
    options: Sequence[str | Mapping[str, str]],
    *,
    header: str = "",
    multi_select: bool = False,
    allow_other: bool = False,
) -> dict[str, Any]:
    """Return one question for `ask_user`, with two to four options.

    An option is a label, or a mapping with `label` and, if wanted, `description` and `preview`. `multi_select` allows
    several labels, `allow_other` allows free text.
    """
    return {
        "question": text,
        "header": header,
        "options": [{"label": option} if isinstance(option, str) else dict(option) for option in options],
        "multi_select": multi_select,
        "allow_other": allow_other,
    }


def ask_user(*questions: Mapping[str, Any]) -> Asked:
    """Return an `ask_user` of one to four questions, each made by `question`."""
    return Asked("ask_user", {"questions": [dict(each) for each in questions]})


def approval(
    title: str,
    *,
    action: str,
    arguments: Mapping[str, Any],
    summary: str | None = None,
    editable: Mapping[str, Mapping[str, Any]] | None = None,
    comment: Comment = "optional",
) -> Asked:
    """Return an `approval` of the call `action(**arguments)`.

    `editable` has a field of a JSON Schema for each argument that the person may edit. `comment` says whether a comment
    is allowed or required.
    """
    payload = {
        "title": title,
        "summary": summary,
        "action": {"name": action, "arguments": dict(arguments)},
        "editable": {name: dict(field) for name, field in (editable or {}).items()},
        "comment": comment,
    }
    return Asked("approval", _given(payload))


def form(
    title: str,
    fields: Mapping[str, Mapping[str, Any]],
    *,
    description: str | None = None,
    required: Sequence[str] = (),
) -> Asked:
    """Return a `form` of fields, each a flat JSON Schema such as `{"type": "integer", "minimum": 1}`.

    The page shows the fields in this order. The answer is a mapping with a value for each field.
    """
    schema = {
        "type": "object",
        "properties": {name: dict(field) for name, field in fields.items()},
        "required": list(required),
        "additionalProperties": False,
    }
    payload = {"title": title, "description": description, "schema": schema, "order": list(fields)}
    return Asked("form", _given(payload))


def choose(asked: IssuedPause | ShownQuestion, *choices: str | Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to an `ask_user`: one choice for each question, in the order of the questions.

    A choice is a label, several labels, or a mapping with `other` (free text) and, if wanted, `selections`.

    Raises:
        ValueError: there are more or fewer choices than questions; a question that has ended may have none.
    """
    questions = asked.payload.get("questions", ())
    if len(choices) != len(questions):
        raise ValueError(f"give one choice for each question: {len(questions)}, not {len(choices)}")
    return {
        "answers": [
            {"question_id": each["id"], **_chosen(choice)} for each, choice in zip(questions, choices, strict=True)
        ]
    }


def approve(*, comment: str | None = None, edits: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the answer that approves an action, with new values of editable arguments."""
    return _given({"decision": "approve", "comment": comment, "edits": dict(edits or {})})


def reject(*, comment: str | None = None) -> dict[str, Any]:
    """Return the answer that rejects an action."""
    return _given({"decision": "reject", "comment": comment})


def _chosen(choice: str | Sequence[str] | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(choice, Mapping):
        return choice
    return {"selections": [choice] if isinstance(choice, str) else list(choice)}


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
