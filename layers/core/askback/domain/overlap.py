"""Runs two coroutines at the same time; the caller chooses how, and the domain continues when both are done."""

from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

A = TypeVar("A")
B = TypeVar("B")


class Overlap(Protocol):
    """Runs two coroutines at the same time."""

    async def __call__(self, first: Coroutine[Any, Any, A], second: Coroutine[Any, Any, B]) -> tuple[A, B]:
        """Return both results; raises what either raised."""
        ...


async def in_the_event_loop(first: Coroutine[Any, Any, A], second: Coroutine[Any, Any, B]) -> tuple[A, B]:
    """Run both in the event loop that is already running."""
    import asyncio  # imported here: a process without an event loop never needs it

    one, other = await asyncio.gather(first, second)
    return one, other
