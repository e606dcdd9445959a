"""A clock that a person moves by hand, and its route: `POST /local/clock` with `{"advance_seconds": 3600}`.

A move is followed by one run of every scheduled function, so what has become due happens before the reply. `GET` shows
the time. Only the handlers read this clock: the emulated services keep the real time.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any, Final

from askback.domain.errors import InvalidRequest
from askback.domain.json_text import read_json
from askback.domain.timestamps import rfc3339
from askback.edge.problems import internal_problem, problem
from askback.wiring.sources import now
from local.emulated.http_events import Request, Response

PATH: Final = "/local/clock"
FIELD: Final = "advance_seconds"
AHEAD_MAX_SECONDS: Final = 10 * 365 * 24 * 3600
"""How far the clock can be ahead of the real time. No pause lives so long, and every time stays a valid date."""


class MovedClock:
    """The real time plus what it was moved by. It never goes back: no token may become valid again."""

    def __init__(self, real: Callable[[], int] = now) -> None:
        self._real = real
        self._moving = threading.Lock()
        self.ahead_seconds = 0

    def __call__(self) -> int:
        """Return the time in epoch seconds."""
        return self._real() + self.ahead_seconds

    def advance(self, seconds: object) -> None:
        """Move the clock; raises InvalidRequest for anything but a whole number within the limits."""
        if isinstance(seconds, bool) or not isinstance(seconds, int) or seconds < 0:
            raise InvalidRequest.of_field(FIELD, "must be a whole number of seconds from 0; time goes forward only")
        with self._moving:
            left = AHEAD_MAX_SECONDS - self.ahead_seconds
            if seconds > left:
                limit = f"the clock can be at most {AHEAD_MAX_SECONDS} seconds (ten years) ahead of the real time"
                raise InvalidRequest.of_field(FIELD, f"must be at most {left}: {limit}")
            self.ahead_seconds += seconds


class ClockRoute:
    """Shows and moves a clock. `run_due` runs every scheduled function once, and returns their results by name."""

    def __init__(self, clock: MovedClock, run_due: Callable[[], dict[str, Any]]) -> None:
        self._clock = clock
        self._run_due = run_due

    def answer(self, request: Request) -> Response | None:
        """Answer a request to the clock; None for every other request."""
        if request.path != PATH or request.method not in ("GET", "POST"):
            return None
        if request.method == "GET":
            return _reply(200, self._time())
        try:
            self._clock.advance(_read(request.body))
        except InvalidRequest as refused:
            return _reply(refused.status, problem(refused), "application/problem+json")
        try:
            ran = self._run_due()
        except Exception as error:  # noqa: BLE001  every exception of a function is a 500, as at the gateway
            name = type(error).__name__
            detail = f"the clock has moved, but a scheduled function raised {name}; the log has the reason"
            return _reply(500, internal_problem() | {"detail": detail}, "application/problem+json")
        return _reply(200, self._time() | {"ran": ran})

    def _time(self) -> dict[str, Any]:
        at = self._clock()
        return {"time": rfc3339(at), "epoch_seconds": at, "ahead_seconds": self._clock.ahead_seconds}


def _read(body: bytes) -> object:
    try:
        document = read_json(body)
    except ValueError as error:
        raise InvalidRequest.of_field("body", str(error)) from None
    if not isinstance(document, dict) or set(document) != {FIELD}:
        raise InvalidRequest.of_field("body", f"must be an object with {FIELD} and nothing else")
    return document[FIELD]


def _reply(status: int, document: dict[str, Any], kind: str = "application/json") -> Response:
    return Response(status=status, headers={"content-type": kind}, body=json.dumps(document).encode())
