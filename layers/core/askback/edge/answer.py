"""The requests and replies of the routes that answer and read pauses.

Bodies are read strictly: no value is converted to another type, and an unknown field is refused with its name.
"""

import json
from typing import Annotated, Any, TypeVar

from pydantic import AliasChoices, Field

from askback.domain.errors import FieldError, InvalidRequest, Unauthenticated
from askback.domain.limits import require_identifier
from askback.domain.pause.answerers import LINK_HOLDER
from askback.domain.pause.assurance import AnsweredVia
from askback.domain.pause.claims import Audience
from askback.domain.pause.person_names import require_person
from askback.domain.pause.scope import Scope
from askback.domain.pause.step_up import is_stepped_up
from askback.domain.records.open_calls import open_tool_call_ids
from askback.domain.records.turns import TurnCheckpoint
from askback.domain.resume.admission import PersonRequest
from askback.domain.resume.outcome import ResumeCommand, ResumeOutcome
from askback.domain.timestamps import rfc3339
from askback.domain.tokens.scope_binder import Redeemer
from askback.edge.body import Body, BodyT, ScopeBody, read_body
from askback.edge.lambda_events import Caller, CallerAuth, RouteRequest
from askback.edge.votes import member_view
from askback.settings import ClaimNames

BACKEND_TOKENS = frozenset({Audience.RESUME})
"""The tokens that the routes for backends accept."""
LINK_TOKENS = frozenset({Audience.ANSWER})
"""The tokens that a route for people accepts without a sign-in: a pause token needs a caller whose scope is checked."""
SIGNED_IN_TOKENS = BACKEND_TOKENS | LINK_TOKENS
"""The tokens that a route for people accepts from a caller whose identity is known."""

_TOKEN_NAMES = AliasChoices("answer_token", "pause_token")
AnswerToken = Annotated[str, Field(validation_alias=_TOKEN_NAMES)]
"""The token on a route for people.

Older pages and clients send it as `pause_token`. So does a backend that shows a question with its pause token.
"""


class PlaceBody(Body):
    """The fields of the place from which a token is redeemed."""

    # A token with half a surrogate pair is no token of ours, and is refused like every other such text.
    HALVES_ALLOWED = frozenset({"answer_token", "pause_token"})

    scope: ScopeBody | None = None
    session_id: str | None = None
    run_id: str | None = None
    tool_call_id: str | None = None


LinkedT = TypeVar("LinkedT", bound="LinkedBody")
SignedInT = TypeVar("SignedInT", bound="SignedInBody")


class OutcomeBody(PlaceBody):
    """The body of `POST /outcomes`."""

    pause_token: str


class PersonBody(PlaceBody):
    """The fields of every body that comes from a person.

    `request_hash` is the hash of the question that the person saw, for a caller that shows questions.
    """

    answerer: str | None = None
    request_hash: str | None = None


class LinkedBody(PersonBody):
    """The fields of a body that names the pause by a token."""

    answer_token: AnswerToken


class SignedInBody(PersonBody):
    """The fields of a body of a person who has signed in and names the pause by a token or by its id."""

    answer_token: str | None = Field(default=None, validation_alias=_TOKEN_NAMES)
    jti: str | None = None


class ResponseBody(PersonBody):
    """The fields of every body that answers. `response` is required and can be any JSON value."""

    response: Any


class ResumeBody(ResponseBody):
    """The body of `POST /resume` and `POST /user/resume`, the routes for backends."""

    pause_token: str


class AnswerBody(ResponseBody, LinkedBody):
    """The body of `POST /answers`."""


class UserAnswerBody(ResponseBody, SignedInBody):
    """The body of `POST /user/answers`."""


def outcome_request(request: RouteRequest) -> tuple[str, Redeemer]:
    """Return the token and the place of an outcome request; raises InvalidRequest without a scope."""
    body = read_body(OutcomeBody, request)
    return body.pause_token, _redeemer(body, _stated_scope(body))


def resume_command(request: RouteRequest, *, claim_names: ClaimNames, at: int, attempt_id: str) -> ResumeCommand:
    """Return the command of a backend's request with an answer; the rules and errors are those of `answer_command`."""
    body = read_body(ResumeBody, request)
    person = _person(
        request, body, token=body.pause_token, jti="", audiences=BACKEND_TOKENS, claim_names=claim_names, at=at
    )
    return ResumeCommand.of(person, response=body.response, attempt_id=attempt_id)


def answer_command(request: RouteRequest, *, claim_names: ClaimNames, at: int, attempt_id: str) -> ResumeCommand:
    """Return the command of a person's request with an answer; the rules and errors are those of `person_request`."""
    person, body = person_request(request, AnswerBody, UserAnswerBody, claim_names=claim_names, at=at)
    return ResumeCommand.of(person, response=body.response, attempt_id=attempt_id)


def person_request(
    request: RouteRequest,
    linked: type[LinkedT],
    user: type[SignedInT],
    *,
    claim_names: ClaimNames,
    at: int,
) -> tuple[PersonRequest, LinkedT | SignedInT]:
    """Return the request of a person on a route for people, and its body, which is of one of the two models.

    With a JWT, scope and answerer come from its claims. The holder of a link has no scope and no name. In both cases
    the scope and the answerer in the body are ignored. Only a caller through IAM or a direct caller states them in the
    body.

    Raises:
        InvalidRequest: with each wrong field.
        Unauthenticated: the JWT has no claim for the tenant or the person, or a claim that is not a text.
    """
    body: LinkedT | SignedInT
    jti = ""
    if request.caller.auth is CallerAuth.JWT:
        body = read_with_one_token(user, request)
        if (body.answer_token is None) is (body.jti is None):
            raise InvalidRequest.of_field("jti", "must be given without a token, and only then")
        token = body.answer_token or ""
        jti = "" if body.jti is None else require_identifier(body.jti, field="jti")
    else:
        body = read_with_one_token(linked, request)
        token = body.answer_token
    audiences = LINK_TOKENS if request.caller.auth is CallerAuth.LINK else SIGNED_IN_TOKENS
    person = _person(request, body, token=token, jti=jti, audiences=audiences, claim_names=claim_names, at=at)
    return person, body


def _person(
    request: RouteRequest,
    body: PersonBody,
    *,
    token: str,
    jti: str,
    audiences: frozenset[Audience],
    claim_names: ClaimNames,
    at: int,
) -> PersonRequest:
    scope, answered_by = _who(request.caller, body, claim_names)
    return PersonRequest(
        token=token,
        jti=jti,
        redeemer=_redeemer(body, scope),
        answered_by=answered_by,
        answered_via=AnsweredVia(request.caller.auth.value),
        stepped_up=is_stepped_up(request.caller.jwt_claims or {}, claim_names.step_up, at=at),
        seen_request_hash=body.request_hash,
        at=at,
        audiences=audiences,
    )


def read_with_one_token(model: type[BodyT], request: RouteRequest) -> BodyT:
    """Return the body; raises InvalidRequest if it has both token fields, because they could differ."""
    if "answer_token" in request.body and "pause_token" in request.body:
        raise InvalidRequest(
            "the request has two token fields; give one of them",
            errors=(
                FieldError("answer_token", "must not be given together with pause_token"),
                FieldError("pause_token", "must not be given together with answer_token"),
            ),
        )
    return read_body(model, request)


def _who(caller: Caller, body: PersonBody, names: ClaimNames) -> tuple[Scope | None, str]:
    if caller.auth is CallerAuth.LINK:
        return None, LINK_HOLDER
    if caller.auth is CallerAuth.JWT:
        return signed_in(caller, names)
    scope = _stated_scope(body)
    if body.answerer is not None:
        return scope, require_person(body.answerer, field="answerer")
    return scope, require_identifier(caller.arn or caller.auth.value, field="answerer")


def signed_in(caller: Caller, names: ClaimNames) -> tuple[Scope, str]:
    """Return the scope and the name that a JWT has."""
    scope = Scope(
        tenant_id=_claim(caller, names.tenant),
        sub_tenant_id=_optional_claim(caller, names.sub_tenant),
        namespace=_optional_claim(caller, names.namespace),
    )
    return scope, require_person(_claim(caller, names.answerer), field="answerer")


def _stated_scope(body: PlaceBody) -> Scope:
    if body.scope is None:
        raise InvalidRequest.of_field("scope", "must be given")
    return body.scope.scope()


def _redeemer(body: PlaceBody, scope: Scope | None) -> Redeemer:
    return Redeemer(scope=scope, session_id=body.session_id, run_id=body.run_id, tool_call_id=body.tool_call_id)


def _claim(caller: Caller, name: str) -> str:
    value = _optional_claim(caller, name)
    if value is None:
        raise Unauthenticated(f"the JWT has no claim {name!r}")
    return value


def _optional_claim(caller: Caller, name: str) -> str | None:
    claims = caller.jwt_claims or {}
    value = claims.get(name, "")
    if not isinstance(value, str):
        # Ignored, it would make another scope of the caller's.
        raise Unauthenticated(f"the claim {name!r} of the JWT is not a text")
    # Many identity providers send a missing part of a scope as an empty claim.
    return value or None


REPLY_MAX_BYTES = 6_200_000
"""A larger reply has a reference to the turn instead of the turn; Lambda returns at most 6,291,556 bytes."""


def answer_reply(outcome: ResumeOutcome) -> dict[str, Any]:
    """Return the receipt of an accepted answer; it contains nothing of the turn."""
    return {
        "jti": outcome.jti,
        "name": outcome.name,
        "response": outcome.own_response,
        "answered_at": rfc3339(outcome.answered_at),
        "answered_by": outcome.answered_by,
        **({"for": outcome.answered_for} if outcome.answered_for else {}),
        "answered_via": outcome.answered_via.value if outcome.answered_via else None,
        "assurance": outcome.assurance,
        "by_policy": outcome.by_policy,
        "replayed": outcome.replayed,
        "delivery": outcome.delivery.value,
        **({"status": outcome.several.status.value} if outcome.several else {}),
        **member_view(outcome.several, outcome.answered_by),
    }


def resume_reply(outcome: ResumeOutcome) -> dict[str, Any]:
    """Return the receipt, and the question and the turn that the run continues from.

    After a vote that leaves its pause open, there is only the receipt: nothing may run yet.
    """
    receipt = answer_reply(outcome)
    if outcome.still_open:
        return receipt
    reply = {
        **receipt,
        "response": outcome.response,
        "payload": outcome.payload,
        "thread_id": outcome.thread_id,
        "checkpoint_id": outcome.checkpoint_id,
        "run_id": outcome.run_id,
        "session_id": outcome.session_id,
        "tool_call_id": outcome.tool_call_id,
        "interrupt_id": outcome.interrupt_id,
        "cross_scope": outcome.cross_scope,
        "time_to_resolve_seconds": outcome.time_to_resolve_seconds,
        "turn": None,
    }
    if outcome.turn is None:
        return reply
    whole = {**reply, "turn": _turn(outcome.turn)}
    if _size_as_sent(whole) > REPLY_MAX_BYTES:
        return {**reply, "turn_reference": outcome.turn_reference.to_dict()}
    return whole


def _turn(turn: TurnCheckpoint) -> dict[str, Any]:
    open_calls = open_tool_call_ids(turn.messages, answered=turn.tool_call_id)
    return {
        "prompt": turn.prompt,
        "messages": list(turn.messages),
        "open_tool_call_ids": None if open_calls is None else list(open_calls),
    }


def _size_as_sent(reply: dict[str, Any]) -> int:
    # With spaces. An HTTP body is JSON text inside the function's JSON response, so quotes and backslashes are escaped
    # once more.
    text = json.dumps(reply)
    return len(text) + text.count('"') + text.count("\\")
