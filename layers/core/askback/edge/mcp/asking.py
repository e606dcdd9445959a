"""The tool `ask_human`: its arguments, and the mint that they ask for.

The arguments are flat and few, because a model writes them. They become one of the built-in interactions: options make
an `ask_user`, an action makes an `approval`, and a form makes a `form`. A question alone is a form of one text.
"""

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from askback.domain.errors import FieldError, InvalidRequest
from askback.domain.mint.command import MintCommand
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.binding import PauseBinding
from askback.domain.pause.scope import Scope
from askback.domain.records.about import LONGEST, About, Risk
from askback.domain.visible_text import text_fault
from askback.edge.body import Body, Names

CALL = "ask_human"
"""The tool call and the run of every question of this server: a protocol without sessions has no other."""
DAY_SECONDS = 86_400
WAIT_MAX_SECONDS = 25
"""The longest wait of one call: a gateway ends a request after 30 seconds, and every second of the wait is paid for."""

Wait = Field(
    default=0,
    ge=0,
    le=WAIT_MAX_SECONDS,
    description=(
        "How long this call waits for the answer before it returns. A person usually needs minutes or days, so keep it "
        "short. When it runs out, the question stays open: that is no answer."
    ),
)


class OptionBody(Body):
    """One option."""

    label: str = Field(description="1 to 80 characters")
    description: str = Field(default="", description="What choosing it means; up to 400 characters")


class ActionBody(Body):
    """The action that needs an approval."""

    name: str = Field(description="Name of the tool or action that runs after an approval")
    arguments: dict[str, Any] = Field(description="Every argument it will run with; the person sees and approves them")
    editable: dict[str, Any] = Field(
        default_factory=dict,
        description=(
            "Arguments that the person may change: the name of each, with a JSON Schema of its value, such as "
            '{"amount": {"type": "number", "minimum": 0}}. The result has the arguments to run with.'
        ),
    )


class AskHumanBody(Body):
    """The arguments of `ask_human`."""

    question: str = Field(description="What you ask, as one sentence a busy person understands without this chat")
    details: str = Field(
        default="", description="More that the person needs to decide: up to 2,000 characters, with options up to 500"
    )
    options: list[OptionBody] | None = Field(default=None, description="2 to 4 options to choose among")
    several: bool = Field(default=False, description="With options: whether more than one can be chosen")
    other: bool = Field(default=False, description="With options: whether the person may write another answer")
    action: ActionBody | None = Field(default=None, description="The action to approve or reject, instead of options")
    form: dict[str, Any] | None = Field(
        default=None,
        description=(
            "The values to fill in, instead of options: a flat JSON Schema object, such as "
            '{"type": "object", "properties": {"date": {"type": "string", "format": "date"}}, "required": ["date"]}'
        ),
    )
    reason: str = Field(default="", description="Why you ask now; up to 500 characters")
    risk: Literal["normal", "high"] = Field(
        default="normal", description="high, if the answer lets something happen that cannot be undone"
    )
    approvers: Names = Field(
        default_factory=list,
        description=(
            "Who may answer, as names of this deployment, usually e-mail addresses; each gets a message. Leave it out "
            "if you do not know."
        ),
    )
    expires_in_seconds: int = Field(
        default=DAY_SECONDS, description="How long the question can be answered: 30 to 2,592,000 seconds; default a day"
    )
    wait_seconds: int = Wait
    idempotency_key: str | None = Field(
        default=None,
        description=(
            "A name for this one question that you make up, such as a random id. Send the same key only to repeat this "
            "call after an error: it returns the same question and never asks twice. A new question needs a new key."
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who calls the server: the principal of the mint, its scope, and the person for whom it asks, if there is one."""

    principal: str
    scope: Scope
    person: str = ""


def mint_of(body: AskHumanBody, asker: Asker, *, client: str, new_key: str, at: int) -> MintCommand:
    """Return the command of a question at `at` (epoch seconds); `new_key` names it if the model gives no name.

    Raises:
        InvalidRequest: there is more than one kind of answer, or an argument belongs to another kind.
    """
    name, payload = _interaction(body)
    # Without a name of an approver, a signed-in person is asked: nobody else is known to be asked for.
    approvers = tuple(body.approvers) or ((asker.person,) if asker.person else ())
    return MintCommand(
        name=name,
        payload=payload,
        principal=asker.principal,
        binding=PauseBinding(scope=asker.scope, run_id=CALL),
        ttl_seconds=body.expires_in_seconds,
        at=at,
        tool_call_id=CALL,
        idempotency_key=new_key if body.idempotency_key is None else body.idempotency_key,
        answerers=Answerers(approvers=approvers, recipients=approvers, requester=asker.person),
        about=About(asker=_visible(client), reason=_reason(body), risk=Risk(body.risk)),
    )


def _interaction(body: AskHumanBody) -> tuple[str, dict[str, Any]]:
    given = [name for name in ("options", "action", "form") if getattr(body, name) is not None]
    if len(given) > 1:
        raise InvalidRequest.of_field(given[1], f"must not be given together with {given[0]}")
    if (body.several or body.other) and body.options is None:
        raise InvalidRequest.of_field("several" if body.several else "other", "is only for a question with options")
    if body.action is not None:
        summary = {"summary": body.details} if body.details else {}
        action = {"name": body.action.name, "arguments": body.action.arguments}
        return "approval", {"title": body.question, **summary, "action": action, "editable": body.action.editable}
    if body.options is not None:
        return "ask_user", {"questions": [_question(body, body.options)]}
    description = {"description": body.details} if body.details else {}
    return "form", {"title": body.question, **description, "schema": body.form or _one_text()}


def _question(body: AskHumanBody, options: list[OptionBody]) -> dict[str, Any]:
    return {
        "question": body.question,
        "options": [{"label": each.label, "description": each.description} for each in options],
        "multi_select": body.several,
        "allow_other": body.other,
    }


def _one_text() -> dict[str, Any]:
    answer = {"type": "string", "title": "Answer", "maxLength": 4000}
    return {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}


def _reason(body: AskHumanBody) -> str:
    # A question with options has no place for details of its own.
    return "\n\n".join(filter(None, (body.reason, body.details if body.options is not None else "")))


def _visible(client: str) -> str:
    """Return the name of the client if people can read it: it chooses the name itself."""
    return "" if text_fault(client, longest=LONGEST["asker"], blank="") else client


_ARGUMENTS = {
    "payload.title": "question",
    "payload.questions[0].question": "question",
    "payload.questions[0].options": "options",
    "payload.summary": "details",
    "payload.description": "details",
    "payload.action": "action",
    "payload.editable": "action.editable",
    "payload.schema": "form",
    "payload.order": "form",
    "about.reason": "reason",
    "ttl_seconds": "expires_in_seconds",
    "recipients": "approvers",
}
"""The argument in which a model wrote each part of the mint."""


def argument_errors(errors: tuple[FieldError, ...]) -> list[dict[str, str]]:
    """Return the errors of a mint by the arguments of the tool: a model does not know the fields of the API."""
    return [{"argument": _argument(error.field), "message": error.message} for error in errors]


def _argument(field: str) -> str:
    for part, argument in _ARGUMENTS.items():
        if field == part or field.startswith((f"{part}.", f"{part}[")):
            return argument + field.removeprefix(part)
    return field
