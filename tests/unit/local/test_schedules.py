"""The template's schedules on one machine: which there are, and the runs."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from local.emulated.schedules import Schedule, Schedules, read_schedules
from local.emulated.template import Resolver, TemplateError, load_template
from tests.support.template import ROOT

_SWEEP = Schedule(name="sweep", function="askback-local-sweepfunction", every_seconds=60)


class ThreeTurns(threading.Event):
    """An event whose waits end at once: three without a stop, then one with it. Nothing sleeps."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout)
        return len(self.waits) > 3


def run(function: Any) -> ThreeTurns:
    turns = ThreeTurns()
    with Schedules([_SWEEP], {_SWEEP.function: function}, stop=turns):
        pass
    return turns


def test_the_template_has_the_sweep_every_minute() -> None:
    template = load_template(ROOT / "template.yaml")
    assert read_schedules(Resolver(template, {"EndpointUrl": "http://127.0.0.1"})) == (_SWEEP,)


@pytest.mark.parametrize(
    ("kind", "name", "expression", "seconds"),
    [("ScheduleV2", "ScheduleExpression", "rate(1 hour)", 3600), ("Schedule", "Schedule", "rate(2 days)", 172_800)],
)
def test_a_rate_is_read_in_both_forms(kind: str, name: str, expression: str, seconds: int) -> None:
    assert [each.every_seconds for each in read_schedules(a_template(kind, {name: expression}))] == [seconds]


def test_a_schedule_that_is_no_rate_is_refused() -> None:
    with pytest.raises(TemplateError, match=r"cron\(0 8 \* \* \? \*\) of F"):
        read_schedules(a_template("ScheduleV2", {"ScheduleExpression": "cron(0 8 * * ? *)"}))


def a_template(kind: str, properties: dict[str, str]) -> Resolver:
    function = {"CodeUri": "functions/f/", "Events": {"Api": {"Type": "HttpApi"}, "E": {"Type": kind}}}
    function["Events"]["E"]["Properties"] = properties  # type: ignore[index]
    return Resolver({"Resources": {"F": {"Type": "AWS::Serverless::Function", "Properties": function}}})


def test_d_43_the_function_runs_once_for_each_interval_until_the_end() -> None:
    events: list[Any] = []
    turns = run(events.append)
    assert events == [{}, {}, {}]
    assert turns.waits == [60, 60, 60, 60]


def test_a_run_that_fails_is_printed_without_its_text_and_ends_no_schedule(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(_event: Any) -> None:
        raise LookupError("a token that must not be shown")

    assert len(run(fails).waits) == 4
    assert capsys.readouterr().err == "schedule of sweep: the run raised LookupError\n" * 3


def test_the_end_stops_the_threads() -> None:
    with Schedules([_SWEEP], {_SWEEP.function: lambda _event: None}):
        assert any(thread.name.endswith("(_repeat)") for thread in threading.enumerate())
    assert not any(thread.name.endswith("(_repeat)") for thread in threading.enumerate())
