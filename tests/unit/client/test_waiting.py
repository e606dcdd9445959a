"""Waiting for an outcome: how often it is asked for, and how a wait ends."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from askback import (
    AskbackClient,
    AsyncAskbackClient,
    BackOff,
    IssuedPause,
    PauseExpired,
    PauseRevoked,
    StillOpen,
    StoreUnavailable,
    ask_user,
    question,
)
from askback.testing.deployment import START, InProcessDeployment

LONG = timedelta(days=2)


@pytest.fixture
def pause(askback: InProcessDeployment) -> IssuedPause:
    asked = ask_user(question("Refund?", ["Approve", "Reject"]))
    return askback.client().pause(
        *asked, run_id="run-1", scope="acme", ttl_seconds=LONG, tool_call_id="call-1", messages=[]
    )


def waits_of(askback: InProcessDeployment, *, jitter: float = 0.0) -> tuple[AskbackClient, list[float]]:
    """Return a client, and the waits between its polls."""
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        askback.clock.advance(seconds)

    return AskbackClient(askback, sleep=sleep, jitter=lambda: jitter, clock=askback.clock.exactly), waits


def test_an_answer_that_is_there_is_returned_at_once(askback: InProcessDeployment, pause: IssuedPause) -> None:
    askback.answer(pause, choice="Approve")
    client, waits = waits_of(askback)
    assert client.wait(pause).jti == pause.jti
    assert waits == []


def test_the_waits_double_up_to_half_a_minute(askback: InProcessDeployment, pause: IssuedPause) -> None:
    client, waits = waits_of(askback)
    with pytest.raises(StillOpen):
        client.wait(pause, timeout=timedelta(minutes=2))
    assert waits == [1, 2, 4, 8, 16, 30, 30, 29]
    assert askback.clock.now() == START + 120


def test_up_to_half_of_a_wait_is_left_out(askback: InProcessDeployment, pause: IssuedPause) -> None:
    client, waits = waits_of(askback, jitter=1.0)
    with pytest.raises(StillOpen):
        client.wait(pause, timeout=3.5)
    assert waits == [0.5, 1, 2]


def test_a_wait_without_time_asks_once(askback: InProcessDeployment, pause: IssuedPause) -> None:
    client, waits = waits_of(askback)
    with pytest.raises(TimeoutError, match="the pause is still open"):
        client.wait(pause, timeout=0)
    assert waits == []


def test_how_often_it_asks_is_the_callers_to_say(askback: InProcessDeployment, pause: IssuedPause) -> None:
    client, waits = waits_of(askback)
    with pytest.raises(StillOpen):
        client.wait(pause, timeout=25, polling=BackOff(first_wait=10, longest_wait=10))
    assert waits == [10, 10, 5]


def test_an_answer_ends_the_wait(askback: InProcessDeployment, pause: IssuedPause) -> None:
    def sleep(seconds: float) -> None:
        askback.answer(pause, choice="Reject")

    client = AskbackClient(askback, sleep=sleep, clock=askback.clock.exactly)
    assert client.wait(pause, timeout=60).response["answers"][0]["selections"] == ["Reject"]


def test_a_wait_without_a_timeout_ends_with_the_pause(askback: InProcessDeployment, pause: IssuedPause) -> None:
    """Two days are thousands of polls: the waits must not grow past what a float holds."""
    client, waits = waits_of(askback)
    with pytest.raises(PauseExpired):
        client.wait(pause)
    assert len(waits) > 2000


def test_a_revoked_question_ends_the_wait(askback: InProcessDeployment, pause: IssuedPause) -> None:
    askback.revoke(pause)
    with pytest.raises(PauseRevoked):
        askback.client().wait(pause)


def test_a_token_is_waited_for_in_its_scope(askback: InProcessDeployment, pause: IssuedPause) -> None:
    askback.answer(pause, choice="Approve")
    assert askback.client().wait(pause.pause_token, scope="acme").jti == pause.jti


def test_a_deployment_that_stays_out_of_reach_ends_the_wait(askback: InProcessDeployment, pause: IssuedPause) -> None:
    askback.services.checkpoints.down = True
    client, waits = waits_of(askback)
    with pytest.raises(StoreUnavailable):
        client.wait(pause)
    assert waits == [0.2, 0.4, 0.8]


def test_an_event_loop_goes_on_while_a_task_waits(askback: InProcessDeployment, pause: IssuedPause) -> None:
    async def person() -> None:
        askback.answer(pause, choice="Approve")

    async def both() -> Any:
        outcome, _ = await asyncio.gather(askback.async_client().wait(pause, timeout=60), person())
        return outcome

    assert asyncio.run(both()).jti == pause.jti


def test_a_wait_can_be_cancelled(askback: InProcessDeployment, pause: IssuedPause) -> None:
    async def cancelled(sleeping: asyncio.Event, sleep: Callable[[float], Awaitable[None]]) -> None:
        client = AsyncAskbackClient(askback, sleep=sleep, clock=askback.clock.exactly)
        task = asyncio.create_task(client.wait(pause))
        await sleeping.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def story() -> None:
        sleeping = asyncio.Event()

        async def sleep(seconds: float) -> None:
            sleeping.set()
            await asyncio.Event().wait()

        await cancelled(sleeping, sleep)

    asyncio.run(story())
