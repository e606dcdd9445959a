"""Runs coroutines to their end, one or two at a time, without an event loop.

The domain's ports are coroutines, because other adapters may need an event loop. The AWS adapters never suspend
(decision 002). So a function needs no event loop: its cold start does not load asyncio, and its requests make no loop.
"""

from collections.abc import Coroutine

# Not imported from `concurrent.futures`, which loads this module on first use: the first mint would wait for it.
from concurrent.futures.thread import ThreadPoolExecutor
from typing import Any, TypeVar

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")


def run_straight_through(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the coroutine's result; raises RuntimeError if it suspends, because no event loop would resume it."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    coroutine.close()
    raise RuntimeError("a coroutine suspended, but functions have no event loop")


async def in_two_threads(first: Coroutine[Any, Any, A], second: Coroutine[Any, Any, B]) -> tuple[A, B]:
    """Run both to their end, the second in a separate thread.

    None is still running afterwards: an error of the first is raised only after the second has ended.
    """
    with ThreadPoolExecutor(max_workers=1) as other:
        later = other.submit(run_straight_through, second)
        return run_straight_through(first), later.result()
