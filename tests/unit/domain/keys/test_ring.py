"""The key ring: no default, no weak key, and no key in a reason."""

import asyncio
import json

import pytest

from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.secrets.key_ring import FixedKeyRing
from askback.domain.errors import InteractionConfigurationError, TokenRejected
from askback.domain.keys.ring import KeyRing, KeyState
from tests.support.domain_values import some_claims
from tests.support.memory_deployment import InMemoryDeployment, signed

GOOD = "k" * 31 + "1"
OTHER = "o" * 32
CLAIMS = some_claims().to_mapping()


def ring(**fields: object) -> str:
    return json.dumps({"current": "k1", "key:k1": GOOD, **fields})


UNUSABLE = {
    "empty": "",
    "not JSON": "secret-" + GOOD,
    "a bare key": json.dumps(GOOD),
    "a list": json.dumps([GOOD]),
    "the same key twice": ring()[:-1] + f',"key:k1":"{OTHER}"}}',
    "no key at all": "{}",
    "current missing": json.dumps({"key:k1": GOOD}),
    "current not in it": ring(current="k2"),
    "current null": ring(current=None),
    "empty key": ring(**{"key:k1": ""}),
    "short key": ring(**{"key:k1": "secret"}),
    "31 bytes": ring(**{"key:k1": "k" * 31}),
    "31 bytes in 16 letters": ring(**{"key:k1": "é" * 15 + "k"}),
    "another key short": ring(**{"key:k2": "k" * 31}),
    "legacy short": ring(legacy="k" * 31),
    "legacy empty": ring(legacy=""),
    "a published default": ring(**{"key:k1": "framework-default-secret-change-me"}),
    "a published default as legacy": ring(legacy="framework-default-secret-change-me"),
    "a published default and a line end": ring(**{"key:k1": "framework-default-secret-change-me\n"}),
    "unknown field": ring(previous=GOOD),
    "a number as key": ring(**{"key:k1": 12345678901234567890123456789012}),
    "nested": ring(**{"key:k1": {"value": GOOD}}),
    "an empty key id": ring(**{"key:": OTHER}),
    "a long key id": ring(**{"key:" + "k" * 65: OTHER}),
    "a key id with a blank": ring(**{"key:k 2": OTHER}),
    "until of an unknown key": ring(**{"until:k2": "1790000000"}),
    "until of the current key": ring(**{"until:k1": "1790000000"}),
    "until of the legacy key": ring(legacy=OTHER, **{"until:legacy": "1790000000"}),
    "until of nobody": ring(**{"key:k2": OTHER, "until:": "1790000000"}),
    "until empty": ring(**{"key:k2": OTHER, "until:k2": ""}),
    "until in words": ring(**{"key:k2": OTHER, "until:k2": "tomorrow"}),
    "until a fraction": ring(**{"key:k2": OTHER, "until:k2": "1790000000.5"}),
    "until negative": ring(**{"key:k2": OTHER, "until:k2": "-1"}),
    "until in other digits": ring(**{"key:k2": OTHER, "until:k2": "\u0661\u0662"}),
    "until a number": ring(**{"key:k2": OTHER, "until:k2": 1790000000}),
}


@pytest.mark.parametrize("text", UNUSABLE.values(), ids=UNUSABLE)
def test_an_unusable_ring_is_refused_and_no_key_is_ever_named(text: str) -> None:
    """A-18: the reason is for the log, and a key is for nobody."""
    with pytest.raises(InteractionConfigurationError) as refused:
        KeyRing.parse(text)
    told = f"{refused.value} {refused.value.reason} {refused.value.detail} {refused.value.args}"
    for key in (GOOD, OTHER, "k" * 31, "é" * 15, "framework-default", "12345678901234567890"):
        assert key not in told
    assert refused.value.reason


@pytest.mark.parametrize("text", UNUSABLE.values(), ids=UNUSABLE)
def test_without_a_usable_ring_nothing_is_minted_recorded_or_redeemed(text: str) -> None:
    """A-18: mint leaves nothing behind that could never be answered."""
    deployment = InMemoryDeployment(key_ring=text)
    with pytest.raises(InteractionConfigurationError):
        deployment.mint()
    assert not deployment.ledger.rows
    assert not deployment.checkpoints.texts

    minted = InMemoryDeployment().mint()
    with pytest.raises(InteractionConfigurationError):
        deployment.resume(minted)


@pytest.mark.parametrize("key", ["k" * 32, "é" * 16, "k" * 39 + "\n", " " * 32], ids=["32", "é", "line end", "spaces"])
def test_32_bytes_are_enough_and_are_used_as_they_stand(key: str) -> None:
    """A-18: a trailing line end is part of the key, for mint and for resume alike."""
    parsed = KeyRing.parse(ring(**{"key:k1": key}))
    assert parsed.keys == {"k1": key.encode()}
    deployment = InMemoryDeployment(key_ring=ring(**{"key:k1": key}))
    assert deployment.resume(deployment.mint()).answered_by == "ada"


def test_a_key_with_a_line_end_is_another_key_than_the_one_without() -> None:
    with_it, without = (JwtTokenCodec(FixedKeyRing(ring(**{"key:k1": key}))) for key in ("k" * 40 + "\n", "k" * 40))
    envelope = signed(with_it, CLAIMS)
    with pytest.raises(TokenRejected):
        asyncio.run(without.verify(envelope))


def test_a_ring_shows_which_keys_it_has_and_not_what_they_are() -> None:
    shown = repr(KeyRing.parse(ring(legacy=OTHER)))
    assert "k1" in shown
    assert GOOD not in shown
    assert OTHER not in shown


def test_a_ring_tells_the_state_of_each_key_and_whether_there_is_a_legacy_one() -> None:
    text = ring(**{"key:k0": OTHER, "until:k0": "1790000000", "key:by-hand": OTHER})
    parsed = KeyRing.parse(text)
    assert parsed.states() == (
        KeyState(key_id="k1", signs=True, until=None),
        KeyState(key_id="by-hand", signs=False, until=None),
        KeyState(key_id="k0", signs=False, until=1790000000),
    )
    assert not parsed.legacy
    assert KeyRing.parse(ring(legacy=OTHER)).legacy


@pytest.mark.parametrize(
    "text",
    [
        ring(),
        ring(legacy=OTHER + "\n"),
        ring(**{"key:k0": OTHER, "until:k0": "1790000000", "key:k2": "\ud83d" + OTHER}),
    ],
    ids=["one key", "legacy", "several"],
)
def test_a_ring_is_written_as_it_was_read(text: str) -> None:
    assert json.loads(KeyRing.parse(text).encode()) == json.loads(text)


def test_a_key_past_its_time_verifies_as_long_as_it_is_in_the_ring() -> None:
    """Presence decides: the next rotation leaves it out."""
    envelope = signed(JwtTokenCodec(FixedKeyRing(ring())), CLAIMS)
    late = ring(current="k2", **{"key:k2": OTHER, "until:k1": "1"})
    assert asyncio.run(JwtTokenCodec(FixedKeyRing(late)).verify(envelope)).claims == CLAIMS
