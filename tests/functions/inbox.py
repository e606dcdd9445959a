"""What the tests of the operator's routes share: a scope of one test's own, the list of a scope, an answer given up."""

from typing import Any
from urllib.parse import urlencode

from tests.support.aws_probe import aws_error
from tests.support.function_deployment import Answer, Handlers
from tests.support.request_bodies import Pause
from tests.support.waiting_world import World, body_of

OLGA = "arn:aws:iam::123456789012:user/local"


def listed(handlers: Handlers, scope: dict[str, str], **over: Any) -> Answer:
    return handlers.get("/pauses?" + urlencode({**scope, **over}))


def given_up(world: World, kind: str) -> tuple[Any, Pause]:
    """Return a run that waits, and its answered pause after a sweep has given it up."""
    waiter = world.runs(kind).start()
    pause = world.handlers.pause(waiter=body_of(waiter))
    failing = ("SendTaskSuccess", "SendDurableExecutionCallbackSuccess", "Invoke")
    with world.deployment.probe.failing(**dict.fromkeys(failing, aws_error("ThrottlingException"))):
        world.handlers.post("/answers", pause.answer())
        for _ in range(16):
            world.sweep(after=4000)
    assert world.row(pause)["status"] == "undeliverable"
    return waiter, pause
