"""Coroutines that are run without an event loop."""

import asyncio

import pytest

from askback.running import run_straight_through


async def answered() -> str:
    return "the answer"


async def asks() -> str:
    return await answered() + ", passed on"


async def refused() -> None:
    raise LookupError("no")


async def waits() -> None:
    await asyncio.sleep(0)


def test_what_ends_at_once_gives_its_result() -> None:
    assert run_straight_through(asks()) == "the answer, passed on"


def test_a_refusal_comes_through() -> None:
    with pytest.raises(LookupError, match="no"):
        run_straight_through(refused())


def test_what_waits_is_told_that_it_needs_a_loop() -> None:
    with pytest.raises(RuntimeError, match=r"asyncio\.run"):
        run_straight_through(waits())
