"""The shape of a token's claims: every required one is required by name."""

from typing import Any

import pytest

from askback.domain.errors import TokenRejected
from askback.domain.pause.claims import Audience, PauseClaims
from askback.domain.pause.scope import LEGACY_SCOPE_HASH_LENGTH
from tests.support.domain_values import claims_mapping
from tests.support.own_interactions import CLAIMS

LEGACY = {"scope_hash": "ab" * 8, "iat": ..., "aud": ...}


def _read(**over: Any) -> PauseClaims:
    return PauseClaims.from_mapping(claims_mapping(CLAIMS, **over), legacy=False)


def _read_legacy(**over: Any) -> PauseClaims:
    return PauseClaims.from_mapping(claims_mapping(CLAIMS, **{**LEGACY, **over}), legacy=True)


def test_claims_come_back_as_they_were_signed() -> None:
    assert _read() == CLAIMS


@pytest.mark.parametrize("name", [name for name in CLAIMS.to_mapping() if name not in ("name", "interrupt_id")])
def test_each_claim_is_required_by_name(name: str) -> None:
    """A-16: a token without `exp` would never expire, one without `jti` could be used twice."""
    with pytest.raises(TokenRejected):
        _read(**{name: ...})


@pytest.mark.parametrize(
    "name", ["jti", "exp", "scope_hash", "request_hash", "run_id", "session_id", "thread_id", "checkpoint_id"]
)
def test_a_legacy_token_needs_its_claims_by_name_too(name: str) -> None:
    """A-16."""
    with pytest.raises(TokenRejected):
        _read_legacy(**{name: ...})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, None) for name in CLAIMS.to_mapping()),
        *((name, 1) for name in CLAIMS.to_mapping() if name not in ("exp", "iat")),
        *((name, "") for name in ("jti", "run_id", "thread_id", "checkpoint_id", "name", "scope_hash", "request_hash")),
        *((name, "x" * 1025) for name in ("jti", "run_id", "thread_id", "checkpoint_id", "tool_call_id", "session_id")),
        *((name, value) for name in ("exp", "iat") for value in ("1790000000", 1.0, True, -1, 10**12, [1])),
        ("scope_hash", "ab" * 8),
        ("scope_hash", "AB" * 32),
        ("scope_hash", "ab" * 31 + "a\n"),
        ("request_hash", "cd" * 31),
        ("request_hash", "\u0663" * 64),
        ("aud", "admin"),
        ("aud", ["resume"]),
        ("aud", {}),
    ],
    ids=repr,
)
def test_a_claim_of_another_shape_is_refused(name: str, value: Any) -> None:
    with pytest.raises(TokenRejected):
        _read(**{name: value})


def test_a_token_without_a_name_is_the_built_in_question() -> None:
    claims = _read_legacy(name=..., interrupt_id=...)
    assert (claims.name, claims.interrupt_id) == ("ask_user", "")


def test_a_legacy_token_resumes_and_carries_no_issue_time() -> None:
    claims = _read_legacy()
    assert (claims.audience, claims.issued_at, claims.legacy) == (Audience.RESUME, None, True)
    assert not CLAIMS.legacy


@pytest.mark.parametrize("over", [{"iat": 1, "aud": "answer"}, {"iat": "x"}])
def test_a_legacy_token_cannot_pose_as_one_minted_here(over: dict[str, Any]) -> None:
    claims = _read_legacy(**over)
    assert (claims.audience, claims.issued_at) == (Audience.RESUME, None)


def test_only_a_legacy_token_may_carry_the_short_scope_hash() -> None:
    assert len(_read_legacy().scope_hash) == LEGACY_SCOPE_HASH_LENGTH
    with pytest.raises(TokenRejected):
        _read_legacy(scope_hash="ab" * 32)


@pytest.mark.parametrize("name", ["session_id", "tool_call_id", "interrupt_id"])
def test_the_claims_that_may_be_empty_are_read_empty(name: str) -> None:
    assert getattr(_read(**{name: ""}), name) == ""


def test_unknown_claims_are_no_reason_to_refuse() -> None:
    assert _read(nbf=5, extra={"a": 1}) == CLAIMS
