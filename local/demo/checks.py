"""The checks of the demo: it stops with an error when a result is not the expected one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from local.demo.api_client import Answer

T = TypeVar("T")

_POLL_SECONDS = 0.02


class DemoError(Exception):
    """A check failed."""


def expect(answer: Answer, status: int, code: str = "") -> None:
    """Check the status of an answer and, for a problem, its code."""
    if (answer.status, answer.code) != (status, code):
        wanted = f"{status} {code}".strip()
        raise DemoError(f"expected {wanted}, got {answer.status} {answer.code}: {answer.document}")


def check(holds: bool, complaint: str) -> None:
    """Raise DemoError with the text `complaint` when `holds` is false."""
    if not holds:
        raise DemoError(complaint)


def text(document: dict[str, Any], name: str) -> str:
    """Return a field; raises DemoError when it is missing, empty or not a text."""
    value = document.get(name)
    if not isinstance(value, str) or not value:
        raise DemoError(f"the answer has no {name}")
    return value


def until(look: Callable[[], T | None], what: str, *, seconds: float = 20) -> T:
    """Call `look` until its result is not None, and return the result; raises DemoError after `seconds`."""
    end = time.monotonic() + seconds
    while (seen := look()) is None:
        if time.monotonic() > end:
            raise DemoError(f"not found after {seconds:.0f} s: {what}")
        time.sleep(_POLL_SECONDS)
    return seen
