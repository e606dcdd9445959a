"""The resume function: shows a question, accepts its answer once or a question back, and returns the turn."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import askback.edge.cold_start
from askback.domain.resume.admission import every_pause
from askback.domain.resume.eight_steps import DeliveryState, ResumeOutcome
from askback.domain.resume.outcome import ResumeCommand
from askback.domain.tokens.scope_binder import Redeemer
from askback.edge.answer import (
    answer_command,
    answer_reply,
    outcome_request,
    resume_command,
    resume_reply,
)
from askback.edge.asking_back import question_back, question_back_reply
from askback.edge.batch import Admit, batch_items, each_item
from askback.edge.delegating import delegation_reply, delegation_request
from askback.edge.lambda_events import OUTCOMES_ALIAS, CallerAuth, RouteRequest
from askback.edge.log import legacy_log, log_failed_attempt
from askback.edge.metrics import legacy_metrics
from askback.edge.question import question_reply, question_request, unchanged_reply, user_question_request
from askback.edge.serve import RouteReply, note_item, note_reply, serve
from askback.wiring.observers import observers
from askback.wiring.resume import ResumeServices, build

logger, metrics = observers("resume")

_DELIVERY_METRICS = {
    DeliveryState.NONE: (),
    DeliveryState.PENDING: ("DeliveryPending",),
    DeliveryState.DELIVERED: ("Delivered",),
    DeliveryState.UNDELIVERABLE: ("Undeliverable",),
}


async def resume(request: RouteRequest, services: ResumeServices) -> RouteReply:
    """Accept the answer and return the turn; refused if no turn was recorded."""
    outcome = await _take(request, services, resume_command, require_turn=True)
    return _receipt(request, outcome, resume_reply(outcome), services)


async def answer(request: RouteRequest, services: ResumeServices) -> RouteReply:
    """Accept the answer and return its receipt."""
    outcome = await _take(request, services, answer_command, require_turn=False)
    return _receipt(request, outcome, answer_reply(outcome), services)


async def answers(request: RouteRequest, services: ResumeServices) -> RouteReply:
    """Accept up to 25 answers, one after another, and return the receipt or the problem of each."""

    async def act(item: RouteRequest, admit: Admit) -> tuple[int, dict[str, Any]]:
        outcome = await _take(item, services, answer_command, require_turn=False, admit=admit)
        reply = _receipt(item, outcome, answer_reply(outcome), services)
        note_reply(logger, metrics, reply)
        return reply.status, reply.body

    items = batch_items(request)
    results = await each_item(items, act, note=partial(note_item, logger, metrics))
    accepted = sum("receipt" in result for result in results)
    return RouteReply(
        status=200,
        body={"items": results},
        metric="BatchAnswered",
        log={"items": str(len(items)), "accepted": str(accepted)},
    )


async def outcome(request: RouteRequest, services: ResumeServices) -> RouteReply:
    """Return the outcome of the pause, with the turn to continue from; consumes nothing."""
    token, redeemer = outcome_request(request)
    _require_scope(request, redeemer, services)
    read = await services.outcomes.read(token, redeemer, at=services.clock())
    return RouteReply(status=200, body=resume_reply(read), metric="OutcomeRead")


async def question(request: RouteRequest, services: ResumeServices) -> RouteReply:
    """Return the recorded request, or only its status to a caller who has it already; consumes nothing."""
    token, seen = question_request(request)
    at = services.clock()
    if seen is not None and (row := await services.resume.still_asked(token, request_hash=seen, at=at)):
        return RouteReply(status=200, body=unchanged_reply(row), metric="QuestionUnchanged")
    shown = await services.resume.question(token, at=at)
    body = question_reply(shown, sign_in_url=services.settings.sign_in_url)
    return RouteReply(status=200, body=body, metric="QuestionShown")


async def user_question(request: RouteRequest, services: ResumeServices) -> RouteReply:
    """Return the recorded request to a person who has signed in and names the pause; consumes nothing."""
    at = services.clock()
    asked = user_question_request(request, claim_names=services.settings.claim_names, at=at)
    shown = await services.resume.question_by_id(asked.jti, asked.reader, scope=asked.scope, at=at)
    return RouteReply(status=200, body=question_reply(shown), metric="QuestionShown")


async def ask_back(request: RouteRequest, services: ResumeServices) -> RouteReply:
    """Record what a person asks back instead of answering; the pause stays open, and the token stays good."""
    person, asked = question_back(request, claim_names=services.settings.claim_names, at=services.clock())
    _require_scope(request, person.redeemer, services)
    asked_back = await services.asking_back.ask(person, asked)
    return RouteReply(
        status=201,
        body=question_back_reply(asked_back),
        metric="QuestionBackReplayed" if asked_back.replayed else "PauseQuestioned",
    )


async def delegate(request: RouteRequest, services: ResumeServices) -> RouteReply:
    """Let another person decide instead of the caller; the names are not in the log."""
    person, to = delegation_request(request, claim_names=services.settings.claim_names, at=services.clock())
    _require_scope(request, person.redeemer, services)
    delegated = await services.delegating.delegate(person, to)
    return RouteReply(
        status=200,
        body=delegation_reply(delegated),
        metric="DelegationReplayed" if delegated.replayed else "PauseDelegated",
    )


async def _take(
    request: RouteRequest,
    services: ResumeServices,
    read: Callable[..., ResumeCommand],
    *,
    require_turn: bool,
    admit: Admit = every_pause,
) -> ResumeOutcome:
    command = read(
        request,
        claim_names=services.settings.claim_names,
        at=services.clock(),
        attempt_id=services.new_attempt_id(),
    )
    command = replace(command, admit=admit)
    _require_scope(request, command.redeemer, services)
    outcome = await services.resume.resume(command, require_turn=require_turn)
    if outcome.failure is not None:
        log_failed_attempt(logger, "DeliveryPending", code=outcome.failure.code, reason=outcome.failure.reason)
    return outcome


def _require_scope(request: RouteRequest, redeemer: Redeemer, services: ResumeServices) -> None:
    """Refuse a principal that states a scope which it may not use; a JWT or a link has its scope in itself."""
    if redeemer.scope is not None and request.caller.auth in (CallerAuth.IAM, CallerAuth.DIRECT):
        services.scopes.require(request.caller.principal, redeemer.scope)


def _receipt(
    request: RouteRequest, outcome: ResumeOutcome, body: dict[str, object], services: ResumeServices
) -> RouteReply:
    caller = request.caller
    # A stated name is as good as the program that states it, so the line says which one that is.
    states_names = caller.auth in (CallerAuth.IAM, CallerAuth.DIRECT)
    principal = {"principal": caller.arn or caller.principal} if states_names else {}
    answered = "VoteRecorded" if outcome.still_open else "PauseAnswered"
    return RouteReply(
        # 202: the answer was taken, and the run must not continue yet.
        status=202 if outcome.still_open else 200,
        body=body,
        metric="AnswerReplayed" if outcome.replayed else answered,
        log={"delivery": outcome.delivery.value, "assurance": outcome.assurance, **principal, **legacy_log(outcome)},
        # A replay reports the result of the first delivery, unless the row was due again and this request delivered.
        also_count=(
            *(_DELIVERY_METRICS[outcome.delivery] if outcome.settled or not outcome.replayed else ()),
            *legacy_metrics(outcome),
        ),
        seconds=_seconds(outcome, services),
    )


def _seconds(outcome: ResumeOutcome, services: ResumeServices) -> dict[str, float]:
    seconds = {}
    if not outcome.replayed and not outcome.still_open and outcome.issued_at is not None:
        seconds["TimeToAnswerSeconds"] = outcome.time_to_resolve_seconds
    if outcome.settled and outcome.delivery is DeliveryState.DELIVERED:
        seconds["DeliveryLagSeconds"] = float(max(0, services.clock() - outcome.answered_at))
    return seconds


handler = serve(
    build,
    http={
        "POST /resume": (CallerAuth.IAM, resume),
        "POST /outcomes": (CallerAuth.IAM, outcome),
        "POST /user/resume": (CallerAuth.JWT, resume),
        "POST /answers": (CallerAuth.LINK, answer),
        "POST /user/answers": (CallerAuth.JWT, answer),
        "POST /answers/batch": (CallerAuth.LINK, answers),
        "POST /user/answers/batch": (CallerAuth.JWT, answers),
        "POST /clarifications": (CallerAuth.LINK, ask_back),
        "POST /user/clarifications": (CallerAuth.JWT, ask_back),
        "POST /delegations": (CallerAuth.LINK, delegate),
        "POST /user/delegations": (CallerAuth.JWT, delegate),
        "POST /questions": (CallerAuth.LINK, question),
        "POST /user/questions": (CallerAuth.JWT, user_question),
    },
    direct={
        "resume": resume,
        "answer": answer,
        "answers": answers,
        "question": question,
        "outcome": outcome,
        "ask-back": ask_back,
        "delegate": delegate,
    },
    default_action="resume",
    # So that an agent can fetch an outcome without a permission to answer.
    aliases={OUTCOMES_ALIAS: "outcome"},
    logger=logger,
    metrics=metrics,
)

askback.edge.cold_start.ended()
