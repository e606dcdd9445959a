"""Request bodies, read strictly into commands: nothing is coerced, unknown fields are refused by name."""

from typing import Any

from askback.bodies import Body, ScopeBody, read_body
from askback.domain.errors import InvalidRequest, Unauthenticated
from askback.domain.limits import require_identifier
from askback.domain.pause.answerers import LINK_HOLDER, AnsweredVia
from askback.domain.pause.claims import Audience
from askback.domain.pause.scope import Scope
from askback.domain.resume.eight_steps import ResumeCommand
from askback.domain.tokens.service import Redeemer
from askback.events import Caller, Request, Via
from askback.settings import ClaimNames


class QuestionBody(Body):
    """The body of `POST /questions`."""

    pause_token: str


class OutcomeBody(QuestionBody):
    """The body of `POST /outcomes`."""

    scope: ScopeBody | None = None
    session_id: str | None = None
    run_id: str | None = None
    tool_call_id: str | None = None


class AnswerBody(OutcomeBody):
    """The body of `POST /resume` and `POST /answers`. `response` is any JSON value, and must be there.

    `request_hash` is the hash of the question that was read, for a caller that showed it.
    """

    response: Any
    answerer: str | None = None
    request_hash: str | None = None


def question_token(request: Request) -> str:
    """Return the token of a question request."""
    return read_body(QuestionBody, request).pause_token


def outcome_request(request: Request) -> tuple[str, Redeemer]:
    """Return the token of an outcome request, and from where it is asked; raises InvalidRequest without a scope."""
    body = read_body(OutcomeBody, request)
    return body.pause_token, _redeemer(body, _stated_scope(body))


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
    body = read_body(AnswerBody, request)
    scope, answered_by = _who(request.caller, body, claim_names)
    return ResumeCommand(
        pause_token=body.pause_token,
        redeemer=_redeemer(body, scope),
        response=body.response,
        answered_by=answered_by,
        answered_via=AnsweredVia(request.caller.via.value),
        seen_request_hash=body.request_hash,
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
    scope = _stated_scope(body)
    answerer = body.answerer if body.answerer is not None else caller.arn or caller.via.value
    return scope, require_identifier(answerer, field="answerer")


def _stated_scope(body: OutcomeBody) -> Scope:
    if body.scope is None:
        raise InvalidRequest.of_field("scope", "must be given")
    return body.scope.scope()


def _redeemer(body: OutcomeBody, scope: Scope | None) -> Redeemer:
    return Redeemer(scope=scope, session_id=body.session_id, run_id=body.run_id, tool_call_id=body.tool_call_id)


def _claim(caller: Caller, name: str) -> str:
    value = _optional_claim(caller, name)
    if value is None:
        raise Unauthenticated(f"the JWT has no claim {name!r}")
    return value


def _optional_claim(caller: Caller, name: str) -> str | None:
    # An absent part of a scope is often sent as an empty claim.
    value = (caller.jwt_claims or {}).get(name)
    return value if isinstance(value, str) and value else None
