"""The resume function: shows a question, takes its answer once, and gives a backend the turn to go on from."""

import askback.edge.cold_start
from askback.domain.pause.claims import Audience
from askback.domain.resume.eight_steps import DeliveryState, ResumeOutcome
from askback.edge.answer import (
    answer_reply,
    outcome_request,
    question_reply,
    question_token,
    resume_command,
    resume_reply,
)
from askback.edge.lambda_events import Request, Via
from askback.edge.log import legacy_log, legacy_metrics
from askback.edge.serve import Reply, serve
from askback.wiring.deferred import Deferred
from askback.wiring.services import Services, new_attempt_id, observers, services

logger, metrics = observers("resume")
deployed = Deferred(lambda: services(logger), Services.resume)

BACKEND = frozenset({Audience.RESUME})
LINK_HOLDER = frozenset({Audience.ANSWER})
"""Without a sign-in only an answer token is taken: a resume token is safe to lose only where the scope is checked."""
SIGNED_IN = BACKEND | LINK_HOLDER

_DELIVERY_METRICS = {
    DeliveryState.NONE: (),
    DeliveryState.PENDING: ("DeliveryPending",),
    DeliveryState.DELIVERED: ("Delivered",),
    DeliveryState.UNDELIVERABLE: ("Undeliverable",),
}


async def resume(request: Request) -> Reply:
    """Take the answer and return the turn; refused when no turn was recorded."""
    outcome = await _take(request, BACKEND, require_turn=True)
    return _receipt(outcome, resume_reply(outcome))


async def answer(request: Request) -> Reply:
    """Take the answer and return its receipt."""
    outcome = await _take(request, LINK_HOLDER if request.caller.via is Via.LINK else SIGNED_IN, require_turn=False)
    return _receipt(outcome, answer_reply(outcome))


async def outcome(request: Request) -> Reply:
    """Return how the pause ended, with the turn to go on from; consumes nothing."""
    wired = deployed()
    token, redeemer = outcome_request(request)
    read = await wired.outcomes().read(token, redeemer, at=wired.clock())
    return Reply(status=200, body=resume_reply(read), metric="OutcomeRead")


async def question(request: Request) -> Reply:
    """Return the recorded request; consumes nothing."""
    wired = deployed()
    shown = await wired.resume().question(question_token(request), at=wired.clock())
    return Reply(status=200, body=question_reply(shown), metric="QuestionShown")


async def _take(request: Request, audiences: frozenset[Audience], *, require_turn: bool) -> ResumeOutcome:
    wired = deployed()
    command = resume_command(
        request,
        claim_names=wired.settings.claim_names,
        at=wired.clock(),
        attempt_id=new_attempt_id(),
        audiences=audiences,
    )
    return await wired.resume().resume(command, require_turn=require_turn)


def _receipt(outcome: ResumeOutcome, body: dict[str, object]) -> Reply:
    return Reply(
        status=200,
        body=body,
        metric="AnswerReplayed" if outcome.replayed else "PauseAnswered",
        log={"delivery": outcome.delivery.value, **legacy_log(outcome)},
        # A replay finds what became of the first delivery, unless it was due again and this request made it.
        also_count=(
            *(_DELIVERY_METRICS[outcome.delivery] if outcome.settled or not outcome.replayed else ()),
            *legacy_metrics(outcome),
        ),
        seconds=_seconds(outcome),
    )


def _seconds(outcome: ResumeOutcome) -> dict[str, float]:
    seconds = {}
    if not outcome.replayed and outcome.issued_at is not None:
        seconds["TimeToAnswerSeconds"] = outcome.time_to_resolve_seconds
    if outcome.settled and outcome.delivery is DeliveryState.DELIVERED:
        seconds["DeliveryLagSeconds"] = float(max(0, deployed().clock() - outcome.answered_at))
    return seconds


handler = serve(
    http={
        "POST /resume": (Via.IAM, resume),
        "POST /outcomes": (Via.IAM, outcome),
        "POST /user/resume": (Via.JWT, resume),
        "POST /answers": (Via.LINK, answer),
        "POST /user/answers": (Via.JWT, answer),
        "POST /questions": (Via.LINK, question),
    },
    direct={"resume": resume, "answer": answer, "question": question, "outcome": outcome},
    default_action="resume",
    trust_unsigned=lambda: deployed().settings.trust_unsigned_routes,
    logger=logger,
    metrics=metrics,
)

askback.edge.cold_start.ended()
