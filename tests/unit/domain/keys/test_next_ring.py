"""The ring that follows another, and what may take another's place."""

from dataclasses import replace
from typing import Any

import pytest

from askback.domain.keys.next_ring import (
    NEEDED_SECONDS,
    ROTATION_MAX_SECONDS,
    UnfitRing,
    key_id_of,
    next_ring,
    require_kept,
    require_next,
)
from askback.domain.keys.ring import RING_CACHE_SECONDS, KeyRing
from askback.domain.limits import CLOCK_LEEWAY_SECONDS, TTL_MAX_SECONDS
from tests.support.memory_deployment import NOW

OLD, MIDDLE, NEW, OTHER, LEGACY = (bytes([letter]) * 32 for letter in b"omnxl")
RING = KeyRing(current="k1", keys={"k1": OLD}, legacy=LEGACY)
UNTIL = NOW + ROTATION_MAX_SECONDS + NEEDED_SECONDS


def following(ring: KeyRing = RING, key_id: str = "k2", key: bytes = NEW, at: int = NOW) -> KeyRing:
    return next_ring(ring, key_id=key_id, key=key, at=at)


def test_the_new_key_signs_and_the_one_before_stays_until_its_last_token_has_expired() -> None:
    assert following() == KeyRing(current="k2", keys={"k1": OLD, "k2": NEW}, legacy=LEGACY, until={"k1": UNTIL})


def test_a_key_is_needed_as_long_as_a_cached_ring_the_longest_ttl_and_a_clock_may_take() -> None:
    assert NEEDED_SECONDS == RING_CACHE_SECONDS + TTL_MAX_SECONDS + CLOCK_LEEWAY_SECONDS


def test_a_key_that_has_a_time_keeps_it_and_one_put_in_by_hand_gets_one() -> None:
    ring = replace(RING, keys={**RING.keys, "k0": MIDDLE, "by-hand": OTHER}, until={"k0": NOW + 1})
    assert following(ring).until == {"k0": NOW + 1, "by-hand": UNTIL, "k1": UNTIL}


@pytest.mark.parametrize(("until", "stays"), [(NOW - 1, False), (NOW, False), (NOW + 1, True)])
def test_a_key_goes_when_its_time_has_come(until: int, stays: bool) -> None:
    ring = replace(RING, keys={**RING.keys, "k0": MIDDLE}, until={"k0": until})
    assert ("k0" in following(ring).keys, "k0" in following(ring).until) == (stays, stays)


def test_what_follows_is_a_ring_that_can_be_read() -> None:
    ring = following(following(), "k3", MIDDLE)
    assert KeyRing.parse(ring.encode()) == ring


def test_a_version_that_brought_its_key_already_brings_no_other() -> None:
    with pytest.raises(UnfitRing):
        following(following())


def test_a_keys_id_is_short_follows_from_its_version_and_is_another_for_another() -> None:
    assert key_id_of("d565feff-8f3d-4c57-9c0b-6b0a4a1f7e52") == "5eab8ce07826"
    assert len({key_id_of(str(number)) for number in range(1000)}) == 1000


@pytest.mark.parametrize("at", [NOW, NOW + ROTATION_MAX_SECONDS])
def test_what_follows_a_ring_may_take_its_place_for_a_day(at: int) -> None:
    require_next(following(), now=RING, key_id="k2", at=at)
    with pytest.raises(UnfitRing, match="too long ago"):
        require_next(following(), now=RING, key_id="k2", at=NOW + ROTATION_MAX_SECONDS + 1)


def test_a_key_whose_time_comes_while_the_rotation_goes_on_may_be_in_it_or_not() -> None:
    ring = replace(RING, keys={**RING.keys, "k0": MIDDLE}, until={"k0": NOW + 10})
    for derived_at in (NOW, NOW + 10):
        require_next(following(ring, at=derived_at), now=ring, key_id="k2", at=NOW + 10)


WITH_OLD = replace(RING, keys={**RING.keys, "k0": MIDDLE}, until={"k0": NOW + 100})
CHANGES: dict[str, dict[str, Any]] = {
    "a needed key is missing": {"keys": {"k1": OLD, "k2": NEW}, "until": {"k1": UNTIL}},
    "the signing key is missing": {"keys": {"k0": MIDDLE, "k2": NEW}, "until": {"k0": NOW + 100}},
    "a key is another": {"keys": {"k0": OTHER, "k1": OLD, "k2": NEW}},
    "the legacy key is missing": {"legacy": None},
    "the legacy key is another": {"legacy": OTHER},
}
STRICT: dict[str, dict[str, Any]] = {
    "another key signs": {"current": "k1"},
    "a key too many": {"keys": {"k0": MIDDLE, "k1": OLD, "k2": NEW, "x": OTHER}},
    "a key's time is shorter": {"until": {"k0": NOW + 99, "k1": UNTIL}},
    "a key's time is longer": {"until": {"k0": NOW + 101, "k1": UNTIL}},
    "a key's time is forgotten": {"until": {"k1": UNTIL}},
    "the old key's time is forgotten": {"until": {"k0": NOW + 100}},
    "the old key's time is short": {"until": {"k0": NOW + 100, "k1": NOW + NEEDED_SECONDS - 1}},
}


@pytest.mark.parametrize("over", [*CHANGES.values(), *STRICT.values()], ids=[*CHANGES, *STRICT])
def test_anything_else_may_not_take_its_place_and_no_key_is_told(over: dict[str, Any]) -> None:
    good = following(WITH_OLD)
    require_next(good, now=WITH_OLD, key_id="k2", at=NOW)
    with pytest.raises(UnfitRing) as refused:
        require_next(replace(good, **over), now=WITH_OLD, key_id="k2", at=NOW)
    assert not any(key.decode()[:8] in str(refused.value) for key in (OLD, MIDDLE, NEW, OTHER, LEGACY))


@pytest.mark.parametrize("over", CHANGES.values(), ids=CHANGES)
def test_a_ring_that_loses_tokens_in_flight_is_told_from_one_that_does_not(over: dict[str, Any]) -> None:
    require_kept(WITH_OLD, now=WITH_OLD, at=NOW)
    require_kept(following(WITH_OLD), now=WITH_OLD, at=NOW)
    with pytest.raises(UnfitRing):
        require_kept(replace(following(WITH_OLD), **over), now=WITH_OLD, at=NOW)


def test_a_key_past_its_time_may_be_missing() -> None:
    require_kept(following(WITH_OLD, at=NOW + 100), now=WITH_OLD, at=NOW + 100)
    with pytest.raises(UnfitRing):
        require_kept(following(WITH_OLD, at=NOW + 100), now=WITH_OLD, at=NOW + 99)


def test_a_ring_that_brings_back_a_key_is_refused() -> None:
    """An operator took it out while the rotation went on."""
    with pytest.raises(UnfitRing, match="was removed"):
        require_next(following(WITH_OLD), now=RING, key_id="k2", at=NOW)
