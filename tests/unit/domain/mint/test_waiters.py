"""A pause that somebody waits for is durable or is not at all, and a retry's waiter is the one who waits."""

import json
from typing import Any

import pytest

from askback.domain.errors import (
    HumanInteractionError,
    InteractionConfigurationError,
    InvalidRequest,
    OutcomeUnreadable,
    PauseConflict,
    StoreUnavailable,
)
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.scope import Scope
from tests.support.failing_stores import PartlyFailingCheckpoints
from tests.support.memory_deployment import NOW, REFUND, InMemoryDeployment, a_binding, an_answer
from tests.support.own_interactions import a_registry
from tests.support.waiting_pauses import (
    CALLBACK,
    LISTENER,
    NEXT_TASK,
    TASK,
    PartlyUnreadableLedger,
    announced,
    outcomes_of,
    row_of,
)

KEYED: dict[str, Any] = {"idempotency_key": "execution-7", "messages": None}
OTHER_QUESTION = {"questions": [{**REFUND["questions"][0], "question": "Refund 4990 EUR?"}]}


@pytest.mark.parametrize("kind", ["ask_user_request", "turn_state"])
@pytest.mark.parametrize(
    "error", [StoreUnavailable(), InteractionConfigurationError("no permission")], ids=lambda e: type(e).__name__
)
def test_with_a_waiter_a_record_that_cannot_be_written_means_no_pause_and_no_token(
    kind: str, error: HumanInteractionError
) -> None:
    checkpoints = PartlyFailingCheckpoints()
    checkpoints.write_errors[kind] = error
    deployment = InMemoryDeployment(checkpoints=checkpoints)
    with pytest.raises(StoreUnavailable):
        deployment.mint(waiter=TASK)
    assert not deployment.ledger.rows
    assert not announced(deployment)
    checkpoints.write_errors.clear()
    assert deployment.mint(waiter=TASK).status is PauseStatus.ISSUED


def test_with_a_waiter_and_no_messages_there_is_no_turn_that_could_fail() -> None:
    checkpoints = PartlyFailingCheckpoints()
    checkpoints.write_errors["turn_state"] = StoreUnavailable()
    minted = InMemoryDeployment(checkpoints=checkpoints).mint(**KEYED, waiter=TASK)
    assert (minted.recorded, minted.resumable) == (True, False)


def test_no_token_leaves_before_its_pause_is_announced() -> None:
    deployment = InMemoryDeployment()
    deployment.events.down = True
    with pytest.raises(StoreUnavailable):
        deployment.mint(**KEYED, waiter=TASK)
    deployment.events.down = False
    deployment.mint(**KEYED, waiter=TASK)
    assert announced(deployment) == [PauseEventType.ISSUED]
    assert len(deployment.ledger.rows) == 1


def test_the_same_key_is_the_same_pause_with_the_same_tokens() -> None:
    deployment = InMemoryDeployment()
    first = deployment.mint(**KEYED)
    again = deployment.mint(**KEYED, at=NOW + 60, ttl_seconds=7200)
    assert again == first
    assert again.claims.exp == NOW + 3600
    assert len(deployment.ledger.rows) == 1


def test_a_named_interrupt_that_only_a_key_names_is_found_again_and_is_no_other_key_s() -> None:
    numbers = iter(range(10))
    deployment = InMemoryDeployment(registry=a_registry(), new_interrupt_id=lambda: f"i-{next(numbers):012x}")
    asked = {
        "name": "approval_required",
        "payload": {"action": "wire"},
        "tool_call_id": "",
        "binding": a_binding(checkpoint_id="c"),
    }
    first = deployment.mint(**asked, idempotency_key="one")
    assert deployment.mint(**asked, idempotency_key="one", at=NOW + 5) == first
    other = deployment.mint(**asked, idempotency_key="two")
    assert other.claims.interrupt_id != first.claims.interrupt_id
    drawn = [deployment.mint(**asked).claims.interrupt_id for _ in range(2)]
    assert drawn == ["i-000000000000", "i-000000000001"]


def test_a_key_stands_in_for_a_checkpoint_with_messages_too() -> None:
    deployment = InMemoryDeployment()
    first = deployment.mint(idempotency_key="k")
    assert deployment.mint(idempotency_key="k", at=NOW + 5) == first
    assert len(deployment.checkpoints.texts) == 2
    assert deployment.resume(first).turn is not None


@pytest.mark.parametrize(
    "over",
    [
        {"payload": OTHER_QUESTION},
        {"tool_call_id": "call_2"},
        {"binding": a_binding(run_id="run-2")},
        {"binding": a_binding(session_id="sess-2")},
        {"binding": a_binding(checkpoint_id="mine")},
    ],
    ids=["payload", "call", "run", "session", "checkpoint"],
)
def test_another_request_under_the_same_key_is_a_conflict_and_the_first_stands(over: dict[str, Any]) -> None:
    deployment = InMemoryDeployment()
    first = deployment.mint(**KEYED, waiter=TASK)
    before = dict(deployment.ledger.rows)
    with pytest.raises(PauseConflict):
        deployment.mint(**{**KEYED, "waiter": NEXT_TASK, **over})
    assert deployment.ledger.rows == before
    assert row_of(deployment, first).waiter == TASK


def test_the_same_key_in_another_scope_names_another_pause() -> None:
    deployment = InMemoryDeployment()
    first = deployment.mint(**KEYED)
    other = deployment.mint(**KEYED, binding=a_binding(scope=Scope(tenant_id="globex")))
    sub = deployment.mint(**KEYED, binding=a_binding(scope=Scope(tenant_id="acme", sub_tenant_id="eu")))
    assert len({minted.claims.jti for minted in (first, other, sub)}) == 3
    assert len({minted.claims.checkpoint_id for minted in (first, other, sub)}) == 3


def test_two_keys_name_two_pauses_of_the_same_question() -> None:
    deployment = InMemoryDeployment()
    first, second = (deployment.mint(idempotency_key=key, messages=None) for key in ("a", "b"))
    assert first.claims.jti != second.claims.jti
    assert not deployment.resume(first, require_turn=False).replayed
    assert not deployment.resume(second, require_turn=False).replayed


@pytest.mark.parametrize("key", ["", "k" * 257, "\x00", "\ud83d"])
def test_a_key_has_1_to_256_bytes(key: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        InMemoryDeployment().mint(idempotency_key=key)
    assert [error.field for error in refused.value.errors] == ["idempotency_key"]
    assert InMemoryDeployment().mint(idempotency_key="k" * 256).recorded


def test_without_messages_a_checkpoint_or_a_key_nothing_says_which_pause_it_is() -> None:
    with pytest.raises(InvalidRequest, match="idempotency_key"):
        InMemoryDeployment().mint(messages=None)


def test_a_retry_with_a_new_task_token_replaces_the_waiter_and_only_the_new_one_is_told() -> None:
    deployment = InMemoryDeployment()
    first = deployment.mint(**KEYED, waiter=TASK)
    deployment.waiters.closed.add(TASK.address)
    again = deployment.mint(**KEYED, waiter=NEXT_TASK, at=NOW + 5)
    assert again.tokens == first.tokens
    row = row_of(deployment, first)
    assert (row.waiter, row.due_at) == (NEXT_TASK, first.claims.exp)
    deployment.resume(first, require_turn=False)
    assert not outcomes_of(deployment, TASK)
    assert len(outcomes_of(deployment, NEXT_TASK)) == 1


@pytest.mark.parametrize("waiter", [CALLBACK, LISTENER], ids=["callback", "event"])
def test_a_pause_without_a_waiter_gets_one_by_a_retry(waiter: Any) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**KEYED)
    deployment.mint(**KEYED, waiter=waiter)
    deployment.resume(minted, require_turn=False)
    assert len(outcomes_of(deployment, waiter)) == 1
    assert row_of(deployment, minted).status is PauseStatus.DELIVERED


def test_a_retry_without_a_waiter_leaves_the_waiter_in_place() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**KEYED, waiter=TASK)
    deployment.mint(**KEYED)
    assert row_of(deployment, minted).waiter == TASK


def test_a_waiter_that_comes_after_the_answer_gets_the_same_outcome_at_once() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**KEYED, waiter=TASK)
    deployment.resume(minted, require_turn=False, response=an_answer(minted, "Reject"))
    before = row_of(deployment, minted)
    late = deployment.mint(**KEYED, waiter=NEXT_TASK, at=NOW + 99)
    assert late.status is PauseStatus.DELIVERED
    assert outcomes_of(deployment, NEXT_TASK) == outcomes_of(deployment, TASK)
    assert row_of(deployment, minted) == before
    assert announced(deployment).count(PauseEventType.ISSUED) == 1


def test_a_waiter_that_comes_after_the_expiry_gets_it_at_once() -> None:
    deployment = InMemoryDeployment()
    deployment.mint(**KEYED, waiter=TASK)
    deployment.sweep(at=NOW + 3600)
    assert deployment.mint(**KEYED, waiter=NEXT_TASK, at=NOW + 3601).status is PauseStatus.EXPIRED
    ((how, text),) = outcomes_of(deployment, NEXT_TASK)
    assert (how, json.loads(text)["outcome"]) == ("failure", "expired")


def test_a_late_waiter_that_cannot_be_reached_makes_the_retry_come_again() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**KEYED, waiter=TASK)
    deployment.resume(minted, require_turn=False)
    deployment.waiters.down = True
    with pytest.raises(StoreUnavailable):
        deployment.mint(**KEYED, waiter=NEXT_TASK)
    deployment.waiters.down = False
    deployment.mint(**KEYED, waiter=NEXT_TASK)
    assert len(outcomes_of(deployment, NEXT_TASK)) == 1


def test_a_late_waiter_whose_answer_is_gone_makes_the_retry_fail_by_name() -> None:
    ledger = PartlyUnreadableLedger()
    deployment = InMemoryDeployment(ledger=ledger)
    minted = deployment.mint(**KEYED, waiter=TASK)
    deployment.resume(minted, require_turn=False)
    ledger.lost[minted.claims.jti] = LookupError("no such body")
    with pytest.raises(OutcomeUnreadable):
        deployment.mint(**KEYED, waiter=NEXT_TASK)
    assert not outcomes_of(deployment, NEXT_TASK)


def test_a_waiter_that_comes_after_the_revocation_gets_it_at_once() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**KEYED, waiter=TASK)
    deployment.ledger.revoke(minted.claims.jti)
    assert deployment.mint(**KEYED, waiter=NEXT_TASK).status is PauseStatus.REVOKED
    ((how, text),) = outcomes_of(deployment, NEXT_TASK)
    assert (how, json.loads(text)["outcome"]) == ("failure", "revoked")


def test_the_same_waiter_again_is_not_replaced_and_gets_one_outcome() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**KEYED, waiter=TASK)
    deployment.mint(**KEYED, waiter=TASK)
    deployment.resume(minted, require_turn=False)
    deployment.mint(**KEYED, waiter=TASK)
    assert len(outcomes_of(deployment)) == 1


def test_no_token_no_event_and_no_reply_carries_a_waiter() -> None:
    """A-22: only the row knows the address."""
    deployment = InMemoryDeployment()
    minted = deployment.mint(**KEYED, waiter=TASK)
    deployment.resume(minted, require_turn=False)
    said = f"{minted!r} {deployment.events.events!r} {deployment.checkpoints.texts!r} {deployment.ledger.rows!r}"
    assert TASK.address not in said
    assert TASK.address not in repr(deployment.outcome(minted))
