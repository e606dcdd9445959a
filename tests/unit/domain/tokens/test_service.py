"""Pause tokens: ours, not expired, and used from where they were issued for."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from askback.domain.errors import (
    HumanInteractionError,
    InteractionConfigurationError,
    PauseExpired,
    TokenRejected,
)
from askback.domain.limits import CLOCK_LEEWAY_SECONDS, TOKEN_MAX_BYTES
from askback.domain.pause.claims import Audience, LiveClaims
from askback.domain.pause.scope import Scope
from askback.domain.ports import SignedBody
from askback.domain.tokens.service import PauseTokenService
from tests.support.domain_values import an_acceptance, claims_mapping
from tests.support.memory_deployment import NOW, SCOPE, InMemoryDeployment

DEPLOYMENT = InMemoryDeployment()
MINTED = DEPLOYMENT.mint()
STRANGER = InMemoryDeployment(key_ring='{"current":"k1","key:k1":"the key of quite another deployment"}')
OTHER = Scope(tenant_id="other")
HERE: dict[str, Any] = {"scope": SCOPE, "session_id": "sess-1", "run_id": "run-1", "tool_call_id": "call_Cc03Ask"}


def _authenticate(envelope: str, *, at: int = NOW) -> LiveClaims:
    return asyncio.run(DEPLOYMENT.tokens.authenticate(envelope, at=at))


def _signed(by: InMemoryDeployment = DEPLOYMENT, **over: Any) -> str:
    return by.sign(claims_mapping(MINTED.claims, **over))


def test_both_envelopes_of_a_pause_say_the_same_but_for_whom() -> None:
    resume, answer = (_authenticate(token) for token in (MINTED.tokens.pause, MINTED.tokens.answer))
    assert resume == MINTED.claims
    assert (resume.audience, answer.audience) == (Audience.RESUME, Audience.ANSWER)
    assert answer.for_audience(Audience.RESUME) == resume


def test_the_same_claims_give_the_same_token() -> None:
    assert asyncio.run(DEPLOYMENT.tokens.issue_pause_token(MINTED.claims, key_id="k1")) == MINTED.tokens.pause
    assert asyncio.run(DEPLOYMENT.tokens.issue_answer_tokens(MINTED.claims, key_id="k1")).answer == MINTED.tokens.answer


@pytest.mark.parametrize(
    ("envelope", "error"),
    [
        (_signed(STRANGER, exp=NOW - 1), TokenRejected),
        (_signed(STRANGER, jti=...), TokenRejected),
        (_signed(exp=NOW - 1, jti=...), TokenRejected),
        (_signed(exp=NOW - 1, iat=NOW + 600), TokenRejected),
        (_signed(exp=NOW - 1), PauseExpired),
        (_signed(STRANGER), TokenRejected),
    ],
    ids=[
        "forged and expired",
        "forged and misshapen",
        "misshapen and expired",
        "from the future and expired",
        "expired",
        "forged",
    ],
)
def test_only_an_authentic_and_well_formed_token_is_told_that_it_expired(
    envelope: str, error: type[HumanInteractionError]
) -> None:
    with pytest.raises(error):
        _authenticate(envelope)


def test_malformed_and_forged_tokens_look_the_same() -> None:
    details = set()
    for envelope in (_signed(STRANGER), _signed(jti=...), "", "a.b.c", "\u00e9", MINTED.tokens.pause + "\n"):
        with pytest.raises(TokenRejected) as refusal:
            _authenticate(envelope)
        details.add(refusal.value.detail)
    assert len(details) == 1


class _UntouchedCodec:
    async def current_key_id(self) -> str:
        raise AssertionError("nothing is signed here")

    async def has_key(self, key_id: str) -> bool:
        raise AssertionError("nothing is signed here")

    async def sign(self, claims: Mapping[str, Any], *, key_id: str) -> str:
        raise AssertionError("nothing is signed here")

    async def verify(self, envelope: str) -> SignedBody:
        raise AssertionError("no work is done for an oversized token")


def test_a_token_over_the_size_limit_is_refused_before_any_work() -> None:
    tokens = PauseTokenService(codec=_UntouchedCodec(), ledger=DEPLOYMENT.ledger)
    with pytest.raises(TokenRejected):
        asyncio.run(tokens.authenticate("a" * (TOKEN_MAX_BYTES + 1), at=NOW))


def test_without_a_key_no_token_is_judged_at_all() -> None:
    with pytest.raises(InteractionConfigurationError):
        asyncio.run(InMemoryDeployment(key_ring="").tokens.authenticate(MINTED.tokens.pause, at=NOW))


@pytest.mark.parametrize("ahead", [0, 2, 30, CLOCK_LEEWAY_SECONDS])
def test_a_minting_clock_that_runs_a_little_ahead_does_no_harm(ahead: int) -> None:
    """A-50."""
    assert _authenticate(_signed(iat=NOW + ahead)).issued_at == NOW + ahead


@pytest.mark.parametrize("ahead", [CLOCK_LEEWAY_SECONDS + 1, 600])
def test_a_token_from_further_in_the_future_is_refused(ahead: int) -> None:
    """A-50."""
    with pytest.raises(TokenRejected):
        _authenticate(_signed(iat=NOW + ahead))


def test_expiry_has_no_leeway() -> None:
    """A-50."""
    exp = MINTED.claims.exp
    assert _authenticate(MINTED.tokens.pause, at=exp - 1).exp == exp
    for late in (exp, exp + 2, exp + 600):
        with pytest.raises(PauseExpired):
            _authenticate(MINTED.tokens.pause, at=late)


def test_an_ended_token_is_still_authentic_and_the_type_checker_lets_nobody_use_it_up() -> None:
    ended = asyncio.run(DEPLOYMENT.tokens.authenticate_live_or_ended(MINTED.tokens.pause, at=MINTED.claims.exp))
    assert ended == MINTED.claims
    if TYPE_CHECKING:
        # Once this is allowed, mypy reports the ignore as one that nothing needs.
        _ = DEPLOYMENT.tokens.consume(ended, an_acceptance(), waiter=None)  # type: ignore[arg-type]
