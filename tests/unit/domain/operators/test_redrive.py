"""An operator has an undeliverable pause delivered once more, and what was told before is not forgotten."""

import asyncio
from typing import Any

import pytest

from askback.domain.delivery.delivery import MAX_ATTEMPTS
from askback.domain.errors import NotRedrivable, StoreUnavailable
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import LedgerRow, PauseStatus, RowChange
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.memory_deployment import NOW, InMemoryDeployment
from tests.support.waiting_pauses import TASK, announced, outcomes_of, row_of, watched

LATER = NOW + 100


def redrive(deployment: InMemoryDeployment, minted: MintedPause, *, at: int) -> LedgerRow:
    return asyncio.run(deployment.inbox.redrive(minted.claims.jti, at=at))


def _given_up(*, lost: bool) -> tuple[InMemoryDeployment, Any, MintedPause, int]:
    """Let every attempt fail, some of them with a `lost` reply; return the time too."""
    deployment, waiters = watched()
    waiters.error = StoreUnavailable(reason="down")
    waiters.error.did_nothing = not lost
    minted = deployment.mint(waiter=TASK)
    deployment.resume(minted, require_turn=False)
    at = NOW + 60
    for _ in range(MAX_ATTEMPTS):
        at += 4000
        deployment.sweep(at=at)
    waiters.error = None
    assert row_of(deployment, minted).status is PauseStatus.UNDELIVERABLE
    return deployment, waiters, minted, at


@pytest.mark.parametrize("lost", [True, False])
def test_an_undeliverable_pause_is_delivered_once_more_at_the_next_sweep(lost: bool) -> None:
    deployment, _, minted, at = _given_up(lost=lost)
    row = redrive(deployment, minted, at=at + 5)
    assert row == row_of(deployment, minted)
    assert (row.status, row.due_at, row.attempts, row.may_have_landed) == (PauseStatus.ANSWERED, at + 5, 0, lost)
    assert not outcomes_of(deployment)
    assert deployment.sweep(at=at + 9).done == {"Delivered": 1}
    assert [how for how, _ in outcomes_of(deployment)] == ["success"]


def test_a_redriven_pause_has_its_attempts_anew_and_can_be_given_up_again() -> None:
    deployment, waiters, minted, at = _given_up(lost=False)
    waiters.error = StoreUnavailable(reason="down")
    waiters.error.did_nothing = True
    redrive(deployment, minted, at=at)
    for _ in range(MAX_ATTEMPTS):
        assert deployment.sweep(at=at).done == {"DeliveryRetried": 1}
        at += 4000
    assert deployment.sweep(at=at).done == {"Undeliverable": 1}
    assert redrive(deployment, minted, at=at).status is PauseStatus.ANSWERED


@pytest.mark.parametrize("how", ["expired", "revoked"])
def test_an_end_that_no_attempt_could_tell_is_shown_to_the_operator_and_can_be_redriven(how: str) -> None:
    """D-50: the status stays; the metric, the event and the row say that the run was not told."""
    deployment, waiters = watched()
    waiters.error = StoreUnavailable(reason="down")
    minted = deployment.mint(waiter=TASK)
    at = NOW + 3600
    if how == "revoked":
        at = NOW + 60
        asyncio.run(deployment.inbox.revoke(minted.claims.jti, by="olga", at=at))
    for _ in range(MAX_ATTEMPTS):
        assert deployment.sweep(at=at).done["DeliveryRetried"] == 1
        with pytest.raises(NotRedrivable):
            redrive(deployment, minted, at=at)
        at += 4000
    report = deployment.sweep(at=at)
    assert report.done == {"Undeliverable": 1}
    assert announced(deployment)[-1] is PauseEventType.UNDELIVERABLE
    row = row_of(deployment, minted)
    assert (row.status.value, row.due_at, row.given_up) == (how, None, True)

    waiters.error = None
    row = redrive(deployment, minted, at=at + 5)
    assert row == row_of(deployment, minted)
    assert (row.status.value, row.due_at, row.attempts, row.given_up) == (how, at + 5, 0, False)
    with pytest.raises(NotRedrivable):
        redrive(deployment, minted, at=at + 6)
    settled = "ExpirySettled" if how == "expired" else "RevocationSettled"
    assert deployment.sweep(at=at + 9).done == {settled: 1}
    assert [how for how, _ in outcomes_of(deployment)] == ["failure"]
    with pytest.raises(NotRedrivable):
        redrive(deployment, minted, at=at + 10)


def test_an_end_whose_run_had_ended_by_itself_needs_nothing_of_an_operator() -> None:
    """D-50: that run was stopped; there is nothing to tell it."""
    deployment, waiters = watched()
    waiters.ended.add(TASK.address)
    minted = deployment.mint(waiter=TASK)
    assert deployment.sweep(at=NOW + 3600).done == {"Expired": 1, "ExpirySettled": 1}
    assert not row_of(deployment, minted).redrivable


def test_a_run_that_ended_without_its_answer_is_undeliverable_again_and_never_called_told() -> None:
    """Nothing ever reached it, neither before nor after the redrive."""
    deployment, waiters, minted, at = _given_up(lost=False)
    waiters.ended.add(TASK.address)
    redrive(deployment, minted, at=at)
    assert deployment.sweep(at=at).done == {"Undeliverable": 1}
    redrive(deployment, minted, at=at + 9)
    assert deployment.sweep(at=at + 9).done == {"Undeliverable": 1}


def test_a_run_that_had_ended_before_the_very_first_attempt_is_not_called_told_after_a_redrive() -> None:
    deployment, waiters = watched()
    minted = deployment.mint(waiter=TASK)
    waiters.ended.add(TASK.address)
    deployment.resume(minted, require_turn=False)
    assert row_of(deployment, minted).status is PauseStatus.UNDELIVERABLE
    redrive(deployment, minted, at=LATER)
    assert deployment.sweep(at=LATER).done == {"Undeliverable": 1}


def test_a_run_that_may_have_been_told_before_counts_as_told_when_it_is_found_closed() -> None:
    deployment, waiters, minted, at = _given_up(lost=True)
    waiters.ended.add(TASK.address)
    redrive(deployment, minted, at=at)
    assert deployment.sweep(at=at).done == {"Delivered": 1}


@pytest.mark.parametrize("over", [{}, {"waiter": TASK}], ids=["nobody waits", "delivered"])
def test_a_pause_that_is_not_undeliverable_is_not_delivered_again(over: dict[str, Any]) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**over)
    for _ in range(2):
        before = row_of(deployment, minted)
        with pytest.raises(NotRedrivable) as refused:
            redrive(deployment, minted, at=LATER)
        assert before.status.value in refused.value.detail
        assert row_of(deployment, minted) == before
        if before.status is PauseStatus.ISSUED:
            deployment.resume(minted, require_turn=False)


class OvertakenLedger(InMemoryLedger):
    """A ledger where another request redrives first, and then something may happen."""

    def __init__(self, *, then: RowChange | None) -> None:
        super().__init__()
        self.then = then

    async def redrive(self, seen: LedgerRow, *, at: int) -> bool:
        row = seen.redriven(at=at - 1)
        self.rows[seen.claims.jti] = row if self.then is None else self.then.applied_to(row)
        return await super().redrive(seen, at=at)


@pytest.mark.parametrize("ended", [None, PauseStatus.DELIVERED])
def test_a_redrive_that_another_one_overtook_is_done_while_it_is_under_way(ended: PauseStatus | None) -> None:
    ledger = OvertakenLedger(then=None if ended is None else RowChange(due_at=None, status=ended))
    deployment, waiters = watched(ledger)
    minted = deployment.mint(waiter=TASK)
    waiters.ended.add(TASK.address)
    deployment.resume(minted, require_turn=False)
    if ended is None:
        assert redrive(deployment, minted, at=LATER).due_at == LATER - 1
    else:
        with pytest.raises(NotRedrivable):
            redrive(deployment, minted, at=LATER)
