"""What a token codec promises, whether its key ring is given or kept in Secrets Manager."""

import asyncio
import json
import string
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from jwt.utils import base64url_decode

from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.secrets.key_ring import FixedKeyRing, SecretsManagerKeyRing
from askback.domain.errors import InteractionConfigurationError, TokenRejected
from askback.domain.ports import SignedBody, TokenCodec
from tests.support.aws_stores import Aws
from tests.support.domain_values import some_claims
from tests.support.memory_deployment import KEY_RING, signed

CLAIMS = some_claims().to_mapping()
JSON_TEXTS = st.text(st.characters(exclude_categories=[]), max_size=30)
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | JSON_TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(JSON_TEXTS, inner, max_size=3),
    max_leaves=8,
)


class TokenCodecContract:
    """Subclasses say where the keys come from; `keyless` is the same codec without a usable key."""

    @pytest.fixture
    def codec(self) -> TokenCodec:
        raise NotImplementedError

    @pytest.fixture
    def keyless(self) -> TokenCodec:
        raise NotImplementedError

    def test_what_was_signed_is_verified_as_it_was(self, codec: TokenCodec) -> None:
        assert verify(codec, sign(codec, CLAIMS)) == SignedBody(claims=CLAIMS, legacy=False)

    def test_an_envelope_is_text_of_three_parts_for_a_link(self, codec: TokenCodec) -> None:
        """A-20: never bytes, and no sign that a URL or a header would change."""
        envelope = sign(codec, CLAIMS)
        assert type(envelope) is str
        assert envelope.count(".") == 2
        assert set(envelope) <= set(string.ascii_letters + string.digits + "-_.")
        assert all(envelope.split("."))

    def test_signing_twice_gives_the_same_envelope(self, codec: TokenCodec) -> None:
        assert sign(codec, CLAIMS) == sign(codec, CLAIMS)

    def test_an_envelope_names_the_key_that_it_was_signed_with(self, codec: TokenCodec) -> None:
        key_id = asyncio.run(codec.current_key_id())
        assert json.loads(base64url_decode(sign(codec, CLAIMS).partition(".")[0]))["kid"] == key_id
        assert asyncio.run(codec.has_key(key_id))

    def test_a_key_that_the_ring_has_not_signs_nothing(self, codec: TokenCodec) -> None:
        assert not asyncio.run(codec.has_key("k9"))
        with pytest.raises(LookupError):
            asyncio.run(codec.sign(CLAIMS, key_id="k9"))

    def test_changing_any_sign_of_an_envelope_makes_it_worthless(self, codec: TokenCodec) -> None:
        envelope = sign(codec, CLAIMS)
        # The last sign of a signature carries two bits that mean nothing in base64.
        for at in range(len(envelope) - 1):
            changed = "A" if envelope[at] != "A" else "B"
            with pytest.raises(TokenRejected):
                verify(codec, envelope[:at] + changed + envelope[at + 1 :])

    def test_the_parts_of_two_envelopes_cannot_be_mixed(self, codec: TokenCodec) -> None:
        one, other = (sign(codec, {**CLAIMS, "jti": jti}).split(".") for jti in ("one", "other"))
        with pytest.raises(TokenRejected):
            verify(codec, ".".join((one[0], one[1], other[2])))
        with pytest.raises(TokenRejected):
            verify(codec, ".".join((one[0], other[1], one[2])))

    def test_a_codec_without_a_usable_key_signs_nothing_and_says_that_an_operator_must_act(
        self, codec: TokenCodec, keyless: TokenCodec
    ) -> None:
        envelope = sign(codec, CLAIMS)
        with pytest.raises(InteractionConfigurationError):
            sign(keyless, CLAIMS)
        with pytest.raises(InteractionConfigurationError):
            verify(keyless, envelope)


class TestCodecOverAGivenRing(TokenCodecContract):
    @pytest.fixture
    def codec(self) -> TokenCodec:
        return JwtTokenCodec(FixedKeyRing(KEY_RING))

    @pytest.fixture
    def keyless(self) -> TokenCodec:
        return JwtTokenCodec(FixedKeyRing("{}"))


class TestCodecOverSecretsManager(TokenCodecContract):
    @pytest.fixture
    def codec(self, aws: Aws) -> TokenCodec:
        """The ring that the template itself generates: the code reads what a deployment starts with."""
        return secrets_codec(aws, aws.stores.secret_id)

    @pytest.fixture
    def keyless(self, aws: Aws) -> TokenCodec:
        return secrets_codec(aws, "no-such-secret")


def secrets_codec(aws: Aws, secret_id: str) -> TokenCodec:
    return JwtTokenCodec(
        SecretsManagerKeyRing(
            client=lambda: aws.secrets, secret_id=secret_id, clock=lambda: 0.0, wall_clock=lambda: 0.0
        )
    )


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.dictionaries(JSON_TEXTS, JSON_VALUES, max_size=5))
def test_any_json_object_comes_back_with_its_types(claims: dict[str, Any]) -> None:
    codec = JwtTokenCodec(FixedKeyRing(KEY_RING))
    found = verify(codec, sign(codec, claims)).claims
    assert repr(found) == repr(claims)


def sign(codec: TokenCodec, claims: dict[str, Any]) -> str:
    return signed(codec, claims)


def verify(codec: TokenCodec, envelope: str) -> SignedBody:
    return asyncio.run(codec.verify(envelope))
