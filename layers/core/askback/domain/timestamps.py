"""The external form of times: RFC 3339, in UTC, with whole seconds."""

from datetime import UTC, datetime
from typing import Any, overload


@overload
def rfc3339(epoch_seconds: int) -> str: ...
@overload
def rfc3339(epoch_seconds: None) -> None: ...
@overload
def rfc3339(epoch_seconds: int | None) -> str | None: ...
def rfc3339(epoch_seconds: int | None) -> str | None:
    """Return the time in the form `2026-01-02T03:04:05Z`; None stays None."""
    if epoch_seconds is None:
        return None
    return datetime.fromtimestamp(epoch_seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def stated_time(text: str) -> int | None:
    """Return a time that a caller states, in epoch seconds; None if it is none, or has no offset.

    Without an offset it would be a time of the zone of this machine.
    """
    try:
        time = datetime.fromisoformat(text)
        return None if time.tzinfo is None else int(time.timestamp())
    except (ValueError, OverflowError):
        return None


def epoch_seconds(text: Any) -> int:
    """Return an RFC 3339 time in epoch seconds; raises TypeError or ValueError for anything else."""
    return int(datetime.fromisoformat(text).timestamp())
