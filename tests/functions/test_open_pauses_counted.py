"""Every fifth minute the sweep counts the open pauses and measures the oldest, and it does its own work first."""

import json
from typing import Any

import pytest

from askback.adapters.dynamodb import open_census
from askback.domain.delivery.sweep import Sweep, SweepReport
from tests.support.aws_probe import aws_error
from tests.support.waiting_world import World

FIFTH, ANOTHER = {"time": "2026-01-01T00:05:00Z"}, {"time": "2026-01-01T00:06:00Z"}
METRICS = ("OpenPauses", "OldestOpenSeconds")


class Counting:
    """The sweep of a function of its own, and what it wrote."""

    def __init__(self, world: World) -> None:
        world.settle()
        self.world = world
        self.handlers = world.load()
        self.others = 0.0
        # Other tests of the deployment leave open pauses. All are younger, because their clock is the real one.
        self.others = self.run()[0]

    def run(self, event: Any = FIFTH) -> list[float]:
        """Let the sweep run and return the two metrics, as far as they were written."""
        start = len(self.world.deployment.output.getvalue())
        self.handlers.invoke("sweep", event)
        self.lines = [
            json.loads(line)
            for line in self.world.deployment.output.getvalue()[start:].splitlines()
            if line.startswith("{")
        ]
        found = [line[name][0] for line in self.lines for name in METRICS if name in line]
        return [found[0] - self.others, *found[1:]] if found else []


@pytest.fixture
def counting(world: World) -> Counting:
    return Counting(world)


def test_the_count_and_the_age_of_the_oldest_are_those_of_the_open_pauses(counting: Counting) -> None:
    world = counting.world
    assert counting.run() == [0, 0]
    first = world.handlers.pause()
    world.now += 600
    second = world.handlers.pause()
    assert counting.run() == [2, 600]
    assert world.handlers.redeems(first)
    assert counting.run() == [1, 0]
    world.handlers.revoke(second.minted["jti"])
    assert counting.run() == [0, 0]


@pytest.mark.parametrize("event", [ANOTHER, {}, {"time": "soon"}, {"time": 5}, {"time": None}, [], None, "x"])
def test_a_run_of_another_minute_or_without_a_time_counts_nothing(counting: Counting, event: Any) -> None:
    counting.world.handlers.pause()
    assert counting.run(event) == []


def test_a_pause_whose_time_is_over_is_not_open_and_is_expired_first(counting: Counting) -> None:
    counting.world.handlers.pause(ttl_seconds=60)
    counting.world.now += 61
    assert counting.run() == [0, 0]
    assert [line["message"] for line in counting.lines if "message" in line] == ["Expired", "swept"]


def test_a_row_is_read_once_in_the_life_of_a_process(counting: Counting) -> None:
    counting.world.handlers.pause()
    counts = []
    for _ in range(2):
        with counting.world.deployment.probe.counting() as calls:
            counting.run()
        counts.append(calls.count("BatchGetItem"))
    assert counts == [1, 0]


def test_more_rows_than_one_census_may_read_are_read_by_the_next_ones(
    counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        counting.world.handlers.pause()
        counting.world.now += 60
    monkeypatch.setattr(open_census, "ROWS_MAX", 1)
    ages = []
    for _ in range(4):
        count, age = counting.run()
        ages.append(age)
        assert count == 3
    assert (ages[2], ages[3]) == (180, 180)
    assert ages == sorted(ages)
    assert not [line for line in counting.lines if "there may be more" in line.get("message", "")]


def test_a_damaged_row_counts_as_open_and_has_no_age(counting: Counting) -> None:
    pause = counting.world.handlers.pause()
    deployment = counting.world.deployment
    row = deployment.item(deployment.row_key(pause))
    del row["issued_at"]
    deployment.put(row)
    assert counting.run() == [1, 0]
    counting.world.handlers.revoke(pause.minted["jti"])


@pytest.mark.parametrize("operation", ["Query", "BatchGetItem"])
def test_a_store_that_does_not_answer_fails_no_run_that_has_done_its_work(
    counting: Counting, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    counting.world.handlers.pause()

    async def run(*_: object, **__: object) -> SweepReport:
        return SweepReport()

    monkeypatch.setattr(Sweep, "run", run)
    with counting.world.deployment.probe.failing(**{operation: aws_error("ThrottlingException")}):
        assert counting.run() == []
    (line,) = [line for line in counting.lines if line.get("level") == "WARNING"]
    assert (line["message"], line["code"]) == ("the open pauses could not be counted", "store-unavailable")
