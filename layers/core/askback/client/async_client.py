"""The client for programs with an event loop: the same calls as `AskbackClient`, with `await`.

Botocore is not asynchronous, so each attempt runs in a thread and does not block the loop. This has two effects. First:
a cancelled call returns at once, but its attempt continues in the thread for up to 40 seconds and may have its effect.
If you need the result, make the call again, as after `NoReply`. Second: the number of attempts at the same time is the
number of threads of the loop's default executor (`loop.set_default_executor`): processors + 4, at most 32, by default.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from random import random  # noqa: TID251 - a default for callers; tests give their own
from typing import Any

from askback.client.calls import Calls, Way
from askback.client.retries import Retries
from askback.client.transport import Action, Reply, Transport


class AsyncAskbackClient(Calls):
    """The calls to one deployment, for callers with an event loop.

    It takes the same transports as `AskbackClient`. `sleep` takes seconds; `jitter` returns a number from 0 to 1;
    `clock` returns seconds and never goes back.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        retries: Retries = Retries(),  # noqa: B008 - frozen
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        async def send(action: Action, body: Mapping[str, Any]) -> Reply:
            return await asyncio.to_thread(transport.send, action, body)

        super().__init__(Way(send=send, sleep=sleep, clock=clock, jitter=jitter, retries=retries))
