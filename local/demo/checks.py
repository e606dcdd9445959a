"""What the demo holds itself to: where something departs from the story, it says so and stops."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from local.demo.api_client import Answer

T = TypeVar("T")

_POLL_SECONDS = 0.02


class DemoError(Exception):
    """Something is not as it should be."""


def expect(answer: Answer, status: int, code: str = "") -> None:
    """Hold an answer to its status and, for a problem, its code."""
    if (answer.status, answer.code) != (status, code):
        wanted = f"{status} {code}".strip()
        raise DemoError(f"{wanted} was due, {answer.status} {answer.code} came: {answer.document}")


def check(holds: bool, complaint: str) -> None:
    """Complain unless it holds."""
    if not holds:
        raise DemoError(complaint)


def text(document: dict[str, Any], name: str) -> str:
    """Return a field that has to be there and to be text."""
    value = document.get(name)
    if not isinstance(value, str) or not value:
        raise DemoError(f"the answer has no {name}")
    return value


def until(look: Callable[[], T | None], what: str, *, seconds: float = 20) -> T:
    """Look until there is something to see, and return it; it never takes nearly as long as the limit."""
    end = time.monotonic() + seconds
    while (seen := look()) is None:
        if time.monotonic() > end:
            raise DemoError(f"after {seconds:.0f} s still not there: {what}")
        time.sleep(_POLL_SECONDS)
    return seen
