"""The clock that a person moves by hand, and its route."""

from __future__ import annotations

import json
from typing import Any

import pytest

from local.emulated.clock import AHEAD_MAX_SECONDS, ClockRoute, MovedClock
from local.emulated.http_events import Request, Response

_START = 1_800_000_000


def a_request(body: Any = None, *, method: str = "POST", target: str = "/local/clock") -> Request:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Request(method=method, target=target, headers=(), body=content)


class Run:
    """The scheduled functions; notes the time of each run."""

    def __init__(self) -> None:
        self.clock = MovedClock(lambda: _START)
        self.times: list[int] = []
        self.error: Exception | None = None
        self.route = ClockRoute(self.clock, self.due)

    def due(self) -> dict[str, Any]:
        self.times.append(self.clock())
        if self.error is not None:
            raise self.error
        return {"sweep": {"done": {"Expired": 1}}}

    def ask(self, request: Request) -> tuple[int, dict[str, Any]]:
        response = self.route.answer(request)
        assert isinstance(response, Response)
        return response.status, json.loads(response.body)


def test_a_move_changes_the_time_and_then_runs_what_is_due() -> None:
    run = Run()
    assert run.ask(a_request({"advance_seconds": 3600})) == (
        200,
        {
            "time": "2027-01-15T09:00:00Z",
            "epoch_seconds": _START + 3600,
            "ahead_seconds": 3600,
            "ran": {"sweep": {"done": {"Expired": 1}}},
        },
    )
    run.ask(a_request({"advance_seconds": 60}))
    assert run.times == [_START + 3600, _START + 3660]


def test_reading_the_time_runs_nothing() -> None:
    run = Run()
    status, shown = run.ask(a_request(method="GET"))
    assert (status, shown["epoch_seconds"], run.times) == (200, _START, [])


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        ({"advance_seconds": -1}, "advance_seconds", "forward only"),
        ({"advance_seconds": 1.5}, "advance_seconds", "whole number"),
        ({"advance_seconds": True}, "advance_seconds", "whole number"),
        ({"advance_seconds": "60"}, "advance_seconds", "whole number"),
        ({"advance_seconds": AHEAD_MAX_SECONDS + 1}, "advance_seconds", f"must be at most {AHEAD_MAX_SECONDS}"),
        ({"advance_seconds": 1, "to": 2}, "body", "nothing else"),
        ({}, "body", "an object with advance_seconds"),
        ([60], "body", "an object"),
        (b"", "body", "not JSON"),
        (b"\xff", "body", "not UTF-8"),
    ],
)
def test_a_bad_body_is_refused_and_moves_nothing(body: Any, field: str, message: str) -> None:
    run = Run()
    status, refused = run.ask(a_request(body))
    assert (status, refused["code"], refused["errors"][0]["field"]) == (400, "bad-request", field)
    assert message in refused["errors"][0]["message"]
    assert (run.clock(), run.times) == (_START, [])


def test_the_limit_is_over_all_moves() -> None:
    run = Run()
    run.clock.advance(AHEAD_MAX_SECONDS - 5)
    status, refused = run.ask(a_request({"advance_seconds": 6}))
    assert (status, run.clock.ahead_seconds) == (400, AHEAD_MAX_SECONDS - 5)
    assert refused["detail"].startswith("advance_seconds: must be at most 5: ")


def test_a_run_that_fails_is_a_problem_without_the_text_of_its_error() -> None:
    run = Run()
    run.error = LookupError("a token that must not be shown")
    status, problem = run.ask(a_request({"advance_seconds": 60}))
    assert (status, problem["code"], run.clock()) == (500, "internal", _START + 60)
    assert "LookupError" in problem["detail"]
    assert "token" not in json.dumps(problem)


def test_every_other_request_is_left_to_the_gateway() -> None:
    run = Run()
    assert run.route.answer(a_request(method="DELETE")) is None
    assert run.route.answer(a_request({"advance_seconds": 1}, target="/pauses")) is None
