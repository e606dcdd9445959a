"""What the sweep's role is for."""

from tests.built.deployed.mint_stories import an_answered
from tests.built.deployed.needs import needs
from tests.built.deployed.policies import Permission
from tests.built.deployed.runs import FUNCTION, Waiter
from tests.built.deployed.world import World

FIND = Permission(role="SweepRole", statement="FindWhatIsDue", action="dynamodb:Query")
START = Permission(
    role="SweepFunctionEveryMinuteRole",
    statement="SweepFunctionEveryMinuteLambdaPolicy",
    action="lambda:InvokeFunction",
)
"""SAM writes the schedule's role and names its policies."""
RETRIED = "DeliveryRetried"
"""The row is due again later; after sixteen times it is undeliverable and an alarm tells."""


def done(world: World) -> str:
    """Sweep and return what was done, in a few words."""
    return " ".join(sorted(world.sweep()))


def expires(world: World, waiter: Waiter | None) -> str:
    """Return what is done when nobody answers."""
    pause = world.mint(**({} if waiter is None else {"waiter": waiter}))
    world.let_time_run_out(pause)
    return done(world)


def gives_the_default(world: World, waiter: Waiter) -> str:
    """Return what is done when nobody answers and the pause has a default answer."""
    default = {"policy": "default", "response": {"answers": [{"selections": ["Reject"]}]}}
    world.let_time_run_out(world.mint(waiter=waiter, on_expiry=default))
    return done(world)


@needs("SweepRole", "FindWhatIsDue", "dynamodb:Query", whole="Expired", cut="Failed")
@needs("SweepRole", "WorkOnIt", "dynamodb:BatchGetItem", whole="Expired", cut="Failed")
@needs("SweepRole", "WorkOnIt", "dynamodb:UpdateItem", whole="Expired", cut="RowFailed")
def a_pause_that_nobody_answers_ends(world: World) -> str:
    return expires(world, None)


@needs("SweepRole", "ReadLargeAnswers", "s3:GetObject", whole="Delivered", cut=RETRIED)
def a_large_answer_is_delivered_again(world: World) -> str:
    world.forget_delivery(an_answered(world, large=True))
    return done(world)


@needs("SweepRole", "TellMissingFromForbidden", "s3:ListBucket", whole="RowFailed", cut=RETRIED)
def a_row_whose_answer_is_gone_is_counted_and_named(world: World) -> str:
    world.forget_delivery(an_answered(world, large=True))
    world.lose_bodies()
    return done(world)


@needs(
    "SweepRole",
    "ReachWaitingTasks",
    "states:SendTaskSuccess",
    whole="AnsweredByPolicy Delivered",
    cut=f"AnsweredByPolicy {RETRIED}",
)
def a_waiting_task_is_told_the_default_answer(world: World) -> str:
    return gives_the_default(world, world.runs.task())


@needs(
    "SweepRole", "ReachWaitingTasks", "states:SendTaskFailure", whole="Expired ExpirySettled", cut=f"{RETRIED} Expired"
)
def a_waiting_task_is_told_that_nobody_answered(world: World) -> str:
    return expires(world, world.runs.task())


@needs(
    "SweepRole",
    "invoke-waiters",
    "lambda:InvokeFunction",
    whole="Expired ExpirySettled",
    cut=f"{RETRIED} Expired",
)
def a_waiting_function_is_told_that_nobody_answered(world: World) -> str:
    return expires(world, FUNCTION)


@needs(
    "SweepRole",
    "answer-example",
    "lambda:SendDurableExecutionCallbackSuccess",
    whole="AnsweredByPolicy Delivered",
    cut=f"AnsweredByPolicy {RETRIED}",
)
def a_waiting_callback_is_told_the_default_answer(world: World) -> str:
    return gives_the_default(world, world.runs.callback())


@needs(
    "SweepRole",
    "answer-example",
    "lambda:SendDurableExecutionCallbackFailure",
    whole="Expired ExpirySettled",
    cut=f"{RETRIED} Expired",
)
def a_waiting_callback_is_told_that_nobody_answered(world: World) -> str:
    return expires(world, world.runs.callback())


@needs("SweepRole", "announce", "events:PutEvents", whole="PauseExpired", cut="nothing")
def an_expiry_is_announced(world: World) -> str:
    pause = world.mint()
    world.expire(pause)
    return "PauseExpired" if "PauseExpired" in world.heard(pause) else "nothing"


@needs("SweepRole", "KeepFailures", "sqs:SendMessage", whole="kept", cut="lost")
def a_sweep_that_failed_is_kept(world: World) -> str:
    with world.deployment.roles.without(FIND):
        return world.failed_sweep()


@needs(START.role, START.statement, START.action, whole="swept", cut="kept")
def the_schedule_sweeps(world: World) -> str:
    return world.scheduled_sweep()


@needs(START.role, f"{START.role.removesuffix('Role')}SQSPolicy", "sqs:SendMessage", whole="kept", cut="lost")
def a_sweep_that_could_not_be_started_is_kept(world: World) -> str:
    with world.deployment.roles.without(START):
        return world.missed_sweep()


@needs("SweepRole", "WriteLogs", "logs:CreateLogStream", whole="logged", cut="silent")
@needs("SweepRole", "WriteLogs", "logs:PutLogEvents", whole="logged", cut="silent")
def a_sweep_is_logged(world: World) -> str:
    return world.logs_of("SweepLogGroup", world.sweep)
