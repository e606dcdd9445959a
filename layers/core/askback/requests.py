"""Request bodies, read strictly into commands: nothing is coerced, unknown fields are refused by name."""

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from askback.domain.binding import PauseBinding
from askback.domain.claims import Audience
from askback.domain.errors import FieldError, InvalidRequest, Unauthenticated
from askback.domain.limits import require_identifier
from askback.domain.minting import MintCommand
from askback.domain.resume import ResumeCommand
from askback.domain.scope import Scope
from askback.domain.tokens import Redeemer
from askback.events import Caller, Request, Via
from askback.settings import ClaimNames

LINK_HOLDER = "link"
"""Who answered, when all that is known is that they held the answer link."""


class _Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class ScopeBody(_Body):
    """A scope as callers write it."""

    tenant_id: str
    sub_tenant_id: str | None = None
    namespace: str | None = None

    def scope(self) -> Scope:
        """Return the checked scope."""
        return Scope(tenant_id=self.tenant_id, sub_tenant_id=self.sub_tenant_id, namespace=self.namespace)


class MintBody(_Body):
    """The body of `POST /pauses`."""

    name: str
    payload: dict[str, Any]
    run_id: str
    scope: ScopeBody
    ttl_seconds: int
    tool_call_id: str = ""
    interrupt_id: str | None = None
    session_id: str = ""
    root_run_id: str = ""
    thread_id: str | None = None
    checkpoint_id: str | None = None
    messages: list[Any] | None = None
    prompt: str = ""
    pin: str = Field(default="", max_length=256)


class QuestionBody(_Body):
    """The body of `POST /questions`."""

    pause_token: str


class AnswerBody(QuestionBody):
    """The body of `POST /resume` and `POST /answers`. `response` is any JSON value, and must be there."""

    response: Any
    scope: ScopeBody | None = None
    session_id: str | None = None
    run_id: str | None = None
    tool_call_id: str | None = None
    answerer: str | None = None


BodyT = TypeVar("BodyT", bound=_Body)


def mint_command(request: Request, *, at: int) -> MintCommand:
    """Return the command of a mint request at `at` (epoch seconds); raises InvalidRequest naming each wrong field."""
    body = _read(MintBody, request)
    return MintCommand(
        name=body.name,
        payload=body.payload,
        binding=PauseBinding(
            pin=body.pin,
            scope=body.scope.scope(),
            run_id=body.run_id,
            root_run_id=body.root_run_id,
            session_id=body.session_id,
            thread_id=body.thread_id,
            checkpoint_id=body.checkpoint_id,
        ),
        ttl_seconds=body.ttl_seconds,
        at=at,
        tool_call_id=body.tool_call_id,
        interrupt_id=body.interrupt_id,
        messages=body.messages,
        prompt=body.prompt,
    )


def question_token(request: Request) -> str:
    """Return the token of a question request."""
    return _read(QuestionBody, request).pause_token


def resume_command(
    request: Request, *, claim_names: ClaimNames, at: int, attempt_id: str, audiences: frozenset[Audience]
) -> ResumeCommand:
    """Return the command of a request that brings an answer.

    Under a JWT, scope and answerer come from its claims; for a link holder there is no scope and no name. In both cases
    what the body says about them is not read. Only a caller under IAM, or a direct one, states them in the body.

    Raises:
        InvalidRequest: naming each wrong field.
        Unauthenticated: the JWT lacks the claim that names the tenant or the person.
    """
    body = _read(AnswerBody, request)
    scope, answered_by = _who(request.caller, body, claim_names)
    return ResumeCommand(
        pause_token=body.pause_token,
        redeemer=Redeemer(scope=scope, session_id=body.session_id, run_id=body.run_id, tool_call_id=body.tool_call_id),
        response=body.response,
        answered_by=answered_by,
        at=at,
        attempt_id=attempt_id,
        audiences=audiences,
    )


def _who(caller: Caller, body: AnswerBody, names: ClaimNames) -> tuple[Scope | None, str]:
    if caller.via is Via.LINK:
        return None, LINK_HOLDER
    if caller.via is Via.JWT:
        scope = Scope(
            tenant_id=_claim(caller, names.tenant),
            sub_tenant_id=_optional_claim(caller, names.sub_tenant),
            namespace=_optional_claim(caller, names.namespace),
        )
        return scope, require_identifier(_claim(caller, names.answerer), field="answerer")
    if body.scope is None:
        raise InvalidRequest.of_field("scope", "must be given")
    answerer = body.answerer if body.answerer is not None else caller.arn or caller.via.value
    return body.scope.scope(), require_identifier(answerer, field="answerer")


def _claim(caller: Caller, name: str) -> str:
    value = _optional_claim(caller, name)
    if value is None:
        raise Unauthenticated(f"the JWT has no claim {name!r}")
    return value


def _optional_claim(caller: Caller, name: str) -> str | None:
    # An absent part of a scope is often sent as an empty claim.
    value = (caller.jwt_claims or {}).get(name)
    return value if isinstance(value, str) and value else None


def _read(model: type[BodyT], request: Request) -> BodyT:
    try:
        return model.model_validate(request.body)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
        errors = tuple(FieldError(".".join(map(str, item["loc"])), item["msg"]) for item in details[:20])
        names = ", ".join(item.field for item in errors)
        raise InvalidRequest(f"the request has wrong, missing or unknown fields: {names}", errors=errors) from None
