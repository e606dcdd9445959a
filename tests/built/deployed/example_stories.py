"""What the roles of the examples are for."""

from tests.built.deployed.needs import needs
from tests.built.deployed.world import World
from tests.support.request_bodies import a_scope


@needs("ApprovalFlowRole", "Ask", "lambda:InvokeFunction", whole="SUCCEEDED", cut="FAILED")
def a_workflow_asks_waits_and_goes_on(world: World) -> str:
    scope = a_scope()
    execution = world.runs.workflow(scope)
    status, _ = world.runs.approved(scope, lambda: world.runs.workflow_status(execution))
    return status


@needs("DurableExampleRole", "Ask", "lambda:InvokeFunction", whole="SUCCEEDED", cut="FAILED")
@needs("DurableExampleRole", "keep-its-state", "lambda:CheckpointDurableExecution", whole="SUCCEEDED", cut="FAILED")
def a_durable_function_asks_waits_and_goes_on(world: World) -> str:
    scope = a_scope()
    execution = world.runs.durable_example(scope)
    status, _ = world.runs.approved(scope, lambda: world.runs.durable_status(execution))
    return status


@needs("DurableExampleRole", "WriteLogs", "logs:CreateLogStream", whole="logged", cut="silent")
@needs("DurableExampleRole", "WriteLogs", "logs:PutLogEvents", whole="logged", cut="silent")
def a_durable_function_is_logged(world: World) -> str:
    return world.logs_of("DurableExampleLogGroup", world.runs.callback)
