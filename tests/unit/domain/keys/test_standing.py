"""How the keys stand: the ring's own keys, those that are lost, and pauses that name none."""

import json

from askback.domain.keys.facts import RingFacts
from askback.domain.keys.ring import KeyRing
from askback.domain.keys.standing import KeyStanding, KeyStandings, key_standings
from askback.domain.ports import KeyUse
from tests.support.memory_deployment import NOW

KEY = "a key that only tests use, 32 bytes+"


def a_ring(**fields: str) -> RingFacts:
    ring = KeyRing.parse(json.dumps({"current": "new", "key:new": KEY, **fields}))
    return RingFacts.of_ring(ring, version_id="v1")


def used(key_id: str, outstanding: int) -> dict[str, KeyUse]:
    return {key_id: KeyUse(key_id=key_id, outstanding=outstanding, latest_expiry=NOW + outstanding)}


def a_standing(key_id: str, **over: object) -> KeyStanding:
    facts = {"in_ring": True, "signs": False, "until": None, "outstanding": 0, "latest_expiry": None, **over}
    return KeyStanding(key_id=key_id, **facts)  # type: ignore[arg-type]


def test_a_ring_that_nothing_was_signed_with_has_its_key_and_nothing_open() -> None:
    assert key_standings(a_ring(), {}) == KeyStandings(
        keys=(a_standing("new", signs=True),),
        unnamed=KeyUse(key_id="", outstanding=0, latest_expiry=None),
        has_legacy=False,
    )


def test_the_key_that_signs_comes_first_then_the_others_and_last_those_that_are_lost() -> None:
    ring = a_ring(**{"key:old": KEY, "until:old": str(NOW + 9), "key:by-hand": KEY, "legacy": KEY})
    uses = used("old", 3) | used("lost", 2) | used("also-lost", 1) | used("new", 4)
    standings = key_standings(ring, uses)
    assert standings.keys == (
        a_standing("new", signs=True, outstanding=4, latest_expiry=NOW + 4),
        a_standing("by-hand"),
        a_standing("old", until=NOW + 9, outstanding=3, latest_expiry=NOW + 3),
        a_standing("also-lost", in_ring=False, outstanding=1, latest_expiry=NOW + 1),
        a_standing("lost", in_ring=False, outstanding=2, latest_expiry=NOW + 2),
    )
    assert standings.has_legacy


def test_pauses_that_name_no_key_stand_apart_since_any_key_may_be_theirs() -> None:
    standings = key_standings(a_ring(), used("", 5))
    assert standings.unnamed == KeyUse(key_id="", outstanding=5, latest_expiry=NOW + 5)
    assert [key.key_id for key in standings.keys] == ["new"]


def test_no_key_shows_in_how_the_keys_stand() -> None:
    assert KEY not in repr(key_standings(a_ring(legacy=KEY), used("new", 1)))


def test_when_the_ring_is_not_known_the_keys_of_open_pauses_are_counted_and_nothing_is_said_of_them() -> None:
    """A stack of before, whose ring no rotation has described yet. A count is what a retirement needs."""
    standings = key_standings(None, used("old", 3) | used("new", 4) | used("", 5))
    assert standings.keys == (
        a_standing("new", in_ring=None, signs=None, outstanding=4, latest_expiry=NOW + 4),
        a_standing("old", in_ring=None, signs=None, outstanding=3, latest_expiry=NOW + 3),
    )
    assert standings.unnamed.outstanding == 5
    assert standings.has_legacy is None
