"""The requests and replies of the routes that show, answer and read pauses.

Bodies are read strictly: no value is converted to another type, and an unknown field is refused with its name.
"""

import json
from typing import Annotated, Any

from pydantic import AliasChoices, Field

from askback.domain.errors import FieldError, InvalidRequest, Unauthenticated
from askback.domain.limits import require_identifier
from askback.domain.pause.answerers import LINK_HOLDER
from askback.domain.pause.assurance import AnsweredVia
from askback.domain.pause.claims import Audience
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.person_names import require_person
from askback.domain.pause.scope import Scope
from askback.domain.pause.step_up import is_stepped_up
from askback.domain.records.open_calls import open_tool_call_ids
from askback.domain.records.turns import TurnCheckpoint, turn_reference
from askback.domain.resume.outcome import PausedQuestion, ResumeCommand, ResumeOutcome
from askback.domain.timestamps import rfc3339
from askback.domain.tokens.scope_binder import Redeemer
from askback.edge.body import Body, BodyT, ScopeBody, read_body
from askback.edge.lambda_events import Caller, CallerAuth, RouteRequest
from askback.settings import ClaimNames

BACKEND_TOKENS = frozenset({Audience.RESUME})
"""The tokens that the routes for backends accept."""
LINK_TOKENS = frozenset({Audience.ANSWER})
"""The tokens that a route for people accepts without a sign-in: a pause token needs a caller whose scope is checked."""
SIGNED_IN_TOKENS = BACKEND_TOKENS | LINK_TOKENS
"""The tokens that a route for people accepts from a caller whose identity is known."""

AnswerToken = Annotated[str, Field(validation_alias=AliasChoices("answer_token", "pause_token"))]
"""The token on a route for people.

Older pages and clients send it as `pause_token`. So does a backend that shows a question with its pause token.
"""


class QuestionBody(Body):
    """The body of `POST /questions`."""

    HALVES_ALLOWED = frozenset({"answer_token"})

    answer_token: AnswerToken


class PlaceBody(Body):
    """The fields of the place from which a token is redeemed."""

    # A token with half a surrogate pair is no token of ours, and is refused like every other such text.
    HALVES_ALLOWED = frozenset({"answer_token", "pause_token"})

    scope: ScopeBody | None = None
    session_id: str | None = None
    run_id: str | None = None
    tool_call_id: str | None = None


class OutcomeBody(PlaceBody):
    """The body of `POST /outcomes`."""

    pause_token: str


class ResponseBody(PlaceBody):
    """The fields of every body that answers. `response` is required and can be any JSON value.

    `request_hash` is the hash of the question that the person saw, for a caller that shows questions.
    """

    response: Any
    answerer: str | None = None
    request_hash: str | None = None


class ResumeBody(ResponseBody):
    """The body of `POST /resume` and `POST /user/resume`, the routes for backends."""

    pause_token: str


class AnswerBody(ResponseBody):
    """The body of `POST /answers` and `POST /user/answers`, the routes for people."""

    answer_token: AnswerToken


def question_token(request: RouteRequest) -> str:
    """Return the token of a question request."""
    return _read_with_one_token(QuestionBody, request).answer_token


def outcome_request(request: RouteRequest) -> tuple[str, Redeemer]:
    """Return the token and the place of an outcome request; raises InvalidRequest without a scope."""
    body = read_body(OutcomeBody, request)
    return body.pause_token, _redeemer(body, _stated_scope(body))


def resume_command(request: RouteRequest, *, claim_names: ClaimNames, at: int, attempt_id: str) -> ResumeCommand:
    """Return the command of a backend's request with an answer; the rules and errors are those of `answer_command`."""
    body = read_body(ResumeBody, request)
    return _command(
        request,
        body,
        token=body.pause_token,
        audiences=BACKEND_TOKENS,
        claim_names=claim_names,
        at=at,
        attempt_id=attempt_id,
    )


def answer_command(request: RouteRequest, *, claim_names: ClaimNames, at: int, attempt_id: str) -> ResumeCommand:
    """Return the command of a person's request with an answer.

    With a JWT, scope and answerer come from its claims. The holder of a link has no scope and no name. In both cases
    the scope and the answerer in the body are ignored. Only a caller through IAM or a direct caller states them in the
    body.

    Raises:
        InvalidRequest: with each wrong field.
        Unauthenticated: the JWT has no claim for the tenant or the person, or a claim that is not a text.
    """
    body = _read_with_one_token(AnswerBody, request)
    return _command(
        request,
        body,
        token=body.answer_token,
        audiences=LINK_TOKENS if request.caller.auth is CallerAuth.LINK else SIGNED_IN_TOKENS,
        claim_names=claim_names,
        at=at,
        attempt_id=attempt_id,
    )


def _command(
    request: RouteRequest,
    body: ResponseBody,
    *,
    token: str,
    audiences: frozenset[Audience],
    claim_names: ClaimNames,
    at: int,
    attempt_id: str,
) -> ResumeCommand:
    scope, answered_by = _who(request.caller, body, claim_names)
    return ResumeCommand(
        token=token,
        redeemer=_redeemer(body, scope),
        response=body.response,
        answered_by=answered_by,
        answered_via=AnsweredVia(request.caller.auth.value),
        stepped_up=is_stepped_up(request.caller.jwt_claims or {}, claim_names.step_up, at=at),
        seen_request_hash=body.request_hash,
        at=at,
        attempt_id=attempt_id,
        audiences=audiences,
    )


def _read_with_one_token(model: type[BodyT], request: RouteRequest) -> BodyT:
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


def _who(caller: Caller, body: ResponseBody, names: ClaimNames) -> tuple[Scope | None, str]:
    if caller.auth is CallerAuth.LINK:
        return None, LINK_HOLDER
    if caller.auth is CallerAuth.JWT:
        scope = Scope(
            tenant_id=_claim(caller, names.tenant),
            sub_tenant_id=_optional_claim(caller, names.sub_tenant),
            namespace=_optional_claim(caller, names.namespace),
        )
        return scope, require_person(_claim(caller, names.answerer), field="answerer")
    scope = _stated_scope(body)
    if body.answerer is not None:
        return scope, require_person(body.answerer, field="answerer")
    return scope, require_identifier(caller.arn or caller.auth.value, field="answerer")


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
        "response": outcome.response,
        "answered_at": rfc3339(outcome.answered_at),
        "answered_by": outcome.answered_by,
        "answered_via": outcome.answered_via.value if outcome.answered_via else None,
        "assurance": outcome.assurance,
        "by_policy": outcome.by_policy,
        "replayed": outcome.replayed,
        "delivery": outcome.delivery.value,
    }


def resume_reply(outcome: ResumeOutcome) -> dict[str, Any]:
    """Return the receipt, and the question and the turn that the run continues from."""
    reply = {
        **answer_reply(outcome),
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
        return {**reply, "turn_reference": turn_reference(outcome.turn).to_dict()}
    return whole


def question_reply(question: PausedQuestion) -> dict[str, Any]:
    """Return a question for display. A legacy pause has no row before its answer."""
    row = question.row
    answer = row.answer if row else None
    return {
        "jti": question.jti,
        "name": question.name,
        "payload": question.payload,
        "request_hash": question.request_hash,
        "expires_at": rfc3339(question.expires_at),
        "presentation": question.presentation.value,
        "answer_schema": question.answer_schema,
        "scope_label": row.scope_label if row else "",
        "run_id": question.run_id,
        "requester": row.answerers.requester if row else "",
        "recipient": question.recipient,
        "link_may_answer": question.link_may_answer,
        "waits": row is not None and row.waiter is not None,
        "status": (row.status if row else PauseStatus.ISSUED).value,
        "answered_at": rfc3339(answer.answered_at) if answer else None,
        "answered_by_you": question.answered_by_reader,
        "by_policy": answer.by_policy if answer else False,
    }


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
