"""What the role of the ended function is for."""

from tests.built.deployed.needs import needs
from tests.built.deployed.world import World
from tests.support.ended_executions import ends_of
from tests.support.request_bodies import Pause


@needs("EndedRole", "FindThePausesOfAnExecution", "dynamodb:Query", whole="revoked", cut="issued")
@needs("EndedRole", "RevokeThem", "dynamodb:BatchGetItem", whole="revoked", cut="issued")
@needs("EndedRole", "RevokeThem", "dynamodb:UpdateItem", whole="revoked", cut="issued")
@needs("EndedRole", "AskWhetherATaskWaits", "states:SendTaskHeartbeat", whole="revoked", cut="issued")
def a_stopped_run_leaves_no_question_behind(world: World) -> str:
    pause = left_behind(world)
    return str(world.deployment.invoke("InboxFunction", {"action": "show", "jti": pause.minted["jti"]})["status"])


@needs("EndedRole", "announce", "events:PutEvents", whole="PauseRevoked", cut="nothing")
def the_end_of_a_question_is_announced(world: World) -> str:
    pause = left_behind(world)
    return "PauseRevoked" if "PauseRevoked" in world.heard(pause) else "nothing"


@needs("EndedRole", "WriteLogs", "logs:CreateLogStream", whole="logged", cut="silent")
@needs("EndedRole", "WriteLogs", "logs:PutLogEvents", whole="logged", cut="silent")
def the_end_of_a_run_is_logged(world: World) -> str:
    return world.logs_of("EndedLogGroup", lambda: left_behind(world))


def left_behind(world: World) -> Pause:
    """Stop a run whose question is open, hand the function what its queue would, and return the pause."""
    waiter = world.runs.task_of_an_execution()
    pause = world.mint(waiter=dict(waiter))
    world.runs.stop(waiter["execution"])
    world.deployment.invoke("EndedFunction", ends_of(waiter["execution"]))
    return pause
