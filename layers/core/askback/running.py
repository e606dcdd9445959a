"""Runs a function's coroutines to their end without an event loop.

The domain's ports are coroutines, because not every deployment is on AWS; the AWS adapters answer before they return
(decision 002). So a function needs no event loop: its cold start does not load asyncio, and its requests make no loop.
"""

from collections.abc import Coroutine
from typing import Any, TypeVar

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
