"""Runs a function's coroutines to their end, one or two at a time, without an event loop.

The domain's ports are coroutines, because not every deployment is on AWS; the AWS adapters answer before they return
(decision 002). So a function needs no event loop: its cold start does not load asyncio, and its requests make no loop.
"""

from collections.abc import Coroutine

# Not from `concurrent.futures`, which loads it when it is first used: the first mint would wait for that.
from concurrent.futures.thread import ThreadPoolExecutor
from typing import Any, TypeVar

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")


def run_straight_through(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the coroutine's result; raises RuntimeError when it waits for anything, since nothing would wake it."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    coroutine.close()
    raise RuntimeError("something waited for an event loop; the AWS adapters have none")


async def in_two_threads(first: Coroutine[Any, Any, A], second: Coroutine[Any, Any, B]) -> tuple[A, B]:
    """Run both straight through, the second in a thread of its own.

    Neither is left running: when the first fails, that is told once the second has come to its end.
    """
    with ThreadPoolExecutor(max_workers=1) as other:
        later = other.submit(run_straight_through, second)
        return run_straight_through(first), later.result()
