"""The tokens nobody but this deployment can make: every trick with a header, a key or a text is refused alike."""

import asyncio
import base64
import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

import pytest

from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.secrets.key_ring import FixedKeyRing
from askback.domain.errors import TokenRejected
from askback.domain.ports import SignedBody
from tests.support.domain_values import claims_mapping, some_claims, some_legacy_claims
from tests.support.memory_deployment import KEY_RING, NOW, InMemoryDeployment

KEY = json.loads(KEY_RING)["key:k1"].encode()
LEGACY = json.loads(KEY_RING)["legacy"].encode()
VECTORS = json.loads((Path(__file__).parents[2] / "support/vectors/symfonic_core_9_12_0.json").read_text())
MINE = {"alg": "HS256", "kid": "k1", "typ": "JWT"}
HASHES = {"HS256": hashlib.sha256, "HS384": hashlib.sha384, "HS512": hashlib.sha512}


def b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def forged(
    header: Any = None,
    payload: Any = None,
    *,
    key: bytes = KEY,
    algorithm: str = "HS256",
    signature: bytes | None = None,
) -> str:
    """Return a token made by hand: header and payload as given, or our own; bytes are taken as they stand."""
    header = MINE if header is None else header
    payload = some_claims().to_mapping() if payload is None else payload
    parts = [part if isinstance(part, bytes) else json.dumps(part).encode() for part in (header, payload)]
    signed = ".".join(map(b64, parts))
    if signature is None:
        signature = hmac.new(key, signed.encode(), HASHES[algorithm]).digest()
    return f"{signed}.{b64(signature)}"


def codec(ring: str = KEY_RING) -> JwtTokenCodec:
    return JwtTokenCodec(FixedKeyRing(ring))


def verify(envelope: str, ring: str = KEY_RING) -> SignedBody:
    return asyncio.run(codec(ring).verify(envelope))


def with_header(**over: Any) -> dict[str, Any]:
    return {name: value for name, value in {**MINE, **over}.items() if value is not ...}


TRICKS = {
    "alg none, no signature": forged(with_header(alg="none"), signature=b""),
    "alg none, some signature": forged(with_header(alg="none"), signature=b"x" * 32),
    "alg none, good signature": forged(with_header(alg="none")),
    "alg None": forged(with_header(alg="None")),
    "alg null": forged(with_header(alg=None)),
    "alg empty": forged(with_header(alg="")),
    "alg missing": forged(with_header(alg=...)),
    "HS512 with our key": forged(with_header(alg="HS512"), algorithm="HS512"),
    "HS384 with our key": forged(with_header(alg="HS384"), algorithm="HS384"),
    "HS512 signed as HS256": forged(with_header(alg="HS256"), algorithm="HS512"),
    "alg in lower case": forged(with_header(alg="hs256")),
    "alg as a list": forged(with_header(alg=["HS256"])),
    "alg as a number": forged(with_header(alg=256)),
    "RS256 with a key of somebody": forged(with_header(alg="RS256"), signature=bytes(range(256))),
    "RS256 with our key as HMAC": forged(with_header(alg="RS256")),
    "ES256": forged(with_header(alg="ES256"), signature=bytes(64)),
    "header is a list": forged([1]),
    "header is text": forged("HS256"),
    "header is null": forged(b"null"),
    "header is no JSON": forged(b"{"),
    "header is empty": forged(b"{}"),
    "header is no UTF-8": forged(b"\xff\xfe"),
    "unknown critical extension": forged(with_header(crit=["x"], x=1)),
    "critical extensions not a list": forged(with_header(crit="exp")),
    "payload not encoded": forged(with_header(b64=False, crit=["b64"])),
    "key of the sender's choice": forged(with_header(jwk={"kty": "oct", "k": b64(b"x" * 32)}), key=b"x" * 32),
    "key at an address": forged(with_header(jku="https://keys.example.com", kid="k9"), key=b"x" * 32),
    "key id unknown": forged(with_header(kid="k9")),
    "key id a path": forged(with_header(kid="../../dev/null"), key=b""),
    "key id empty": forged(with_header(kid="")),
    "key id null": forged(with_header(kid=None), key=LEGACY),
    "key id a number": forged(with_header(kid=1)),
    "key id a list": forged(with_header(kid=["k1"])),
    "key id with its prefix": forged(with_header(kid="key:k1")),
    "key id of a field": forged(with_header(kid="legacy"), key=LEGACY),
    "key id current": forged(with_header(kid="current")),
    "no key id with our key": forged(with_header(kid=...)),
    "our key id with the legacy key": forged(key=LEGACY),
    "no key id with another key": forged(with_header(kid=...), key=b"x" * 32),
    "empty key": forged(key=b""),
    "another key": forged(key=b"x" * 32),
    "signature cut": forged()[:-4],
    "signature of zeros": forged(signature=bytes(32)),
}

BODIES = {
    "a list": [some_claims().to_mapping()],
    "text": "claims",
    "null": b"null",
    "a number": 1,
    "no JSON": b"{",
    "no UTF-8": b'{"run_id":"\xff"}',
    "byte order mark": b"\xef\xbb\xbf{}",
    "NaN": b'{"exp":NaN}',
    "infinite": b'{"exp":1e999}',
    "two exp": json.dumps(some_claims().to_mapping())[:-1].encode() + b',"exp":9999999999}',
    "one key twice, deep": b'{"a":{"b":1,"b":2}}',
    "nested without end": b'{"a":' + b"[" * 4000 + b"]" * 4000 + b"}",
}


@pytest.mark.parametrize("envelope", TRICKS.values(), ids=TRICKS)
def test_a_token_signed_in_any_other_way_than_ours_is_refused_and_spends_nothing(envelope: str) -> None:
    """A-15: one algorithm, set in code; the answer afterwards is still taken."""
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    with pytest.raises(TokenRejected):
        deployment.resume(minted, token=envelope)
    assert not deployment.resume(minted).replayed


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_signed_body_that_readers_could_read_differently_is_refused(body: Any) -> None:
    """A-43: two `exp` in a signed token can only come from us, and are refused all the same."""
    with pytest.raises(TokenRejected):
        verify(forged(payload=body))


def test_the_forger_of_these_tests_makes_good_tokens_otherwise() -> None:
    """Without this every refusal above could be one for a mistake of the test's own."""
    claims = some_claims().to_mapping()
    assert verify(forged()) == SignedBody(claims=claims, legacy=False)
    assert verify(forged({"alg": "HS256", "typ": "JWT"}, key=LEGACY)) == SignedBody(claims=claims, legacy=True)


NO_CLAIMS: dict[str, dict[str, Any]] = {
    "no exp": {"exp": ...},
    "no jti": {"jti": ...},
    "no request_hash": {"request_hash": ...},
    "no scope_hash": {"scope_hash": ...},
    "no iat": {"iat": ...},
    "no aud": {"aud": ...},
    "empty jti": {"jti": ""},
    "exp null": {"exp": None},
    "exp a float": {"exp": NOW + 60.5},
    "exp infinite by size": {"exp": 10**30},
    "exp true": {"exp": True},
    "exp as text": {"exp": str(NOW + 60)},
    "jti a number": {"jti": 1},
    "jti a list": {"jti": ["x"]},
    "short scope_hash": {"scope_hash": "ab" * 8},
    "request_hash in capitals": {"request_hash": "AB" * 32},
    "half a surrogate pair in an id": {"thread_id": "\ud83d"},
    "unknown audience": {"aud": "everybody"},
    "a list of audiences": {"aud": ["resume"]},
}


@pytest.mark.parametrize("over", NO_CLAIMS.values(), ids=NO_CLAIMS)
def test_a_token_of_ours_with_a_claim_missing_or_malformed_is_refused_and_spends_nothing(over: dict[str, Any]) -> None:
    """A-16: required claims are required by name; a token without `exp` would never expire."""
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    signed = deployment.sign(claims_mapping(minted.claims, **over))
    with pytest.raises(TokenRejected):
        deployment.resume(minted, token=signed)
    assert not deployment.resume(minted).replayed


def test_the_same_claims_untouched_are_taken() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    assert not deployment.resume(minted, token=deployment.sign(claims_mapping(minted.claims))).replayed


GOOD = forged()
GARBAGE = {
    "empty": "",
    "one part": "a",
    "two parts": "a.b",
    "two parts of a good one": GOOD.rsplit(".", 1)[0],
    "four parts": "a.b.c.d",
    "a good one and a fourth part": GOOD + ".x",
    "five parts, as if encrypted": "a.b.c.d.e",
    "three dots": "...",
    "200 KB": "A" * 200_000,
    "200 KB in parts": ".".join(["A" * 70_000] * 3),
    "line end after": GOOD + "\n",
    "space before": " " + GOOD,
    "space after": GOOD + " ",
    "line end inside": GOOD.replace(".", ".\n"),
    "Bearer": "Bearer " + GOOD,
    "angle brackets": f"<{GOOD}>",
    "quotes": f'"{GOOD}"',
    "bytes shown": f"b'{GOOD}'",
    "padded": GOOD + "=",
    "percent encoded": GOOD.replace(".", "%2E"),
    "standard base64": GOOD.replace("_", "/").replace("-", "+"),
    "full stops of another script": GOOD.replace(".", "\uff0e"),
    "NUL": GOOD + "\x00",
    "half a surrogate pair": "\ud83d" + GOOD,
    "digits of another script": "\u0661.\u0662.\u0663",
}


@pytest.mark.parametrize("envelope", GARBAGE.values(), ids=GARBAGE)
def test_garbage_is_refused_like_a_forgery(envelope: str) -> None:
    """A-19: white space round a good token is refused too, always."""
    deployment = InMemoryDeployment()
    with pytest.raises(TokenRejected) as refused:
        asyncio.run(deployment.tokens.authenticate(envelope, at=NOW))
    assert str(refused.value) == str(TokenRejected())
    with pytest.raises(TokenRejected):
        verify(envelope)


@pytest.mark.parametrize("vector", VECTORS["tokens"], ids=lambda vector: vector["label"])
def test_tokens_of_the_legacy_engine_verify_with_its_key_and_with_no_other(vector: dict[str, Any]) -> None:
    ring = {"current": "k1", "key:k1": KEY.decode(), "legacy": VECTORS["secret"]}
    assert verify(vector["token"], json.dumps(ring)) == SignedBody(claims=vector["claims"], legacy=True)
    with pytest.raises(TokenRejected):
        verify(vector["token"])
    with pytest.raises(TokenRejected):
        verify(vector["token"], json.dumps({"current": "k1", "key:k1": VECTORS["secret"]}))


@pytest.mark.parametrize("claim", ["thread_id", "checkpoint_id", "tool_call_id", "run_id", "session_id", "jti"])
def test_a_legacy_token_with_half_a_surrogate_pair_in_an_id_is_refused_and_not_a_crash(claim: str) -> None:
    """A-44: the legacy engine signed whatever it was given; no key in the table could hold this."""
    claims = {**some_legacy_claims().to_mapping(), claim: "\ud83d"}
    envelope = forged({"alg": "HS256", "typ": "JWT"}, claims, key=LEGACY)
    with pytest.raises(TokenRejected):
        asyncio.run(InMemoryDeployment().tokens.authenticate(envelope, at=NOW))
