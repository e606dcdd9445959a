"""Where the key ring comes from: how often the secret is really fetched, and what counts in it."""

import asyncio
import json
from dataclasses import dataclass

import pytest

from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.secrets.key_ring import FixedKeyRing, SecretsManagerKeyRing
from askback.domain.errors import InteractionConfigurationError, TokenRejected
from tests.support.aws_faults import Attempts, break_wire
from tests.support.aws_stores import Aws
from tests.support.domain_values import some_claims
from tests.support.memory_deployment import signed

GOOD = "k" * 31 + "1"
OTHER = "o" * 32
CLAIMS = some_claims().to_mapping()


def ring(**fields: object) -> str:
    return json.dumps({"current": "k1", "key:k1": GOOD, **fields})


@dataclass
class Clock:
    """Seconds that pass when a test says so: `now` on both clocks, `frozen` on the wall clock alone."""

    now: float = 1000.0
    frozen: float = 0.0

    def __call__(self) -> float:
        return self.now

    def wall(self) -> float:
        return 1_790_000_000.0 + self.now + self.frozen


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
    keys = SecretsManagerKeyRing(
        client=lambda: aws.secrets, secret_id=aws.stores.secret_id, clock=clock, wall_clock=clock.wall
    )
    source = Source(aws, clock, Attempts.of(aws.secrets, "GetSecretValue"), keys, JwtTokenCodec(keys))
    source.put(ring())
    return source


def test_nothing_is_fetched_before_a_key_is_needed(source: Source) -> None:
    assert source.fetches.count == 0


def test_a_ring_is_fetched_once_in_five_minutes(source: Source) -> None:
    for second in (0, 1, 100, 299.9):
        source.clock.now = 1000.0 + second
        signed(source.codec, CLAIMS)
        assert source.fetches.count == 1
    source.clock.now = 1300.0
    signed(source.codec, CLAIMS)
    assert source.fetches.count == 2


@pytest.mark.parametrize("passed", [300.0, 3600.0, -0.001, -86_400.0], ids=str)
def test_a_process_that_was_frozen_or_whose_wall_clock_went_back_reads_the_ring_again(
    source: Source, passed: float
) -> None:
    """D-59: the steady clock stands still in a frozen process; a key that was removed meanwhile counts no more."""
    of_old_key = signed(source.codec, CLAIMS)
    retired = ring(current="k2", **{"key:k1": None, "key:k2": OTHER}).replace('"key:k1": null, ', "")
    source.put(retired)
    of_new_key = signed(JwtTokenCodec(FixedKeyRing(retired)), CLAIMS)
    source.clock.frozen += passed
    with pytest.raises(TokenRejected):
        asyncio.run(source.codec.verify(of_old_key))
    assert asyncio.run(source.codec.verify(of_new_key)).claims == CLAIMS
    assert source.fetches.count == 2


def test_the_new_key_of_a_frozen_process_is_found_within_a_second_of_its_last_fetch(source: Source) -> None:
    """D-59: a good token must not be refused because the steady clock says that the ring was just read."""
    signed(source.codec, CLAIMS)
    rotated = ring(current="k2", **{"key:k2": OTHER})
    source.put(rotated)
    source.clock.frozen += 1
    envelope = signed(JwtTokenCodec(FixedKeyRing(rotated)), CLAIMS)
    assert asyncio.run(source.codec.verify(envelope)).claims == CLAIMS


def test_a_wall_clock_that_went_back_once_costs_one_fetch(source: Source) -> None:
    """D-59."""
    signed(source.codec, CLAIMS)
    source.clock.frozen -= 3600
    for _ in range(3):
        signed(source.codec, CLAIMS)
    assert source.fetches.count == 2


def test_a_known_key_id_costs_no_further_fetch(source: Source) -> None:
    envelope = signed(source.codec, CLAIMS)
    source.clock.now += 200
    asyncio.run(source.codec.verify(envelope))
    assert source.fetches.count == 1


def test_a_key_made_by_a_rotation_is_found_by_one_further_fetch(source: Source) -> None:
    signed(source.codec, CLAIMS)
    rotated = ring(current="k2", **{"key:k2": OTHER})
    envelope = signed(JwtTokenCodec(FixedKeyRing(rotated)), CLAIMS)
    source.put(rotated)
    source.clock.now += 10
    assert asyncio.run(source.codec.verify(envelope)).claims == CLAIMS
    assert source.fetches.count == 2


def test_tokens_of_the_key_before_a_rotation_still_verify(source: Source) -> None:
    envelope = signed(source.codec, CLAIMS)
    source.put(ring(current="k2", **{"key:k2": OTHER}))
    source.clock.now += 301
    assert source.keys.ring().current == "k2"
    assert asyncio.run(source.codec.verify(envelope)).claims == CLAIMS


def test_an_unknown_key_id_is_looked_for_once_and_then_refused(source: Source) -> None:
    """Anybody can make up key ids: they must not turn each request into a call of Secrets Manager."""
    signed(source.codec, CLAIMS)
    stranger = signed(JwtTokenCodec(FixedKeyRing(ring(current="k9", **{"key:k9": OTHER}))), CLAIMS)
    source.clock.now += 10
    for _ in range(20):
        with pytest.raises(TokenRejected):
            asyncio.run(source.codec.verify(stranger))
    assert source.fetches.count == 2


def test_a_pause_of_a_process_that_knows_the_newer_ring_is_signed_again_with_its_own_key(source: Source) -> None:
    signed(source.codec, CLAIMS)
    source.put(ring(current="k2", **{"key:k2": OTHER}))
    source.clock.now += 10
    assert asyncio.run(source.codec.has_key("k2"))
    assert asyncio.run(source.codec.verify(asyncio.run(source.codec.sign(CLAIMS, key_id="k2")))).claims == CLAIMS


def test_a_first_request_with_an_unknown_key_id_fetches_once(source: Source) -> None:
    stranger = signed(JwtTokenCodec(FixedKeyRing(ring(current="k9", **{"key:k9": OTHER}))), CLAIMS)
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
    envelope = signed(source.codec, CLAIMS)
    break_wire(source.aws.secrets, "GetSecretValue", AssertionError("must not be asked"))
    source.clock.now += 299
    assert asyncio.run(source.codec.verify(envelope)).claims == CLAIMS
