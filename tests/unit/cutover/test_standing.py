"""When the legacy key can go is decided by the last possible expiry, on clocks that differ."""

import pytest

from askback.cutover.freeze import Freeze
from askback.cutover.standing import CutoverRecord, Verdict, verdict

FREEZE = Freeze(at=1_790_000_000, longest_ttl=600)
RECORD = CutoverRecord(latest_expiry=FREEZE.latest_expiry)


@pytest.mark.parametrize(
    ("record", "has_key", "after", "expected"),
    [
        (None, False, 0, Verdict.ABSENT),
        (RECORD, False, 0, Verdict.ABSENT),
        (None, True, 10**6, Verdict.UNKNOWN),
        (RECORD, True, 0, Verdict.NEEDED),
        (RECORD, True, 659, Verdict.NEEDED),
        (RECORD, True, 660, Verdict.DONE),
    ],
)
def test_the_verdict(record: CutoverRecord | None, *, has_key: bool, after: int, expected: Verdict) -> None:
    assert verdict(record, has_key=has_key, at=FREEZE.at + after) is expected
