"""Whether a token of the legacy engine can still be outstanding, and what follows for its key in the ring."""

from dataclasses import dataclass
from enum import StrEnum

from askback.domain.limits import CLOCK_LEEWAY_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class CutoverRecord:
    """What the imports noted; times are epoch seconds.

    `latest_expiry` only ever grows. `consumed_imported_at` and `requests_imported_at` are None until the import was
    made to its end.
    """

    latest_expiry: int
    consumed_imported_at: int | None = None
    requests_imported_at: int | None = None


class Verdict(StrEnum):
    """What is to be done with the legacy key.

    ABSENT: the ring has none. UNKNOWN: nothing was imported, so nothing is known of the engine's tokens. NEEDED: one
    can still be outstanding. DONE: none can, and the key can go.
    """

    ABSENT = "absent"
    UNKNOWN = "unknown"
    NEEDED = "needed"
    DONE = "done"


def verdict(record: CutoverRecord | None, *, has_key: bool, at: int) -> Verdict:
    """Judge at `at` (epoch seconds); the leeway is for clocks that differ."""
    if not has_key:
        return Verdict.ABSENT
    if record is None:
        return Verdict.UNKNOWN
    return Verdict.NEEDED if at < record.latest_expiry + CLOCK_LEEWAY_SECONDS else Verdict.DONE
