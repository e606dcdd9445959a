"""A key leaves the ring on evidence that nothing needs it, and never while it signs."""

import json
from typing import Any

import pytest

from askback.domain.keys.ring import RING_CACHE_SECONDS, KeyRing
from askback.operate.retirement import SETTLING_SECONDS, RetirementRefused, require_unneeded, ring_without
from tests.support.memory_deployment import NOW

KEY, OTHER = "a key that only tests use, 32 bytes+", "another key that only tests use, 32+"
RING = KeyRing.parse(
    json.dumps({"current": "new", "key:new": KEY, "key:old": OTHER, "until:old": str(NOW), "legacy": OTHER})
)


def standings(*, outstanding: int = 0, unnamed: int = 0) -> dict[str, Any]:
    """Return what the deployment says of its keys."""
    others = {"key_id": "new", "outstanding": 9, "latest_expiry": "2026-01-02T00:00:00Z"}
    asked = {"key_id": "old", "outstanding": outstanding, "latest_expiry": "2026-01-01T00:00:00Z"}
    return {"keys": [others, asked], "unnamed": {"outstanding": unnamed, "latest_expiry": None}}


def test_the_ring_without_a_key_is_the_ring_otherwise() -> None:
    without = ring_without(RING, "old")
    assert json.loads(without.encode()) == {"current": "new", "key:new": KEY, "legacy": OTHER}
    assert KeyRing.parse(without.encode()) == without


@pytest.mark.parametrize(("key_id", "said"), [("new", "signs"), ("nobody", "no key"), ("legacy", "no key")])
def test_a_key_that_signs_or_is_not_there_is_not_taken_out(key_id: str, said: str) -> None:
    with pytest.raises(RetirementRefused, match=said) as refused:
        ring_without(RING, key_id)
    assert KEY not in str(refused.value)


def test_a_key_without_open_pauses_can_go_once_every_function_knows_the_ring() -> None:
    require_unneeded(standings(), "old", changed_at=NOW, at=NOW + SETTLING_SECONDS)
    require_unneeded({**standings(), "keys": []}, "old", changed_at=NOW, at=NOW + SETTLING_SECONDS)
    with pytest.raises(RetirementRefused, match="wait 1 s"):
        require_unneeded(standings(), "old", changed_at=NOW, at=NOW + SETTLING_SECONDS - 1)
    assert SETTLING_SECONDS > RING_CACHE_SECONDS


@pytest.mark.parametrize(
    ("over", "said"), [({"outstanding": 1}, "need the key old: 1; .* 2026-01-01"), ({"unnamed": 1}, "without a key id")]
)
def test_a_key_that_open_pauses_need_or_may_need_stays(over: dict[str, int], said: str) -> None:
    with pytest.raises(RetirementRefused, match=said):
        require_unneeded(standings(**over), "old", changed_at=NOW, at=NOW + SETTLING_SECONDS)
