"""The built-in interaction `approval`: a person approves a proposed action, with or without edits, or rejects it.

The recorded answer contains every edit with its value before and after, and the arguments to run the action with. A
rejection has no arguments, so a program that reads only the arguments cannot run a rejected action.
"""

from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from askback.domain.errors import FieldError
from askback.domain.interactions.form_fields import DOES_NOT_FIT, FieldName, FormField, SchemaModel, fault
from askback.domain.interactions.new_fields import new_field_errors
from askback.domain.json_text import Json, canonical_text
from askback.domain.visible_text import is_blank, look_different
from askback.domain.written_numbers import WrittenNumber

ARGUMENTS_MAX = 50
COMMENT_MAX_CHARACTERS = 2000


class ProposedAction(SchemaModel):
    """The tool call that the agent proposes."""

    name: str = Field(min_length=1, max_length=128)
    arguments: Annotated[dict[FieldName, Any], Field(max_length=ARGUMENTS_MAX)]


class ApprovalRequest(SchemaModel):
    """A title of 1 to 200 characters, a summary of up to 2,000, the action, and the arguments that may be edited.

    `editable` has a field for each argument that the person may edit. `comment` says whether a comment is allowed or
    required.
    """

    title: str = Field(min_length=1, max_length=200)
    summary: str | None = Field(default=None, max_length=2000)
    action: ProposedAction
    editable: dict[FieldName, FormField] = Field(default_factory=dict)
    comment: Literal["none", "optional", "required_to_reject", "required"] = "optional"

    @model_validator(mode="after")
    def _only_arguments_are_edited(self) -> Self:
        if not set(self.editable) <= set(self.action.arguments):
            raise ValueError("editable names an argument that the action does not have")
        return self


class ApprovalResponse(SchemaModel):
    """The decision, a comment of up to 2,000 characters, and new values of arguments."""

    decision: Literal["approve", "reject"]
    comment: str | None = Field(default=None, max_length=COMMENT_MAX_CHARACTERS)
    edits: dict[str, Any] = Field(default_factory=dict)


def check_action(request: ApprovalRequest) -> list[FieldError]:
    """Return the errors of a new request: texts and names that a reader cannot see or tell apart, and unfit fields.

    A proposed value that does not fit its field would be hidden by it, and the person would approve what is not shown.
    Null is allowed: an empty field shows it as it is.
    """
    errors = [
        FieldError(f"payload.{field}", "must not be blank")
        for field, text in (("title", request.title), ("action.name", request.action.name))
        if is_blank(text)
    ]
    if not look_different(request.action.arguments):
        errors.append(FieldError("payload.action.arguments", "must have names that a reader can tell apart"))
    errors += new_field_errors(request.editable, at="payload.editable")
    for name, field in request.editable.items():
        proposed = request.action.arguments[name]
        if proposed is not None and fault(field, proposed):
            unfit = "proposes a value that does not fit its field in editable"
            errors.append(FieldError(f"payload.action.arguments.{name}", unfit, "payload.action.arguments.*"))
    return errors


def check_approval(request: ApprovalRequest, response: ApprovalResponse) -> list[FieldError]:
    """Return the errors of a decision on this action; an empty list when it is valid."""
    return [*_comment_faults(request, response), *_edit_faults(request, response)]


def complete_approval(request: ApprovalRequest, response: ApprovalResponse) -> Json:
    """Return the recorded form of the decision: edits with both values, and the arguments to run the action with."""
    proposed = request.action.arguments
    edits = {
        name: {"before": proposed[name], "after": value}
        for name, value in response.edits.items()
        if _differs(value, proposed[name])
    }
    approved = response.decision == "approve"
    return {
        "decision": response.decision,
        "comment": response.comment,
        "edits": edits,
        "arguments": {**proposed, **{name: edit["after"] for name, edit in edits.items()}} if approved else None,
    }


def _differs(value: Json, proposed: Json) -> bool:
    if isinstance(value, WrittenNumber) and isinstance(proposed, float):
        # 0.10 is 0.1, and a long decimal that Python would round to it is not.
        return Decimal(value.text) != Decimal(repr(proposed))
    # As texts: Python says that 1 equals 1.0 and true, but the program that runs the action may not.
    return canonical_text(value) != canonical_text(proposed)


def is_approval(response: Json) -> bool:
    """Return whether a recorded decision lets the action run."""
    return isinstance(response, dict) and response["decision"] == "approve"


def arguments_of(response: Json) -> Json:
    """Return the arguments with which a recorded decision lets the action run; None for a rejection."""
    return response["arguments"] if isinstance(response, dict) else None


def _comment_faults(request: ApprovalRequest, response: ApprovalResponse) -> list[FieldError]:
    if response.comment is not None and is_blank(response.comment):
        return [FieldError("response.comment", "must not be blank; leave it out instead")]
    if request.comment == "none" and response.comment is not None:
        return [FieldError("response.comment", "is not asked for")]
    if response.comment is None and request.comment == "required":
        return [FieldError("response.comment", "must be given")]
    if response.comment is None and request.comment == "required_to_reject" and response.decision == "reject":
        return [FieldError("response.comment", "must say why")]
    return []


def _edit_faults(request: ApprovalRequest, response: ApprovalResponse) -> list[FieldError]:
    if response.edits and response.decision == "reject":
        return [FieldError("response.edits", "are allowed with an approval only")]
    errors = []
    # Said once: an answer can have thousands of edits that are not offered.
    if not response.edits.keys() <= request.editable.keys():
        allowed = ", ".join(request.editable) or "none"
        errors.append(
            FieldError(
                "response.edits",
                f"can change these arguments only: {allowed}",
                bare_message="changes an argument that is not editable",
            )
        )
    for name, field in request.editable.items():
        if name in response.edits and (wrong := fault(field, response.edits[name])):
            errors.append(FieldError(f"response.edits.{name}", wrong, "response.edits.*", DOES_NOT_FIT))
    return errors
