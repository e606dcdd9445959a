"""The log of decisions as CloudWatch takes it: within its limits, in order, and no unwritten line counts as written."""

from typing import Any

import pytest

from askback.adapters.decision_log import (
    BATCH_MAX_BYTES,
    BATCH_MAX_EVENTS,
    EVENT_EXTRA_BYTES,
    CloudWatchDecisionLog,
    timestamp_of,
)
from askback.domain.errors import InteractionConfigurationError, StoreUnavailable
from askback.domain.pause.decisions import AuditLine
from askback.edge.no_event_loop import run_straight_through
from tests.support.aws_probe import aws_error

NOW = 1_796_000_000
DAY = 24 * 3600


def a_line(number: int = 0, *, at: int = NOW, written_at: int = NOW, text: str = "x") -> AuditLine:
    return AuditLine(id=f"e{number}", place=f"{number}", at=at, written_at=written_at, fields={"id": text})


class Logs:
    """CloudWatch, which checks what AWS checks; `errors` are raised by the calls in turn."""

    class Meta:
        endpoint_url = "https://logs"

    meta = Meta()

    def __init__(self, *errors: Exception | None, reply: dict[str, Any] | None = None) -> None:
        self.errors = list(errors)
        self.reply = reply or {}
        self.batches: list[list[dict[str, Any]]] = []
        self.calls: list[str] = []

    def put_log_events(self, *, logGroupName: str, logStreamName: str, logEvents: list[Any]) -> dict[str, Any]:  # noqa: N803
        self.calls.append(f"put {logGroupName} {logStreamName}")
        if self.errors and (error := self.errors.pop(0)) is not None:
            raise error
        times = [event["timestamp"] for event in logEvents]
        assert times == sorted(times)
        assert times[-1] - times[0] < DAY * 1000
        assert len(logEvents) <= BATCH_MAX_EVENTS
        assert sum(len(event["message"].encode()) + EVENT_EXTRA_BYTES for event in logEvents) <= BATCH_MAX_BYTES
        self.batches.append(logEvents)
        return self.reply

    def create_log_stream(self, *, logGroupName: str, logStreamName: str) -> None:  # noqa: N803
        self.calls.append(f"create {logGroupName} {logStreamName}")
        if self.errors and (error := self.errors.pop(0)) is not None:
            raise error


def append(logs: Logs, *lines: AuditLine) -> Any:
    log = CloudWatchDecisionLog(client=lambda: logs, log_group="g", clock=lambda: NOW)
    return run_straight_through(_append(log, lines))


async def _append(log: CloudWatchDecisionLog, lines: Any) -> Any:
    return await log.append(lines)


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        (NOW, NOW),
        (NOW - 12 * DAY, NOW - 12 * DAY),
        (NOW - 12 * DAY - 1, NOW),
        (0, NOW),
        (NOW + 3600, NOW + 3600),
        (NOW + 3601, NOW),
        (10**15, NOW),
    ],
)
def test_the_timestamp_is_the_time_of_the_decision_where_cloudwatch_takes_it(at: int, shown: int) -> None:
    assert timestamp_of(a_line(at=at)) == shown


def test_lines_are_sent_in_order_of_time_in_one_call() -> None:
    logs = Logs()
    assert append(logs, a_line(1, at=NOW), a_line(2, at=NOW - 60), a_line(3, at=NOW - 30)) == ([], None)
    assert [[event["timestamp"] // 1000 - NOW for event in batch] for batch in logs.batches] == [[-60, -30, 0]]
    assert logs.calls == ["put g 2026-11-30"]


def test_without_lines_nothing_is_called() -> None:
    logs = Logs()
    assert append(logs) == ([], None)
    assert logs.calls == []


@pytest.mark.parametrize(
    ("lines", "batches"),
    [
        ([a_line(at=NOW - DAY), a_line()], 2),
        ([a_line(at=NOW - DAY + 1), a_line()], 1),
        ([a_line(number) for number in range(BATCH_MAX_EVENTS + 1)], 2),
        ([a_line(text="y" * 1024) for _ in range(1200)], 2),
    ],
    ids=["a day", "less than a day", "many", "large"],
)
def test_what_one_call_does_not_take_is_sent_in_several(lines: list[AuditLine], batches: int) -> None:
    logs = Logs()
    assert append(logs, *lines) == ([], None)
    assert len(logs.batches) == batches
    assert sum(map(len, logs.batches)) == len(lines)


def test_after_a_failure_the_rest_counts_as_not_written() -> None:
    old, new = a_line(1, at=NOW - 2 * DAY), a_line(2)
    unwritten, error = append(Logs(None, aws_error("ThrottlingException")), new, old)
    assert (unwritten, type(error)) == ([new], StoreUnavailable)
    unwritten, error = append(Logs(aws_error("AccessDeniedException")), new, old)
    assert (unwritten, type(error)) == ([old, new], InteractionConfigurationError)


def test_events_that_cloudwatch_drops_count_as_not_written() -> None:
    """CloudWatch answers such a call with success."""
    unwritten, error = append(Logs(reply={"rejectedLogEventsInfo": {"tooOldLogEventEndIndex": 0}}), a_line())
    assert (len(unwritten), type(error)) == (1, StoreUnavailable)


MISSING = aws_error("ResourceNotFoundException")


def test_a_missing_log_stream_is_made_once_also_when_another_instance_made_it() -> None:
    for error in (None, aws_error("ResourceAlreadyExistsException")):
        logs = Logs(MISSING, error)
        assert append(logs, a_line()) == ([], None)
        assert [call.split()[0] for call in logs.calls] == ["put", "create", "put"]


def test_a_missing_log_group_is_the_operators_to_repair() -> None:
    unwritten, error = append(Logs(MISSING, MISSING), a_line())
    assert (len(unwritten), type(error)) == (1, InteractionConfigurationError)
