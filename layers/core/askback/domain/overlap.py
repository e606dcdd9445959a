"""Doing two things at the same time: how is not the domain's business, that both are done before it goes on is."""

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
    """Let both wait in the loop that runs already."""
    import asyncio  # a process that has a loop has loaded it; one that has none does without

    one, other = await asyncio.gather(first, second)
    return one, other
