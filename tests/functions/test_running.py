"""Coroutines that are run without an event loop, one after the other and at the same time."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from askback.domain.overlap import Overlap, in_the_event_loop
from askback.edge.no_event_loop import in_two_threads, run_straight_through


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
    with pytest.raises(RuntimeError, match="event loop"):
        run_straight_through(waits())


Run = Callable[[Coroutine[Any, Any, Any]], Any]
OVERLAPS: dict[str, tuple[Run, Overlap]] = {
    "loop": (asyncio.run, in_the_event_loop),
    "threads": (run_straight_through, in_two_threads),
}


@pytest.mark.parametrize(("run", "overlap"), OVERLAPS.values(), ids=OVERLAPS)
class TestOverlap:
    def test_both_results_come_in_their_order(self, run: Run, overlap: Overlap) -> None:
        assert run(overlap(asks(), answered())) == ("the answer, passed on", "the answer")

    def test_what_either_refuses_comes_through(self, run: Run, overlap: Overlap) -> None:
        for pair in ((refused(), answered()), (answered(), refused())):
            with pytest.raises(LookupError, match="no"):
                run(overlap(*pair))


def test_in_two_threads_one_does_not_wait_for_the_other_to_end() -> None:
    met = threading.Barrier(2, timeout=30)

    async def meets() -> bool:
        met.wait()
        return True

    assert run_straight_through(in_two_threads(meets(), meets())) == (True, True)


def test_in_two_threads_the_second_has_ended_when_the_first_one_s_failure_is_told() -> None:
    first_failed, done = threading.Event(), threading.Event()

    async def fails() -> None:
        first_failed.set()
        raise LookupError("no")

    async def goes_on() -> None:
        first_failed.wait(30)
        done.set()

    with pytest.raises(LookupError):
        run_straight_through(in_two_threads(fails(), goes_on()))
    assert done.is_set()
