"""An answer that comes after its run has ended is accepted only after a check that said that the run waits."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError, ReadTimeoutError

from tests.support.aws_probe import Probe, aws_error
from tests.support.request_bodies import Pause
from tests.support.waiting_world import World, body_of

CHECKS = {"tasks": "SendTaskHeartbeat", "callbacks": "SendDurableExecutionCallbackHeartbeat"}
"""The call that asks whether a run waits, by its kind."""
ENDPOINT = {"endpoint_url": "https://service.example.com"}
REFUSED: Mapping[str, Exception] = {
    "throttled": aws_error("ThrottlingException"),
    "forbidden": aws_error("AccessDeniedException"),
    "broken": aws_error("InternalServerError", status=500),
    "not reached": EndpointConnectionError(**ENDPOINT),
}
LOST: Mapping[str, Exception] = {"no reply": ReadTimeoutError(**ENDPOINT)}


def disturbed(probe: Probe, operation: str, how: str) -> AbstractContextManager[None]:
    """Let the check be refused, or let its reply be lost."""
    if how in LOST:
        return probe.losing_replies(**{operation: LOST[how]})
    return probe.failing(**{operation: REFUSED[how]})


def ended(world: World, kind: str) -> Pause:
    """Return an open pause whose run has ended."""
    waiter = getattr(world, kind).start()
    pause = world.handlers.pause(waiter=body_of(waiter))
    getattr(world, kind).end(waiter)
    return pause


def answer(world: World, pause: Pause) -> tuple[int, Any]:
    reply = world.handlers.post("/answers", pause.answer())
    return reply.status, reply.document.get("code")


@pytest.mark.parametrize("how", [*REFUSED, *LOST])
@pytest.mark.parametrize("kind", CHECKS)
def test_an_answer_for_a_run_that_has_ended_is_not_accepted_when_the_check_fails(
    world: World, kind: str, how: str
) -> None:
    """D-58."""
    pause = ended(world, kind)
    with disturbed(world.deployment.probe, CHECKS[kind], how):
        refused = answer(world, pause)
    assert refused == ((500, "misconfigured") if how == "forbidden" else (503, "store-unavailable"))
    row = world.row(pause)
    assert (row["status"], "response_hash" in row) == ("issued", False)
    assert answer(world, pause) == (410, "waiter-gone")
    assert world.row(pause)["status"] == "issued"


@pytest.mark.parametrize("how", [*REFUSED, *LOST])
@pytest.mark.parametrize("kind", CHECKS)
def test_the_same_answer_is_accepted_once_a_run_that_waits_has_taken_the_place(
    world: World, kind: str, how: str
) -> None:
    """D-58: the check of the second waiter is the one that counts."""
    pause = world.handlers.pause(waiter=body_of(first := getattr(world, kind).start()), idempotency_key=f"{kind}/{how}")
    getattr(world, kind).end(first)
    second = getattr(world, kind).start()
    assert world.handlers.post("/pauses", {**pause.request, "waiter": body_of(second)}).status == 201
    with disturbed(world.deployment.probe, CHECKS[kind], how):
        status, _ = answer(world, pause)
    assert status in {500, 503}
    assert world.row(pause)["status"] == "issued"
    assert answer(world, pause) == (200, None)
    assert world.row(pause)["status"] == "delivered"
