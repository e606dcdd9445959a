"""Attack: a token that the legacy key signed has the id of a pause of this deployment.

The holder of the old key, or of one old token of the same scope, would answer or read a pause that the old key has no
right to. Every read of a row for a token compares the row with the token's claims, so the pause stays as it was.
"""

import asyncio
from dataclasses import replace
from typing import Any

import jwt
import pytest

from askback.domain.errors import TokenRejected
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.claims import Audience, LiveClaims, PauseClaims
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.tokens.scope_binder import Redeemer
from tests.support.domain_values import an_acceptance, some_claims, some_legacy_claims
from tests.support.memory_deployment import NOW, SCOPE, InMemoryDeployment, an_answer

LEGACY_KEY = "a legacy key that only tests use, 32+"
OTHERS: list[dict[str, Any]] = [
    {"run_id": "run-2"},
    {"session_id": "sess-2"},
    {"scope_hash": SCOPE.digest()[::-1]},
    {"tool_call_id": "call_Other"},
    {"request_hash": "cd" * 32},
    {"name": "approval", "interrupt_id": "i-1"},
    {"interrupt_id": "i-0000000000ff"},
    {"thread_id": "acme:eu:sess-2"},
    {"checkpoint_id": "cp-2"},
]


def _legacy_token(minted: MintedPause, **over: Any) -> str:
    """Return a token of the legacy key that points at a modern pause and at its records."""
    claims = minted.claims.to_mapping()
    kept = {name: value for name, value in claims.items() if name not in ("iat", "aud")}
    return jwt.encode({**kept, "scope_hash": SCOPE.digest()[:16], **over}, LEGACY_KEY, algorithm="HS256")


def test_it_does_not_answer_the_pause_of_another_key() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    with pytest.raises(TokenRejected):
        deployment.resume(minted, token=_legacy_token(minted))
    assert deployment.ledger.rows[minted.claims.jti].status is PauseStatus.ISSUED
    assert not deployment.resume(minted).replayed


def test_it_gets_no_receipt_of_the_answer_that_stands() -> None:
    """The same answer of the same person is a replay for the pause's own token only, before and after the expiry."""
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    deployment.resume(minted)
    for at in (NOW + 90, NOW + 7200):
        with pytest.raises(TokenRejected):
            deployment.resume(minted, token=_legacy_token(minted), at=at, attempt_id="later")


def test_it_reads_neither_the_question_nor_the_outcome() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    token = _legacy_token(minted)
    with pytest.raises(TokenRejected):
        asyncio.run(deployment.resuming.question(token, at=NOW + 60))
    deployment.resume(minted)
    with pytest.raises(TokenRejected):
        asyncio.run(deployment.outcomes.read(token, Redeemer(scope=SCOPE), at=NOW + 120))


def test_a_row_that_appears_between_the_read_and_the_claim_gives_it_no_receipt() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    deployment.resume(minted)
    answer = deployment.ledger.rows[minted.claims.jti].answer
    assert answer is not None
    old = _authentic(some_legacy_claims(jti=minted.claims.jti))
    with pytest.raises(TokenRejected):
        asyncio.run(deployment.tokens.consume(old, replace(answer, attempt_id="later"), waiter=None))


@pytest.mark.parametrize("over", OTHERS, ids=lambda over: next(iter(over)))
def test_a_token_of_this_deployment_with_one_other_claim_reaches_nothing(over: dict[str, Any]) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    claims = minted.claims
    for audience in Audience:
        token = deployment.sign({**claims.for_audience(audience).to_mapping(), **over})
        place = Redeemer(scope=None)
        with pytest.raises(TokenRejected):
            deployment.resume(minted, token=token, redeemer=place, audiences=frozenset(Audience), require_turn=False)
    assert deployment.ledger.rows[claims.jti].status is PauseStatus.ISSUED
    assert not deployment.resume(minted, response=an_answer(minted)).replayed


@pytest.mark.parametrize("over", OTHERS, ids=lambda over: next(iter(over)))
def test_a_legacy_row_is_compared_in_every_claim_that_it_has(over: dict[str, Any]) -> None:
    row = LedgerRow(claims=some_legacy_claims(), status=PauseStatus.ANSWERED, answer=an_acceptance())
    row.require_of(some_legacy_claims())
    with pytest.raises(TokenRejected):
        row.require_of(some_legacy_claims(**over))
    with pytest.raises(TokenRejected):
        row.require_of(some_claims(jti=row.claims.jti))


def test_the_mark_of_a_redeemed_token_is_compared_in_its_scope_alone() -> None:
    """The legacy engine kept no more of it, and its token gets the refusal of an answered pause as before."""
    unknown = dict.fromkeys(("run_id", "session_id", "thread_id", "checkpoint_id", "tool_call_id", "request_hash"), "")
    mark = LedgerRow(claims=some_legacy_claims(**unknown, exp=NOW + 9999), status=PauseStatus.ANSWERED)
    mark.require_of(some_legacy_claims())
    mark.require_of(some_legacy_claims(name="approval"))
    for other in (some_legacy_claims(scope_hash="ab" * 8), some_claims()):
        with pytest.raises(TokenRejected):
            mark.require_of(other)


def test_a_row_is_that_of_each_token_of_its_pause() -> None:
    """Audience, recipient and times are no part of the comparison: of two expiries the earlier one holds."""
    claims = some_claims()
    row = LedgerRow(claims=claims, status=PauseStatus.ISSUED)
    for own in (
        replace(claims, audience=Audience.ANSWER, recipient="ada"),
        claims.for_audience(Audience.ANSWER),
        replace(claims, exp=NOW + 9),
    ):
        row.require_of(own)


def _authentic(claims: PauseClaims) -> LiveClaims:
    return LiveClaims(claims)  # type: ignore[arg-type]
