"""The key ring: no default, no weak key, and no key in a reason; and how often the secret is really fetched."""

import asyncio
import json
from dataclasses import dataclass

import pytest

from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.key_ring import FixedKeyRing, KeyRing, SecretsManagerKeyRing
from askback.domain.errors import InteractionConfigurationError, TokenRejected
from tests.fakes.aws import Aws
from tests.fakes.deployment import InMemoryDeployment
from tests.fakes.faults import Attempts, break_wire
from tests.fakes.values import some_claims

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
    envelope = asyncio.run(with_it.sign(CLAIMS))
    with pytest.raises(TokenRejected):
        asyncio.run(without.verify(envelope))


def test_a_ring_shows_which_keys_it_has_and_not_what_they_are() -> None:
    shown = repr(KeyRing.parse(ring(legacy=OTHER)))
    assert "k1" in shown
    assert GOOD not in shown
    assert OTHER not in shown


@dataclass
class Clock:
    """Seconds that pass when a test says so."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Source:
    """A ring kept in Secrets Manager, and how often it was fetched."""

    aws: Aws
    clock: Clock
    fetches: Attempts
    keys: SecretsManagerKeyRing
    codec: JwtTokenCodec

    def put(self, text: str) -> None:
        self.aws.secrets.put_secret_value(SecretId=self.aws.stores.secret_id, SecretString=text)


@pytest.fixture
def source(aws: Aws) -> Source:
    clock = Clock()
    keys = SecretsManagerKeyRing(client=lambda: aws.secrets, secret_id=aws.stores.secret_id, clock=clock)
    source = Source(aws, clock, Attempts.of(aws.secrets, "GetSecretValue"), keys, JwtTokenCodec(keys))
    source.put(ring())
    return source


def test_nothing_is_fetched_before_a_key_is_needed(source: Source) -> None:
    assert source.fetches.count == 0


def test_a_ring_is_fetched_once_in_five_minutes(source: Source) -> None:
    for second in (0, 1, 100, 299.9):
        source.clock.now = 1000.0 + second
        asyncio.run(source.codec.sign(CLAIMS))
        assert source.fetches.count == 1
    source.clock.now = 1300.0
    asyncio.run(source.codec.sign(CLAIMS))
    assert source.fetches.count == 2


def test_a_known_key_id_costs_no_further_fetch(source: Source) -> None:
    envelope = asyncio.run(source.codec.sign(CLAIMS))
    source.clock.now += 200
    asyncio.run(source.codec.verify(envelope))
    assert source.fetches.count == 1


def test_a_key_made_by_a_rotation_is_found_by_one_further_fetch(source: Source) -> None:
    asyncio.run(source.codec.sign(CLAIMS))
    rotated = ring(current="k2", **{"key:k2": OTHER})
    envelope = asyncio.run(JwtTokenCodec(FixedKeyRing(rotated)).sign(CLAIMS))
    source.put(rotated)
    source.clock.now += 10
    assert asyncio.run(source.codec.verify(envelope)).claims == CLAIMS
    assert source.fetches.count == 2


def test_tokens_of_the_key_before_a_rotation_still_verify(source: Source) -> None:
    envelope = asyncio.run(source.codec.sign(CLAIMS))
    source.put(ring(current="k2", **{"key:k2": OTHER}))
    source.clock.now += 301
    assert source.keys.ring().current == "k2"
    assert asyncio.run(source.codec.verify(envelope)).claims == CLAIMS


def test_an_unknown_key_id_is_looked_for_once_and_then_refused(source: Source) -> None:
    """Anybody can make up key ids: they must not turn each request into a call of Secrets Manager."""
    asyncio.run(source.codec.sign(CLAIMS))
    stranger = asyncio.run(JwtTokenCodec(FixedKeyRing(ring(current="k9", **{"key:k9": OTHER}))).sign(CLAIMS))
    source.clock.now += 10
    for _ in range(20):
        with pytest.raises(TokenRejected):
            asyncio.run(source.codec.verify(stranger))
    assert source.fetches.count == 2


def test_a_first_request_with_an_unknown_key_id_fetches_once(source: Source) -> None:
    stranger = asyncio.run(JwtTokenCodec(FixedKeyRing(ring(current="k9", **{"key:k9": OTHER}))).sign(CLAIMS))
    with pytest.raises(TokenRejected):
        asyncio.run(source.codec.verify(stranger))
    assert source.fetches.count == 1


def test_only_the_current_version_of_the_secret_counts(source: Source) -> None:
    source.aws.secrets.put_secret_value(
        SecretId=source.aws.stores.secret_id,
        SecretString=ring(current="k2", **{"key:k2": OTHER}),
        VersionStages=["AWSPENDING"],
    )
    assert source.keys.ring().current == "k1"


def test_a_ring_that_was_spoilt_is_refused_until_it_is_mended(source: Source) -> None:
    source.put("{}")
    with pytest.raises(InteractionConfigurationError):
        source.keys.ring()
    source.put(ring())
    assert source.keys.ring().current == "k1"


def test_a_secret_of_bytes_is_refused(source: Source) -> None:
    source.aws.secrets.put_secret_value(SecretId=source.aws.stores.secret_id, SecretBinary=ring().encode())
    with pytest.raises(InteractionConfigurationError):
        source.keys.ring()


def test_a_cached_ring_serves_while_secrets_manager_is_away(source: Source) -> None:
    envelope = asyncio.run(source.codec.sign(CLAIMS))
    break_wire(source.aws.secrets, "GetSecretValue", AssertionError("must not be asked"))
    source.clock.now += 299
    assert asyncio.run(source.codec.verify(envelope)).claims == CLAIMS
