"""What the mint's role is for."""

from local.demo.api_client import Answer
from tests.built.deployed.needs import FORBIDDEN, needs
from tests.built.deployed.runs import FUNCTION, Waiter
from tests.built.deployed.world import World, a_key, large_answer, large_question, noise
from tests.support.request_bodies import Pause, a_mint


def ended(answer: Answer) -> str:
    """Return a reply in a few words: status, and status of the pause or code of the problem."""
    return f"{answer.status} {answer.code or answer.document['status']}"


def retried_late(world: World, pause: Pause, waiter: Waiter) -> str:
    """Return what a task's retry is told that comes when the pause has ended."""
    return ended(world.mint_again(pause, waiter))


def an_answered(world: World, *, large: bool = False) -> Pause:
    """Return a pause that a function waited for, and that was answered."""
    question = {"payload": large_question()} if large else {}
    pause = world.mint(waiter=FUNCTION, idempotency_key=a_key(), **question)
    answered = world.answer(pause, response=large_answer(pause) if large else pause.response())
    assert answered.status == 200, answered.document
    return pause


def an_expired(world: World) -> Pause:
    """Return a pause that nobody answered."""
    pause = world.mint(waiter=FUNCTION, idempotency_key=a_key())
    world.expire(pause)
    return pause


@needs("MintRole", "RecordThePause", "dynamodb:PutItem", whole="201 issued", cut=FORBIDDEN)
def a_pause_is_minted(world: World) -> str:
    return ended(world.deployment.post("/pauses", a_mint()))


@needs("MintRole", "ReadTheSameQuestion", "dynamodb:GetItem", whole="201 issued", cut=FORBIDDEN)
def a_question_is_asked_again_with_its_names_in_another_order(world: World) -> str:
    first, again = (
        {"title": "Refund", "action": {"name": "refund", "arguments": dict.fromkeys(names, 1)}}
        for names in (("order", "amount"), ("amount", "order"))
    )
    request = a_mint(name="approval", payload=first, idempotency_key=a_key())
    world.deployment.post("/pauses", request)
    return ended(world.deployment.post("/pauses", {**request, "payload": again}))


@needs("MintRole", "ReadTheKeys", "secretsmanager:GetSecretValue", whole="201 issued", cut=FORBIDDEN)
def a_pause_is_minted_where_nothing_ran_before(world: World) -> str:
    world.deployment.start_afresh("MintFunction")
    return ended(world.deployment.post("/pauses", a_mint()))


@needs("MintRole", "StoreLargeTurns", "s3:PutObject", whole="201 issued", cut="503 store-unavailable")
def a_large_turn_that_somebody_waits_for_is_kept(world: World) -> str:
    return ended(world.deployment.post("/pauses", a_mint(prompt=noise(4000), waiter=FUNCTION)))


@needs("MintRole", "announce", "events:PutEvents", whole="201 issued", cut=FORBIDDEN)
def a_pause_is_announced_before_its_token_leaves(world: World) -> str:
    return ended(world.deployment.post("/pauses", a_mint()))


@needs("MintRole", "ReplaceTheWaiter", "dynamodb:UpdateItem", whole="201 issued", cut=FORBIDDEN)
def a_retry_replaces_who_waits(world: World) -> str:
    return ended(world.mint_again(world.mint(waiter=FUNCTION, idempotency_key=a_key()), world.runs.task()))


@needs("MintRole", "ReplaceTheWaiter", "dynamodb:BatchGetItem", whole="201 delivered", cut=FORBIDDEN)
def a_retry_that_comes_late_finds_how_the_pause_ended(world: World) -> str:
    return retried_late(world, an_answered(world), world.runs.task())


@needs("MintRole", "CountOpenPauses", "dynamodb:Query", whole="201 issued", cut=FORBIDDEN)
def the_open_pauses_of_a_scope_with_a_limit_are_counted(world: World) -> str:
    action = {"title": "Refund", "action": {"name": "refund", "arguments": {"amount": 49.9}}}
    return ended(world.deployment.post("/pauses", a_mint(name="approval", payload=action)))


@needs("MintRole", "ReadLargeAnswers", "s3:GetObject", whole="201 delivered", cut=FORBIDDEN)
def a_retry_that_comes_late_is_told_a_large_answer(world: World) -> str:
    return retried_late(world, an_answered(world, large=True), world.runs.task())


@needs("MintRole", "TellMissingFromForbidden", "s3:ListBucket", whole="424 outcome-unreadable", cut=FORBIDDEN)
def a_retry_that_comes_late_is_told_that_the_answer_is_gone(world: World) -> str:
    pause = an_answered(world, large=True)
    world.lose_bodies()
    return retried_late(world, pause, world.runs.task())


@needs("MintRole", "ReachWaitingTasks", "states:SendTaskHeartbeat", whole="409 pause-conflict", cut=FORBIDDEN)
def a_second_task_under_one_key_is_refused_while_the_first_waits(world: World) -> str:
    return ended(world.mint_again(world.mint(waiter=world.runs.task(), idempotency_key=a_key()), world.runs.task()))


@needs("MintRole", "ReachWaitingTasks", "states:SendTaskSuccess", whole="201 delivered", cut=FORBIDDEN)
def a_task_that_comes_late_is_told_the_answer(world: World) -> str:
    return retried_late(world, an_answered(world), world.runs.task())


@needs("MintRole", "ReachWaitingTasks", "states:SendTaskFailure", whole="201 expired", cut=FORBIDDEN)
def a_task_that_comes_late_is_told_that_nobody_answered(world: World) -> str:
    return retried_late(world, an_expired(world), world.runs.task())


@needs("MintRole", "invoke-waiters", "lambda:InvokeFunction", whole="201 delivered", cut=FORBIDDEN)
def a_function_that_comes_late_is_told_the_answer(world: World) -> str:
    pause = world.mint(waiter=world.runs.task(), idempotency_key=a_key())
    world.answer(pause)
    return retried_late(world, pause, FUNCTION)


@needs(
    "MintRole",
    "answer-example",
    "lambda:SendDurableExecutionCallbackHeartbeat",
    whole="409 pause-conflict",
    cut=FORBIDDEN,
)
def a_second_run_under_one_key_is_refused_while_the_callback_is_open(world: World) -> str:
    return ended(world.mint_again(world.mint(waiter=world.runs.callback(), idempotency_key=a_key()), FUNCTION))


@needs("MintRole", "answer-example", "lambda:SendDurableExecutionCallbackSuccess", whole="201 delivered", cut=FORBIDDEN)
def a_callback_that_comes_late_is_told_the_answer(world: World) -> str:
    return retried_late(world, an_answered(world), world.runs.callback())


@needs("MintRole", "answer-example", "lambda:SendDurableExecutionCallbackFailure", whole="201 expired", cut=FORBIDDEN)
def a_callback_that_comes_late_is_told_that_nobody_answered(world: World) -> str:
    return retried_late(world, an_expired(world), world.runs.callback())


@needs("MintRole", "WriteLogs", "logs:CreateLogStream", whole="logged", cut="silent")
@needs("MintRole", "WriteLogs", "logs:PutLogEvents", whole="logged", cut="silent")
def a_mint_is_logged(world: World) -> str:
    return world.logs_of("MintLogGroup", world.mint)
