"""What the resume's role is for."""

from local.demo.api_client import Answer
from tests.built.deployed.needs import FORBIDDEN, needs
from tests.built.deployed.runs import FUNCTION, Waiter
from tests.built.deployed.world import World, large_answer, large_question, noise

WAITER_UNKNOWN = FORBIDDEN
"""Whether the run still waits is asked before anything is spent."""


def told(world: World, waiter: Waiter) -> str:
    """Return how an answer ended that a run waits for."""
    return delivered(world.answer(world.mint(waiter=waiter)))


def delivered(answer: Answer) -> str:
    """Return a reply in a few words: status, and how far the answer came or the code of the problem."""
    return f"{answer.status} {answer.code or answer.document['delivery']}"


@needs("ResumeRole", "ReadAndClaimThePause", "dynamodb:BatchGetItem", whole="200 none", cut=FORBIDDEN)
@needs("ResumeRole", "ReadAndClaimThePause", "dynamodb:UpdateItem", whole="200 none", cut=FORBIDDEN)
def a_pause_is_answered(world: World) -> str:
    return delivered(world.answer(world.mint()))


@needs("ResumeRole", "ReadAndClaimThePause", "dynamodb:PutItem", whole="none", cut="misconfigured")
def a_pause_of_the_legacy_engine_is_answered(world: World) -> str:
    return world.answer_legacy(world.mint(messages=..., checkpoint_id="legacy"))


@needs("ResumeRole", "ReadTheKeys", "secretsmanager:GetSecretValue", whole="200 none", cut=FORBIDDEN)
def a_pause_is_answered_where_nothing_ran_before(world: World) -> str:
    pause = world.mint()
    world.deployment.start_afresh("ResumeFunction")
    return delivered(world.answer(pause))


@needs("ResumeRole", "ReadLargeTurns", "s3:GetObject", whole="200 none", cut=FORBIDDEN)
def a_run_goes_on_from_a_large_turn(world: World) -> str:
    return delivered(world.resume(world.mint(prompt=noise(4000))))


@needs("ResumeRole", "TellMissingFromForbidden", "s3:ListBucket", whole="424 turn-missing", cut=FORBIDDEN)
def a_run_is_told_that_its_turn_is_gone(world: World) -> str:
    pause = world.mint(prompt=noise(4000))
    world.lose_bodies()
    return delivered(world.resume(pause))


@needs("ResumeRole", "StoreLargeAnswers", "s3:PutObject", whole="200 none", cut=FORBIDDEN)
def a_large_answer_is_kept(world: World) -> str:
    pause = world.mint(payload=large_question())
    return delivered(world.answer(pause, response=large_answer(pause)))


@needs("ResumeRole", "announce", "events:PutEvents", whole="PauseAnswered", cut="nothing")
def an_answer_is_announced(world: World) -> str:
    pause = world.mint()
    assert world.answer(pause).status == 200
    return "PauseAnswered" if "PauseAnswered" in world.heard(pause) else "nothing"


@needs("ResumeRole", "ReachWaitingTasks", "states:SendTaskHeartbeat", whole="200 delivered", cut=WAITER_UNKNOWN)
@needs("ResumeRole", "ReachWaitingTasks", "states:SendTaskSuccess", whole="200 delivered", cut="200 pending")
def a_waiting_task_is_told(world: World) -> str:
    return told(world, world.runs.task())


@needs("ResumeRole", "invoke-waiters", "lambda:InvokeFunction", whole="200 delivered", cut="200 pending")
def a_waiting_function_is_told(world: World) -> str:
    return told(world, FUNCTION)


@needs(
    "ResumeRole",
    "answer-example",
    "lambda:SendDurableExecutionCallbackHeartbeat",
    whole="200 delivered",
    cut=WAITER_UNKNOWN,
)
@needs(
    "ResumeRole",
    "answer-example",
    "lambda:SendDurableExecutionCallbackSuccess",
    whole="200 delivered",
    cut="200 pending",
)
def a_waiting_callback_is_told(world: World) -> str:
    return told(world, world.runs.callback())


@needs("ResumeRole", "WriteLogs", "logs:CreateLogStream", whole="logged", cut="silent")
@needs("ResumeRole", "WriteLogs", "logs:PutLogEvents", whole="logged", cut="silent")
def an_answer_is_logged(world: World) -> str:
    pause = world.mint()
    return world.logs_of("ResumeLogGroup", lambda: world.answer(pause))
