"""The client for programs that run an event loop: the same calls, each to be awaited.

Botocore has no asynchronous form, so each attempt runs in a thread, and the loop goes on meanwhile. Two things follow.
A cancelled call stops waiting at once, while an attempt that is under way ends in its thread, up to 40 seconds later,
and may have its effect: what must be known is asked for again, as after `NoReply`. And no more attempts run at the same
time than the loop's default executor has threads (`loop.set_default_executor`): by default processors + 4, at most 32.
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
    """One deployment, as callers with an event loop use it.

    It takes the same transports as `AskbackClient`. `sleep` takes seconds; `jitter` returns a number from 0 to 1;
    `clock` gives seconds that never go back.
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
