"""An accepted answer reaches the run that waits: at once, or when the sweep finds that it has not."""

import asyncio
import json
from dataclasses import replace

import pytest

from askback.domain.delivery.delivery import MAX_ATTEMPTS, backoff_seconds
from askback.domain.errors import InteractionConfigurationError, StoreUnavailable
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import FIRST_REDELIVERY_SECONDS, PauseStatus
from askback.domain.pause.waiters import Waiter
from askback.domain.resume.eight_steps import DeliveryState
from tests.support.domain_values import an_issued_row
from tests.support.memory_deployment import NOW, InMemoryDeployment
from tests.support.waiting_pauses import (
    CALLBACK,
    FUNCTION,
    LISTENER,
    TASK,
    WAITERS,
    announced,
    outcomes_of,
    row_of,
    watched,
)

ANSWERED_AT = NOW + 60
DOWN = [StoreUnavailable(reason="throttled"), InteractionConfigurationError("not allowed")]


@pytest.mark.parametrize("waiter", WAITERS, ids=lambda waiter: waiter.kind.value)
def test_a_waiter_gets_the_answer_as_soon_as_it_is_accepted(waiter: Waiter) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(waiter=waiter)
    outcome = deployment.resume(minted)
    ((how, text),) = outcomes_of(deployment, waiter)
    assert how == "success"
    assert json.loads(text)["response"] == outcome.response
    assert outcome.delivery is DeliveryState.DELIVERED
    row = row_of(deployment, minted)
    assert (row.status, row.due_at, row.attempts) == (PauseStatus.DELIVERED, None, 1)


def test_nobody_is_told_before_the_answer_is_durable_and_the_row_says_when_it_is_due_again() -> None:
    deployment, waiters = watched()
    minted = deployment.mint(waiter=TASK)
    outcome = deployment.resume(minted)
    (seen,) = waiters.seen
    assert seen.answer is not None
    assert seen.answer.answered_at == outcome.answered_at
    assert (seen.status, seen.attempts) == (PauseStatus.ANSWERED, 1)
    assert seen.due_at == ANSWERED_AT + FIRST_REDELIVERY_SECONDS


def test_a_run_that_had_ended_at_the_first_attempt_leaves_the_answer_undeliverable_and_kept() -> None:
    """A-21: it ended between the heartbeat and the delivery."""
    deployment, waiters = watched()
    waiters.ended.add(TASK.address)
    minted = deployment.mint(waiter=TASK)
    outcome = deployment.resume(minted)
    assert outcome.delivery is DeliveryState.UNDELIVERABLE
    row = row_of(deployment, minted)
    assert (row.status, row.due_at) == (PauseStatus.UNDELIVERABLE, None)
    assert row.answer is not None
    assert announced(deployment)[1:] == [PauseEventType.ANSWERED, PauseEventType.UNDELIVERABLE]


def test_a_run_that_ends_while_nothing_can_reach_it_leaves_the_answer_undeliverable() -> None:
    """What is known to have done nothing cannot have told the run."""
    deployment, waiters = watched()
    waiters.error = StoreUnavailable(reason="throttled")
    waiters.error.did_nothing = True
    minted = deployment.mint(waiter=TASK)
    assert deployment.resume(minted).delivery is DeliveryState.PENDING
    assert deployment.sweep(at=ANSWERED_AT + 60).done == {"DeliveryRetried": 1}
    waiters.error = None
    waiters.ended.add(TASK.address)
    assert deployment.sweep(at=ANSWERED_AT + 600).done == {"Undeliverable": 1}
    row = row_of(deployment, minted)
    assert (row.status, row.attempts, row.may_have_landed) == (PauseStatus.UNDELIVERABLE, 3, False)


def test_a_run_that_is_closed_at_a_later_attempt_took_an_earlier_one_whose_reply_was_lost() -> None:
    deployment, waiters = watched()
    waiters.error = StoreUnavailable(reason="the reply was lost")
    minted = deployment.mint(waiter=TASK)
    assert deployment.resume(minted).delivery is DeliveryState.PENDING
    waiters.error = None
    waiters.ended.add(TASK.address)
    assert deployment.sweep(at=ANSWERED_AT + 60).done == {"Delivered": 1}
    assert row_of(deployment, minted).status is PauseStatus.DELIVERED


@pytest.mark.parametrize("error", DOWN, ids=lambda error: type(error).__name__)
def test_a_waiter_that_cannot_be_reached_leaves_the_row_due_and_the_answer_accepted(error: Exception) -> None:
    deployment, waiters = watched()
    waiters.error = error
    minted = deployment.mint(waiter=CALLBACK)
    outcome = deployment.resume(minted)
    assert (outcome.delivery, outcome.replayed) == (DeliveryState.PENDING, False)
    row = row_of(deployment, minted)
    assert (row.status, row.due_at, row.attempts) == (PauseStatus.ANSWERED, ANSWERED_AT + 60, 1)
    assert announced(deployment) == [PauseEventType.ISSUED, PauseEventType.ANSWERED]


def test_the_sweep_delivers_what_the_resume_could_not_and_it_is_the_same_text() -> None:
    deployment, waiters = watched()
    waiters.patient.add(FUNCTION.address)
    minted = deployment.mint(waiter=FUNCTION)
    deployment.resume(minted)
    # As if the process had died right after the delivery.
    settled = row_of(deployment, minted)
    deployment.ledger.rows[minted.claims.jti] = replace(settled, status=PauseStatus.ANSWERED, due_at=ANSWERED_AT + 60)
    assert deployment.sweep(at=ANSWERED_AT + 60).done == {"Delivered": 1}
    first, second = outcomes_of(deployment, FUNCTION)
    assert first == second


@pytest.mark.parametrize(
    ("attempts", "shortest", "longest"),
    [(1, 15, 30), (2, 30, 60), (3, 60, 120), (7, 960, 1920), (8, 1800, 3600), (9, 1800, 3600), (15, 1800, 3600)],
)
def test_the_wait_doubles_from_half_a_minute_to_an_hour_and_half_of_it_is_random(
    attempts: int, shortest: int, longest: int
) -> None:
    assert backoff_seconds(attempts, 0.0) == shortest
    assert backoff_seconds(attempts, 1.0) == longest
    assert shortest < backoff_seconds(attempts, 0.5) < longest


@pytest.mark.parametrize(("jitter", "hours"), [(0.0, 5.0), (1.0, 10.0)])
def test_after_sixteen_attempts_the_pause_is_undeliverable(jitter: float, hours: float) -> None:
    deployment, waiters = watched(jitter=jitter)
    waiters.error = StoreUnavailable(reason="down for good")
    minted = deployment.mint(waiter=TASK)
    deployment.resume(minted)
    waits = []
    while (due_at := row_of(deployment, minted).due_at) is not None:
        deployment.sweep(at=due_at)
        row = row_of(deployment, minted)
        if row.due_at is not None:
            assert deployment.sweep(at=row.due_at - 1).done == {}
            waits.append((row.attempts, row.due_at - due_at))
    assert waits == [(number, backoff_seconds(number, jitter)) for number in range(2, MAX_ATTEMPTS + 1)]
    assert len(waiters.seen) == MAX_ATTEMPTS == 16
    assert hours * 0.8 <= sum(wait for _, wait in waits) / 3600 <= hours * 1.2
    row = row_of(deployment, minted)
    assert (row.status, row.attempts) == (PauseStatus.UNDELIVERABLE, 16)
    assert row.answer is not None
    assert announced(deployment)[-1] is PauseEventType.UNDELIVERABLE


def test_each_attempt_begins_in_the_row_before_it_is_made() -> None:
    deployment, waiters = watched()
    waiters.error = StoreUnavailable()
    deployment.resume(deployment.mint(waiter=TASK))
    for at in (ANSWERED_AT + 60, ANSWERED_AT + 200):
        deployment.sweep(at=at)
        assert waiters.seen[-1].due_at == at + backoff_seconds(waiters.seen[-1].attempts, 1.0)
    assert [row.attempts for row in waiters.seen] == [1, 2, 3]


def test_what_becomes_of_a_pause_is_announced_in_the_order_it_happens() -> None:
    deployment = InMemoryDeployment()
    deployment.resume(deployment.mint(waiter=TASK))
    kinds = announced(deployment)
    assert kinds[0] is PauseEventType.ISSUED
    assert sorted(kinds[1:]) == [PauseEventType.ANSWERED, PauseEventType.DELIVERED]


def test_a_pause_without_a_waiter_is_announced_and_stays_answered() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    assert deployment.resume(minted).delivery is DeliveryState.NONE
    row = row_of(deployment, minted)
    assert (row.status, row.due_at, row.attempts) == (PauseStatus.ANSWERED, None, 0)
    assert announced(deployment) == [PauseEventType.ISSUED, PauseEventType.ANSWERED]


def test_an_event_consumer_gets_its_delivery_and_no_second_announcement_of_the_same() -> None:
    deployment = InMemoryDeployment()
    answered = deployment.mint(waiter=LISTENER)
    deployment.resume(answered)
    assert announced(deployment) == [PauseEventType.ISSUED, PauseEventType.DELIVERED]
    assert len(outcomes_of(deployment, LISTENER)) == 1

    expired = InMemoryDeployment()
    expired.mint(waiter=LISTENER)
    expired.sweep(at=NOW + 3600)
    assert announced(expired) == [PauseEventType.ISSUED]
    assert [how for how, _ in outcomes_of(expired, LISTENER)] == ["failure"]


def test_an_announcement_that_gets_lost_changes_nothing() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(waiter=TASK)
    deployment.events.down = True
    assert deployment.resume(minted).delivery is DeliveryState.DELIVERED
    assert row_of(deployment, minted).status is PauseStatus.DELIVERED


def test_a_settled_row_is_delivered_to_no_waiter_again() -> None:
    deployment, waiters = watched()
    minted = deployment.mint(waiter=TASK)
    deployment.resume(minted)
    assert asyncio.run(deployment.delivery.retry(row_of(deployment, minted), at=NOW + 999)).row.attempts == 1
    assert deployment.sweep(at=NOW + 99_999).done == {}
    assert len(waiters.seen) == 1


def test_an_open_pause_has_no_outcome_to_hand_over() -> None:
    """Asking for it is a fault of the caller's code, never a refusal."""
    deployment = InMemoryDeployment()
    with pytest.raises(RuntimeError):
        asyncio.run(deployment.delivery.hand_over(an_issued_row(waiter=TASK), TASK))
    assert not outcomes_of(deployment)
