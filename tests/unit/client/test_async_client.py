"""The client for an event loop has the same calls, and the loop goes on while they are made."""

import asyncio
import inspect
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from askback import AskbackClient, AsyncAskbackClient, NoReply, NotAnswered, ask_user, choose, question
from askback.client.calls import Calls
from askback.client.transport import Action, Reply
from askback.testing.deployment import InProcessDeployment

CALLS = [name for name in vars(Calls) if not name.startswith("_")]
ASKED = ask_user(question("Refund?", ["Approve", "Reject"]))
REQUEST: dict[str, Any] = {"run_id": "run-1", "scope": "acme", "ttl_seconds": 3600, "tool_call_id": "call-1"}


@pytest.mark.parametrize("name", CALLS)
def test_both_clients_have_each_call_with_the_same_arguments_and_words(name: str) -> None:
    blocking, asynchronous = getattr(AskbackClient, name), getattr(AsyncAskbackClient, name)
    assert inspect.signature(blocking) == inspect.signature(asynchronous)
    assert blocking.__doc__ == asynchronous.__doc__
    assert inspect.iscoroutinefunction(asynchronous)


def test_neither_client_has_a_call_that_the_other_has_not() -> None:
    public = [{name for name in dir(kind) if not name.startswith("_")} for kind in (AskbackClient, AsyncAskbackClient)]
    assert public == [set(CALLS)] * 2


def test_a_pause_an_answer_and_its_outcome(askback: InProcessDeployment) -> None:
    async def story() -> Any:
        client = askback.async_client()
        pause = await client.pause(*ASKED, **REQUEST, messages=[])
        with pytest.raises(NotAnswered):
            await client.outcome(pause)
        shown = await client.question(pause)
        receipt = await client.answer(await client.links(pause), choose(shown, "Approve"))
        outcome = await client.wait(pause)
        return pause, receipt, outcome

    pause, receipt, outcome = asyncio.run(story())
    assert pause.jti == receipt.jti == outcome.jti
    assert outcome.response["answers"][0]["selections"] == ["Approve"]


class Silent:
    """A transport that never gets a reply."""

    def __init__(self) -> None:
        self.sent = 0

    def send(self, action: Action, body: Mapping[str, Any]) -> Reply:
        self.sent += 1
        raise NoReply("it is a test")


@pytest.mark.parametrize(("key", "attempts"), [({}, 1), ({"idempotency_key": "k"}, 4)])
def test_the_rule_of_repetition_is_the_same(key: dict[str, Any], attempts: int) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    silent = Silent()
    client = AsyncAskbackClient(silent, sleep=sleep, jitter=lambda: 0.0)
    with pytest.raises(NoReply):
        asyncio.run(client.pause(*ASKED, **{**REQUEST, **key}))
    assert silent.sent == attempts
    assert waits == [0.2, 0.4, 0.8][: attempts - 1]


class Held:
    """A transport that returns a reply when the test lets it."""

    def __init__(self) -> None:
        self.began, self.go_on, self.ended = threading.Event(), threading.Event(), threading.Event()

    def send(self, action: Action, body: Mapping[str, Any]) -> Reply:
        self.began.set()
        self.go_on.wait()
        self.ended.set()
        return Reply(status=404, document={})


def test_a_cancelled_call_stops_waiting_and_its_attempt_ends_in_its_thread() -> None:
    held = Held()

    async def story() -> bool:
        task = asyncio.create_task(AsyncAskbackClient(held).question("a token"))
        await asyncio.to_thread(held.began.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        ended = held.ended.is_set()
        held.go_on.set()
        return ended

    assert asyncio.run(story()) is False
    assert held.ended.is_set()


def test_the_blocking_client_says_so_when_a_transport_returns_something_to_wait_for(
    askback: InProcessDeployment,
) -> None:
    async def later() -> None:
        await asyncio.sleep(0)

    client: Any = AskbackClient(askback)
    with pytest.raises(RuntimeError, match="must return its reply"):
        client_of_coroutines(client).question("a token")


def client_of_coroutines(client: Any) -> Any:
    """Return the client with a sleep that suspends, as nothing that it is given can do by the types."""

    async def send(action: Action, body: Mapping[str, Any]) -> Reply:
        await asyncio.sleep(0)
        raise AssertionError("it was run on")

    object.__setattr__(client._calls._way, "send", send)  # noqa: SLF001 - there is no other way in
    return client
