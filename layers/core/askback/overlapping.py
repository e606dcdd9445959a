"""Doing two things at the same time without an event loop."""

from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from askback.running import run_straight_through

A = TypeVar("A")
B = TypeVar("B")


async def in_two_threads(first: Coroutine[Any, Any, A], second: Coroutine[Any, Any, B]) -> tuple[A, B]:
    """Run both straight through, the second in a thread of its own.

    Neither is left running: when the first fails, that is told once the second has come to its end.
    """
    with ThreadPoolExecutor(max_workers=1) as other:
        later = other.submit(run_straight_through, second)
        return run_straight_through(first), later.result()
