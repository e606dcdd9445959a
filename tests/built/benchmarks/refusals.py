"""The dearest refusal of each route, with and without a token: processor time, bytes out and peak memory.

The functions run in this process over the emulated AWS, so the time has the emulator's share, which is the same for an
accepted mint; that mint is the unit. Each body is sent to each route, and the worst of each measure is the row. A body
is at most 1 MB, which is what HTTP routes take; no route takes a compressed body.
"""

import gc
import json
import time
import tracemalloc
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from tests.built.benchmarks import budgets
from tests.built.benchmarks.report import Row
from tests.support.function_deployment import Deployment, Handlers
from tests.support.request_bodies import a_mint

GROUP = "dearest refusal, against an accepted mint"
_REPEATS = 3
_WRONG = 10**4250
"""An integer of more bits than any field takes; it stands last, so the whole value is looked at before it."""


def _deep(levels: int, numbers: int) -> Any:
    value: Any = [*range(numbers), _WRONG]
    for level in range(levels):
        value = {f"{level}{'n' * 20_000}": value}
    return value


DEAREST: Mapping[str, Any] = {
    "20 names of 24,500 characters": {f"{number}{'n' * 24_500}": 1 for number in range(20)},
    "50,000 unknown fields": {f"{number:x}": 1 for number in range(50_000)},
    "20 levels of 20,000 characters over 60,000 numbers": _deep(20, 60_000),
}
_WITH_ANSWER = ("/resume", "/answers", "/user/resume", "/user/answers")


def bodies(handlers: Handlers) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield a route with what is in its token's place, and a body that it refuses."""
    pause = handlers.pause()
    asked = {"scope": pause.request["scope"]}
    tokens = {
        "/resume": pause.resume(),
        "/answers": pause.answer(),
        "/user/resume": {"pause_token": pause.minted["pause_token"]},
        "/user/answers": pause.answer(),
        "/questions": {"answer_token": pause.minted["answer_token"]},
        "/outcomes": {"pause_token": pause.minted["pause_token"], **asked},
    }
    for dear in DEAREST.values():
        yield "/pauses", dear
        yield "/pauses, other fields right", a_mint(payload=dear)
        yield "/pauses, other fields right", a_mint(messages=[dear, {"last": _WRONG}])
        for path, whole in tokens.items():
            yield f"{path}, no token", dear
            yield f"{path}, with a token", {**whole, **({"response": dear} if path in _WITH_ANSWER else dear)}


def measure() -> list[Row]:
    """Send every body, and return the table's rows."""
    worst: dict[str, list[float]] = {}
    with Deployment() as deployment:
        handlers = deployment.handlers
        unit = min(_cpu(handlers, "/pauses", a_mint())[0] for _ in range(9))
        for route, body in bodies(handlers):
            path = route.partition(",")[0]
            cpu, out = min(_cpu(handlers, path, body) for _ in range(_REPEATS))
            found = [cpu, out, _peak(handlers, path, body)]
            worst[route] = [max(pair) for pair in zip(worst.get(route, found), found, strict=True)]
    return [row for route, found in worst.items() for row in _rows(route, unit, *found)]


def _rows(route: str, unit: float, cpu: float, out: float, peak: float) -> Iterator[Row]:
    yield Row(group=GROUP, what=f"{route}: time", value=cpu * 1000, unit="ms", against=unit * 1000)
    yield Row(group=GROUP, what=f"{route}: out", value=out, unit="B", budget=budgets.REFUSAL_BYTES)
    yield Row(group=GROUP, what=f"{route}: memory", value=peak / 1e6, unit="MB")


def _cpu(handlers: Handlers, path: str, body: Mapping[str, Any]) -> tuple[float, int]:
    """Return the processor seconds of one request, and the bytes of the reply as Lambda sends it."""
    event = handlers.event(path, body)
    begun = time.process_time()
    with redirect_stdout(StringIO()):
        reply = handlers.gateway("mint" if path == "/pauses" else "resume", event)
    took = time.process_time() - begun
    return took, len(json.dumps(reply))


def _peak(handlers: Handlers, path: str, body: Mapping[str, Any]) -> int:
    """Return the bytes that one request allocates at most over its event."""
    event = handlers.event(path, body)
    gc.collect()
    tracemalloc.start()
    try:
        reply = handlers.gateway("mint" if path == "/pauses" else "resume", event)
        if reply["statusCode"] < 400:
            raise RuntimeError(f"{path} accepted what it must refuse")
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    from tests.built.benchmarks.report import render

    print(render(measure()))
