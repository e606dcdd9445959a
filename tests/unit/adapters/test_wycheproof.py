"""The HMAC vectors of Project Wycheproof (tests/support/vectors/wycheproof) against the token codec."""

import asyncio
import json
from base64 import urlsafe_b64decode
from pathlib import Path
from typing import Any, Final

import pytest

from askback.adapters import jwt_codec
from askback.adapters.jwt_codec import JwtTokenCodec
from askback.domain.errors import TokenRejected
from askback.domain.json_text import read_json
from askback.domain.keys.ring import KEY_MIN_BYTES, KeyRing

_FILE = Path(__file__).parents[2] / "support/vectors/wycheproof/json_web_signature_hmac.json"
GROUPS: Final[list[dict[str, Any]]] = json.loads(_FILE.read_text(encoding="utf-8"))["testGroups"]
VECTORS: Final = {each["tcId"]: (group["private"], each) for group in GROUPS for each in group["tests"]}
CONTRADICTED: Final = {367: 357, 370: 357}
"""Invalid vectors whose text is that of a valid one: the padding that they are about got lost in the file."""
STRICTER: Final = {372, 373}
"""Valid only for a reader that leaves characters out which are not of base64url; RFC 7515 appendix C has none."""


class OneKey:
    """A ring with the key of a vector; a ring as text cannot have it, because its bytes are no text."""

    def __init__(self, private: dict[str, str]) -> None:
        key = urlsafe_b64decode(private["k"] + "=" * (-len(private["k"]) % 4))
        assert len(key) >= KEY_MIN_BYTES
        self._ring = KeyRing(current=private["kid"], keys={private["kid"]: key})

    def ring(self) -> KeyRing:
        return self._ring

    def ring_with(self, key_id: str) -> KeyRing:
        return self._ring


def reads(raw: bytes | str) -> object:
    """Read the header as it is, and a payload that is no JSON as claims: the vectors sign words."""
    try:
        return read_json(raw)
    except ValueError:
        return {"payload": raw}


def accepts(private: dict[str, str], jws: str) -> bool:
    try:
        asyncio.run(JwtTokenCodec(OneKey(private)).verify(jws))
    except TokenRejected:
        return False
    return True


def test_these_are_the_vectors() -> None:
    """So a vector that is left out is seen."""
    assert sorted(VECTORS) == [*range(1, 18), 348, 352, *range(357, 378)]
    results = [vector["result"] for _, vector in VECTORS.values()]
    assert {each: results.count(each) for each in results} == {"valid": 10, "invalid": 30}
    for invalid, valid in CONTRADICTED.items():
        assert VECTORS[invalid][1]["jws"] == VECTORS[valid][1]["jws"]
    assert {private["alg"] for private, _ in VECTORS.values()} == {"HS256"}


@pytest.mark.parametrize("number", sorted(VECTORS.keys() - CONTRADICTED.keys()))
def test_a_signature_is_accepted_or_refused_as_the_vector_says(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jwt_codec, "read_json", reads)
    private, vector = VECTORS[number]
    assert accepts(private, vector["jws"]) is (vector["result"] == "valid" and number not in STRICTER)


@pytest.mark.parametrize("number", sorted(VECTORS))
def test_no_vector_is_a_token_of_ours(number: int) -> None:
    """Their payloads are words, and no claims: also a valid signature makes none of them a token."""
    private, vector = VECTORS[number]
    assert not accepts(private, vector["jws"])
