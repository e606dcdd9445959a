"""The template's schedules: which function runs how often, and the threads that run them."""

from __future__ import annotations

import re
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

from local.emulated.functions import KIND, function_name
from local.emulated.template import Resolver, TemplateError

_EVENTS: Final = {"ScheduleV2": "ScheduleExpression", "Schedule": "Schedule"}
"""The kinds of a function's events that are schedules, and the property with the expression of each."""
_RATE: Final = re.compile(r"rate\((?P<count>\d+) (?P<unit>minute|hour|day)s?\)")
_UNIT_SECONDS: Final = {"minute": 60, "hour": 3600, "day": 86400}


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A function that runs again and again; `name` is the name of its folder, `function` its function name."""

    name: str
    function: str
    every_seconds: int


def read_schedules(resolver: Resolver) -> tuple[Schedule, ...]:
    """Return the schedules of all functions; raises TemplateError for an expression that is not a rate."""
    schedules = []
    for logical_id, own in resolver.resources(KIND).items():
        for event in own.get("Events", {}).values():
            if event["Type"] in _EVENTS:
                expression = resolver.resolve(event["Properties"][_EVENTS[event["Type"]]])
                rate = _RATE.fullmatch(expression)
                if rate is None:
                    raise TemplateError(f"a local run does not support the schedule {expression} of {logical_id}")
                schedules.append(
                    Schedule(
                        name=own["CodeUri"].rstrip("/").rpartition("/")[2],
                        function=function_name(resolver, logical_id, own),
                        every_seconds=int(rate["count"]) * _UNIT_SECONDS[rate["unit"]],
                    )
                )
    return tuple(schedules)


class Schedules:
    """Runs each schedule in a thread of its own while the context is open; the end waits for a run that has begun.

    `functions` maps function names to callables, as for the gateway. An exception of a run is printed and ends only
    that run. As on AWS, the first run comes after one interval. `stop` ends all threads when it is set.
    """

    def __init__(
        self,
        schedules: Sequence[Schedule],
        functions: Mapping[str, Callable[[Any], Any]],
        *,
        tracebacks: bool = False,
        stop: threading.Event | None = None,
    ) -> None:
        self._schedules = schedules
        self._functions = functions
        self._tracebacks = tracebacks
        self._stop = stop or threading.Event()
        self._threads = [threading.Thread(target=self._repeat, args=(each,), daemon=True) for each in schedules]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def run_all(self) -> dict[str, Any]:
        """Run every scheduled function once, and return the results by name; raises what a function raises."""
        return {each.name: self._run(each) for each in self._schedules}

    def _run(self, schedule: Schedule) -> Any:
        # No function here reads what a schedule sends.
        return self._functions[schedule.function]({})

    def _repeat(self, schedule: Schedule) -> None:
        while not self._stop.wait(schedule.every_seconds):
            try:
                self._run(schedule)
            except Exception as error:  # noqa: BLE001  as on AWS, a run that fails does not end the schedule
                if self._tracebacks:
                    traceback.print_exception(error, file=sys.stderr)
                else:
                    print(f"schedule of {schedule.name}: the run raised {type(error).__name__}", file=sys.stderr)
