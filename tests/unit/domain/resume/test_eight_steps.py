"""Resuming in eight steps: what is wrong is told in their order, and nothing before the last one uses the token up."""

import asyncio
from itertools import combinations

import pytest

from askback.domain.errors import AnswerInvalid, FieldError, PauseExpired, StoreUnavailable, TokenRejected
from askback.domain.pause.ledger import PauseStatus
from askback.domain.resume.outcome import PausedQuestion
from tests.support.memory_deployment import InMemoryDeployment
from tests.support.own_interactions import a_registry, approval
from tests.support.resume_faults import FAULTS, REVOKED, Fault, Scene


def _named(fault: Fault) -> str:
    return f"{fault.step} {fault.label}"


@pytest.mark.parametrize("fault", FAULTS, ids=_named)
def test_every_failure_before_step_8_leaves_the_token_redeemable(fault: Fault) -> None:
    scene = Scene.of_an_approval()
    rows, texts = dict(scene.deployment.ledger.rows), dict(scene.checkpoints.texts)
    fault.put_into(scene)
    with pytest.raises(fault.error) as refusal:
        scene.attempt()
    assert type(refusal.value) is fault.error
    assert scene.deployment.ledger.rows == rows

    scene.checkpoints.texts = texts
    scene.checkpoints.down = False
    scene.checkpoints.body_errors.clear()
    outcome = scene.deployment.resume(scene.minted, response={"approved": True})
    assert outcome.response == {"approved": True}
    assert not outcome.replayed
    assert outcome.turn is not None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (first, second)
        for first, second in combinations((*FAULTS, REVOKED), 2)
        if first.step != second.step
        and first.error is not second.error
        # Past the expiry the store is asked whether this answer stands (D-62); while it is down, nobody knows.
        and (first.error, second.error) != (PauseExpired, StoreUnavailable)
    ],
    ids=_named,
)
def test_of_two_things_that_are_wrong_the_earlier_step_refuses(first: Fault, second: Fault) -> None:
    scene = Scene.of_an_approval()
    second.put_into(scene)
    first.put_into(scene)
    with pytest.raises(first.error) as refusal:
        scene.attempt()
    assert type(refusal.value) is first.error


def test_the_answer_is_read_by_its_own_schema_before_it_is_compared_with_the_question() -> None:
    """Step 6 has two halves, and both come before the turn."""
    compared: list[object] = []

    def compare(request: object, response: object) -> list[FieldError]:
        compared.append(response)
        return [FieldError("response.approved", "not today")]

    scene = Scene.of_an_approval()
    scene.registry = a_registry(approval(validate_response=compare))
    scene.checkpoints.texts.pop(scene.turn_key)
    scene.response = {"approved": "yes"}
    with pytest.raises(AnswerInvalid, match="wrong form"):
        scene.attempt()
    assert not compared
    scene.response = {"approved": True}
    with pytest.raises(AnswerInvalid) as refusal:
        scene.attempt()
    assert refusal.value.errors == (FieldError("response.approved", "not today"),)
    assert len(compared) == 1


def test_a_forged_token_costs_no_read_at_all() -> None:
    scene = Scene.of_an_approval()
    scene.checkpoints.down = True
    scene.ring = '{"current":"k1","key:k1":"the key of quite another deployment"}'
    with pytest.raises(TokenRejected):
        scene.attempt()


def test_the_claim_is_made_exactly_once_and_keeps_the_answer() -> None:
    scene = Scene.of_an_approval()
    outcome = scene.attempt()
    row = scene.deployment.ledger.rows[outcome.jti]
    assert row.status is PauseStatus.ANSWERED
    assert row.answer is not None
    assert (row.answer.response_text, row.answer.answered_by, row.answer.answered_at) == (
        '{"approved":true}',
        "ada",
        outcome.answered_at,
    )
    assert row.answer.redeemed_scope_hash == scene.minted.claims.scope_hash


def test_the_outcome_says_what_was_asked_answered_and_where() -> None:
    scene = Scene.of_an_approval()
    outcome, claims = scene.attempt(), scene.minted.claims
    for name in (
        "jti",
        "name",
        "thread_id",
        "checkpoint_id",
        "run_id",
        "session_id",
        "tool_call_id",
        "interrupt_id",
    ):
        assert getattr(outcome, name) == getattr(claims, name)
    assert outcome.payload == {"amount": 136.0}
    assert outcome.response == {"approved": True}
    assert (outcome.answered_by, outcome.cross_scope, outcome.replayed) == ("ada", False, False)


def test_showing_a_question_consumes_nothing_however_often() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    for token in (minted.tokens.pause, minted.tokens.answer) * 3:
        shown = asyncio.run(deployment.resuming.question(token, at=minted.claims.exp - 1))
        assert isinstance(shown, PausedQuestion)
        assert shown.payload == minted.payload
        assert (shown.jti, shown.request_hash) == (minted.claims.jti, minted.claims.request_hash)
        assert shown.row is not None
        assert shown.row.status is PauseStatus.ISSUED
    assert not deployment.resume(minted).replayed
