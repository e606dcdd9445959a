"""The public facts of a ring as tags of its secret: they come back as they were, fit, and never have a key."""

import json
import re

import pytest

from askback.domain.keys.facts import RingFacts
from askback.domain.keys.ring import KeyRing

KEY = "a key that only tests use, 32 bytes+"
VERSION = "d565feff-8f3d-4c57-9c0b-6b0a4a1f7e52"
A_TAG = re.compile(r"[A-Za-z0-9 +=._:/@-]{1,256}")
"""What AWS takes as the value of a tag."""


def a_ring(keys: int = 1, *, legacy: bool = False) -> KeyRing:
    """Return a ring of this many keys, of a deployment that rotates daily."""
    ids = [f"{number:012x}" for number in range(keys)]
    ring = {"current": ids[-1], **{f"key:{key_id}": KEY for key_id in ids}}
    ring |= {f"until:{key_id}": str(1_790_000_000 + number) for number, key_id in enumerate(ids[:-1])}
    return KeyRing.parse(json.dumps(ring | ({"legacy": KEY} if legacy else {})))


@pytest.mark.parametrize("legacy", [True, False])
@pytest.mark.parametrize("keys", [1, 2, 9, 10, 11, 32, 150])
def test_facts_come_back_from_their_tags(keys: int, legacy: bool) -> None:
    facts = RingFacts.of_ring(a_ring(keys, legacy=legacy), version_id=VERSION)
    tags = facts.to_tags()
    assert RingFacts.of_tags(tags) == facts
    assert len(facts.keys) == keys
    assert all(A_TAG.fullmatch(value) for value in tags.values())
    assert KEY not in str(tags)
    assert len(tags) <= 20


def test_a_key_that_an_operator_added_has_no_time() -> None:
    ring = KeyRing.parse(json.dumps({"current": "A.b_c-1", "key:A.b_c-1": KEY, "key:by-hand": KEY}))
    facts = RingFacts.of_ring(ring, version_id=VERSION)
    assert RingFacts.of_tags(facts.to_tags()) == facts
    assert [(key.key_id, key.until) for key in facts.keys] == [("A.b_c-1", None), ("by-hand", None)]


def test_tags_that_a_longer_text_has_left_behind_are_not_read() -> None:
    before = RingFacts.of_ring(a_ring(32), version_id="before").to_tags()
    facts = RingFacts.of_ring(a_ring(2), version_id=VERSION)
    assert len(before) > len(facts.to_tags())
    assert RingFacts.of_tags({**before, **facts.to_tags(), "cost-centre": "7"}) == facts


def test_a_ring_that_the_tags_have_no_room_for_is_not_described() -> None:
    assert RingFacts.of_ring(a_ring(300), version_id=VERSION).to_tags() == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/end",
        f"version={VERSION}/signs=k1",
        f"version={VERSION}/end",
        f"version={VERSION}/signs=k1/verifies=k2/end",
        f"version={VERSION}/signs=k1/verifies=k2:soon/end",
        f"version={VERSION}/signs=k1/unknown/end",
    ],
)
def test_tags_that_are_damaged_or_not_ours_are_no_facts(text: str) -> None:
    assert RingFacts.of_tags({"askback:ring-1": text}) is None
    assert RingFacts.of_tags({}) is None
