"""Reading how a pause ended: as often as one likes, by its own backend, with an expired token too."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.errors import (
    CallMismatch,
    HumanInteractionError,
    NotAnswered,
    OutcomeUnreadable,
    PauseExpired,
    PauseRevoked,
    PayloadMissing,
    RunMismatch,
    ScopeMismatch,
    SessionMismatch,
    TokenRejected,
    TurnMissing,
    UnknownPause,
)
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.scope import Scope
from askback.domain.resume.eight_steps import DeliveryState
from askback.domain.tokens.scope_binder import Redeemer
from tests.support.memory_deployment import NOW, SCOPE, InMemoryDeployment
from tests.support.waiting_pauses import TASK, PartlyUnreadableLedger, row_of


def _answered(**over: Any) -> tuple[InMemoryDeployment, MintedPause]:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**over)
    deployment.resume(minted)
    return deployment, minted


def test_the_outcome_is_what_the_resume_gave_marked_as_read_again() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    given = deployment.resume(minted)
    read = deployment.outcome(minted)
    assert read == replace(given, replayed=True)
    assert read.turn is not None
    assert deployment.outcome(minted) == read


def test_reading_consumes_nothing_and_announces_nothing() -> None:
    deployment, minted = _answered(waiter=TASK)
    before = row_of(deployment, minted), list(deployment.events.events), dict(deployment.waiters.outcomes)
    deployment.outcome(minted)
    assert (row_of(deployment, minted), deployment.events.events, deployment.waiters.outcomes) == before


@pytest.mark.parametrize("at", [NOW + 3599, NOW + 3600, NOW + 30 * 24 * 3600])
def test_an_expired_token_still_reads_what_was_answered_in_time(at: int) -> None:
    deployment, minted = _answered()
    assert deployment.outcome(minted, at=at).answered_at == NOW + 60


def _refused(
    error: type[HumanInteractionError], deployment: InMemoryDeployment, minted: MintedPause, **over: Any
) -> None:
    with pytest.raises(error):
        deployment.outcome(minted, **over)


def test_an_open_pause_is_not_answered_yet_and_may_be_asked_again() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    _refused(NotAnswered, deployment, minted)
    # Until the sweep has come by, nobody knows how it will have ended.
    _refused(NotAnswered, deployment, minted, at=NOW + 3660)
    assert NotAnswered.retryable


def test_a_pause_that_ended_without_an_answer_says_how() -> None:
    deployment = InMemoryDeployment()
    expired, revoked = (deployment.mint(tool_call_id=call) for call in ("c1", "c2"))
    deployment.ledger.revoke(revoked.claims.jti)
    deployment.sweep(at=NOW + 3600)
    _refused(PauseExpired, deployment, expired)
    _refused(PauseRevoked, deployment, revoked)


def test_a_pause_that_is_not_recorded_is_unknown() -> None:
    deployment, minted = _answered()
    deployment.ledger.rows.clear()
    _refused(UnknownPause, deployment, minted)


@pytest.mark.parametrize(
    ("redeemer", "error"),
    [
        ({"scope": Scope(tenant_id="globex")}, ScopeMismatch),
        ({"scope": Scope(tenant_id="acme", sub_tenant_id="eu")}, ScopeMismatch),
        ({"session_id": "sess-2"}, SessionMismatch),
        ({"run_id": "run-2"}, RunMismatch),
        ({"tool_call_id": "call_2"}, CallMismatch),
    ],
)
def test_an_outcome_is_read_from_its_own_place_only(
    redeemer: dict[str, Any], error: type[HumanInteractionError]
) -> None:
    deployment, minted = _answered()
    _refused(error, deployment, minted, **redeemer)


def test_an_answer_token_reads_no_outcome() -> None:
    """It is in the hands of a person, and the turn is not theirs."""
    deployment, minted = _answered()
    with pytest.raises(TokenRejected):
        asyncio.run(deployment.outcomes.read(minted.tokens.answer, Redeemer(scope=SCOPE), at=NOW + 120))


@pytest.mark.parametrize("token", ["", "a.b.c", "x" * 20_000])
def test_a_token_that_is_not_ours_reads_nothing(token: str) -> None:
    deployment, _ = _answered()
    with pytest.raises(TokenRejected):
        asyncio.run(deployment.outcomes.read(token, Redeemer(scope=SCOPE), at=NOW + 120))


def test_a_token_from_the_future_reads_nothing() -> None:
    deployment, minted = _answered()
    _refused(TokenRejected, deployment, minted, at=NOW - 61)


@pytest.mark.parametrize(
    ("waiter", "state"), [(None, DeliveryState.NONE), (TASK, DeliveryState.DELIVERED)], ids=["nobody", "a task"]
)
def test_the_outcome_says_whether_the_run_has_it(waiter: Any, state: DeliveryState) -> None:
    deployment, minted = _answered(waiter=waiter)
    assert deployment.outcome(minted).delivery is state


@pytest.mark.parametrize("status", [PauseStatus.ANSWERED, PauseStatus.UNDELIVERABLE])
def test_an_answer_that_has_not_arrived_can_be_read_all_the_same(status: PauseStatus) -> None:
    deployment, minted = _answered(waiter=TASK)
    deployment.ledger.rows[minted.claims.jti] = replace(row_of(deployment, minted), status=status)
    expected = DeliveryState.PENDING if status is PauseStatus.ANSWERED else DeliveryState.UNDELIVERABLE
    assert deployment.outcome(minted).delivery is expected


@pytest.mark.parametrize("error", [LookupError("gone"), ValueError("damaged")], ids=repr)
def test_an_answer_whose_body_is_gone_or_damaged_has_its_own_refusal(error: Exception) -> None:
    ledger = PartlyUnreadableLedger()
    deployment = InMemoryDeployment(ledger=ledger)
    minted = deployment.mint()
    deployment.resume(minted)
    ledger.lost[minted.claims.jti] = error
    _refused(OutcomeUnreadable, deployment, minted)


def test_a_request_or_a_turn_that_is_gone_is_told_as_in_a_resume() -> None:
    deployment, minted = _answered()
    texts = deployment.checkpoints.texts
    (turn,) = [key for key in texts if key[2].startswith("turn_state:")]
    kept = texts.pop(turn)
    _refused(TurnMissing, deployment, minted)
    texts.clear()
    texts[turn] = kept
    _refused(PayloadMissing, deployment, minted)


def test_a_pause_without_a_turn_has_an_outcome_without_one() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(messages=None, idempotency_key="k")
    deployment.resume(minted, require_turn=False)
    assert deployment.outcome(minted).turn is None
