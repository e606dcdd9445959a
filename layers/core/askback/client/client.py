"""The client for programs outside the deployment: agents, backends, the server of an answer page.

client = AskbackClient(HttpTransport("https://….execute-api.eu-central-1.amazonaws.com"))
pause = client.pause(*ask_user(question("Refund?", ["Approve", "Reject"])), run_id="run-1", scope="acme", …)
outcome = client.wait(pause, timeout=600)
"""

import functools
import time
from collections.abc import Callable, Coroutine, Mapping
from random import random  # noqa: TID251 - a default for callers; tests give their own
from typing import Any, Concatenate, ParamSpec, TypeVar

from askback.client.calls import Calls, Way
from askback.client.retries import Retries
from askback.client.transport import Action, Reply, Transport

P = ParamSpec("P")
ResultT = TypeVar("ResultT")


def _blocking(
    call: Callable[Concatenate[Calls, P], Coroutine[Any, Any, ResultT]],
) -> Callable[Concatenate["AskbackClient", P], ResultT]:
    """Return the blocking form of a call: its transport and its sleep return only after they are finished.

    So the coroutine never suspends and needs no event loop.
    """

    @functools.wraps(call)
    def run(client: "AskbackClient", /, *args: P.args, **kwargs: P.kwargs) -> ResultT:
        coroutine = call(client._calls, *args, **kwargs)  # noqa: SLF001 - the client is its own
        try:
            coroutine.send(None)
        except StopIteration as end:
            result: ResultT = end.value
            return result
        coroutine.close()
        raise RuntimeError("a transport of this client must return its reply, not an awaitable")

    return run


class AskbackClient:
    """The calls to one deployment. Threads can share a client if they can share its transport.

    The calls are those of `Calls`. `sleep` takes seconds; `jitter` returns a number from 0 to 1; `clock` returns
    seconds and never goes back.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        retries: Retries = Retries(),  # noqa: B008 - frozen
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        async def send(action: Action, body: Mapping[str, Any]) -> Reply:
            return transport.send(action, body)

        async def slept(seconds: float) -> None:
            sleep(seconds)

        self._calls = Calls(Way(send=send, sleep=slept, clock=clock, jitter=jitter, retries=retries))

    pause = _blocking(Calls.pause)
    links = _blocking(Calls.links)
    question = _blocking(Calls.question)
    answer = _blocking(Calls.answer)
    answer_many = _blocking(Calls.answer_many)
    resume = _blocking(Calls.resume)
    outcome = _blocking(Calls.outcome)
    wait = _blocking(Calls.wait)
    revoke = _blocking(Calls.revoke)
    ask_back = _blocking(Calls.ask_back)
    delegate = _blocking(Calls.delegate)
    clarifications = _blocking(Calls.clarifications)
    clarify = _blocking(Calls.clarify)
