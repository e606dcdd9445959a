"""From where, with which token and until when a pause is answered."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.errors import (
    AnswererNotAllowed,
    AnswerInvalid,
    HumanInteractionError,
    PauseExpired,
    PauseRevoked,
    ScopeMismatch,
    StoreUnavailable,
    TokenRejected,
    UnknownPause,
)
from askback.domain.pause.audit import CrossScopeRedemption
from askback.domain.pause.claims import Audience
from askback.domain.pause.scope import Scope
from askback.domain.tokens.scope_binder import Redeemer
from askback.testing.memory_ports import InMemoryAuditTrail
from tests.support.memory_deployment import NOW, SCOPE, InMemoryDeployment
from tests.support.own_interactions import a_deployment, approval

HEADQUARTERS = Redeemer(scope=Scope(tenant_id="headquarters"), session_id="sess-1", run_id="run-1")
APPROVAL: dict[str, Any] = {"name": "approval_required", "payload": {"amount": 136.0}}
YES = {"approved": True}


def test_another_scope_is_refused_and_leaves_no_audit_record() -> None:
    deployment = a_deployment()
    minted = deployment.mint(**APPROVAL)
    with pytest.raises(ScopeMismatch):
        deployment.resume(minted, response=YES, redeemer=HEADQUARTERS)
    assert not deployment.audit.events
    assert not deployment.resume(minted, response=YES).cross_scope
    assert not deployment.audit.events


def test_a_permitted_redemption_from_another_scope_is_always_audited() -> None:
    deployment = a_deployment(approval(allow_cross_scope=True))
    minted = deployment.mint(**APPROVAL)
    outcome = deployment.resume(minted, response=YES, redeemer=HEADQUARTERS)
    assert outcome.cross_scope
    assert HEADQUARTERS.scope is not None
    assert deployment.audit.events == [
        CrossScopeRedemption(
            jti=minted.claims.jti,
            name="approval_required",
            issued_scope_hash=SCOPE.digest(),
            redeemed_scope_hash=HEADQUARTERS.scope.digest(),
            redeemed_by="ada",
            at=NOW + 60,
        )
    ]
    answer = deployment.ledger.rows[minted.claims.jti].answer
    assert answer is not None
    assert answer.redeemed_scope_hash == HEADQUARTERS.scope.digest()


def test_an_attempt_across_scopes_is_audited_although_the_answer_was_wrong() -> None:
    deployment = a_deployment(approval(allow_cross_scope=True))
    minted = deployment.mint(**APPROVAL)
    with pytest.raises(AnswerInvalid):
        deployment.resume(minted, response=None, redeemer=HEADQUARTERS)
    assert len(deployment.audit.events) == 1


class _LostTrail(InMemoryAuditTrail):
    async def record(self, event: CrossScopeRedemption) -> None:
        raise StoreUnavailable


def test_a_redemption_that_cannot_be_audited_does_not_go_on() -> None:
    deployment = a_deployment(approval(allow_cross_scope=True), audit=_LostTrail())
    minted = deployment.mint(**APPROVAL)
    with pytest.raises(StoreUnavailable):
        deployment.resume(minted, response=YES, redeemer=HEADQUARTERS)
    assert deployment.resume(minted, response=YES).replayed is False


def test_an_answer_token_is_refused_where_only_a_backend_resumes_and_stays_good() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    answer = minted.tokens.answer
    with pytest.raises(TokenRejected):
        deployment.resume(minted, token=answer)
    with pytest.raises(TokenRejected):
        deployment.resume(minted, audiences=frozenset({Audience.ANSWER}))
    assert not deployment.resume(minted, token=answer, audiences=frozenset({Audience.ANSWER})).replayed


def test_the_two_tokens_of_a_pause_are_used_up_together() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    deployment.resume(minted, token=minted.tokens.answer, audiences=frozenset(Audience))
    assert deployment.resume(minted, attempt_id="later").replayed


def test_the_holder_of_a_link_may_answer_only_what_allows_it() -> None:
    link = Redeemer(scope=None)
    deployment = a_deployment(approval(), approval(name="by_link", allow_link=True))
    signed_in, open_to_links = (
        deployment.mint(**{**APPROVAL, "name": name, "tool_call_id": name}) for name in ("approval_required", "by_link")
    )
    with pytest.raises(AnswererNotAllowed):
        deployment.resume(signed_in, response=YES, redeemer=link)
    outcome = deployment.resume(open_to_links, response=YES, redeemer=link)
    assert not outcome.cross_scope
    answer = deployment.ledger.rows[outcome.jti].answer
    assert answer is not None
    assert answer.redeemed_scope_hash == SCOPE.digest()


@pytest.mark.parametrize(("waited", "told"), [(0, 0.0), (1, 1.0), (3599, 3599.0), (-1, 0.0), (-60, 0.0)])
def test_the_time_to_resolve_is_never_negative(waited: int, told: float) -> None:
    """A-50: the minting clock may run ahead of ours."""
    deployment = InMemoryDeployment()
    outcome = deployment.resume(deployment.mint(), at=NOW + waited)
    assert outcome.time_to_resolve_seconds == told
    assert isinstance(outcome.time_to_resolve_seconds, float)


@pytest.mark.parametrize(("late", "error"), [(3600, PauseExpired), (3601, PauseExpired), (4200, PauseExpired)])
def test_an_expired_pause_takes_no_answer(late: int, error: type[HumanInteractionError]) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    with pytest.raises(error):
        deployment.resume(minted, at=NOW + late)
    with pytest.raises(error):
        asyncio.run(deployment.resuming.question(minted.tokens.answer, at=NOW + late))


@pytest.mark.parametrize("token_exp", [NOW + 30, NOW + 7200])
def test_the_earlier_of_the_tokens_and_the_rows_expiry_wins(token_exp: int) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    claims = replace(minted.claims, exp=token_exp)
    token = deployment.sign(claims.to_mapping())
    with pytest.raises(PauseExpired):
        deployment.resume(minted, token=token, at=min(token_exp, NOW + 3600))
    assert deployment.ledger.rows[claims.jti].answer is None


def test_a_revoked_pause_says_so_and_stays_revoked() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    deployment.ledger.revoke(minted.claims.jti)
    for _ in range(2):
        with pytest.raises(PauseRevoked):
            deployment.resume(minted)


def test_a_pause_whose_row_is_gone_is_unknown_and_no_row_appears() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    deployment.ledger.rows.clear()
    with pytest.raises(UnknownPause):
        deployment.resume(minted)
    assert not deployment.ledger.rows
