"""Decides whether a token of the legacy engine can still be outstanding, and so whether the ring needs its key."""

from dataclasses import dataclass
from enum import StrEnum

from askback.domain.limits import CLOCK_LEEWAY_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class CutoverRecord:
    """The times that the imports recorded, in epoch seconds.

    `latest_expiry` never gets earlier. `consumed_imported_at` and `requests_imported_at` are None until that import is
    complete.
    """

    latest_expiry: int
    consumed_imported_at: int | None = None
    requests_imported_at: int | None = None


class Verdict(StrEnum):
    """The state of the legacy key.

    ABSENT: the ring has no legacy key. UNKNOWN: there was no import, so the expiry of the engine's tokens is not known.
    NEEDED: a token can still be outstanding. DONE: no token can be outstanding; the key can be removed.
    """

    ABSENT = "absent"
    UNKNOWN = "unknown"
    NEEDED = "needed"
    DONE = "done"


def verdict(record: CutoverRecord | None, *, has_key: bool, at: int) -> Verdict:
    """Return the verdict at `at` (epoch seconds); the leeway allows for clocks that differ."""
    if not has_key:
        return Verdict.ABSENT
    if record is None:
        return Verdict.UNKNOWN
    return Verdict.NEEDED if at < record.latest_expiry + CLOCK_LEEWAY_SECONDS else Verdict.DONE
