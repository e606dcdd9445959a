"""Times as they are written outside: RFC 3339, in UTC, to the second."""

from datetime import UTC, datetime
from typing import Any, overload


@overload
def rfc3339(epoch_seconds: int) -> str: ...
@overload
def rfc3339(epoch_seconds: None) -> None: ...
@overload
def rfc3339(epoch_seconds: int | None) -> str | None: ...
def rfc3339(epoch_seconds: int | None) -> str | None:
    """Return the time as `2026-01-02T03:04:05Z`; a time that there is not stays None."""
    if epoch_seconds is None:
        return None
    return datetime.fromtimestamp(epoch_seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def epoch_seconds(text: Any) -> int:
    """Return an RFC 3339 time in epoch seconds; raises TypeError or ValueError for anything else."""
    return int(datetime.fromisoformat(text).timestamp())
