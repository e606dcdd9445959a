"""The end of an execution revokes its open pauses, and no pause for which a run still waits or will wait again."""

import asyncio
from typing import Any

import pytest

from askback.domain.delivery.ended import REASON, EndedRun
from askback.domain.errors import StoreUnavailable
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import LedgerRow, PauseStatus, Revocation
from askback.domain.pause.waiters import Waiter
from tests.support.memory_deployment import NOW, InMemoryDeployment, a_resume_command
from tests.support.waiting_pauses import CALLBACK, NEXT_TASK, TASK, announced, outcomes_of, row_of

MINE = "arn:aws:states:eu-west-1:123456789012:execution:refunds:approval-7"
OTHER = "arn:aws:states:eu-west-1:123456789012:execution:refunds:approval-8"
KEYED: dict[str, Any] = {"idempotency_key": "a question", "messages": None}
LATER = NOW + 600


@pytest.fixture
def deployment() -> InMemoryDeployment:
    return InMemoryDeployment()


def asked(
    deployment: InMemoryDeployment, *, waiter: Waiter = TASK, execution: str | None = MINE, **over: Any
) -> MintedPause:
    return deployment.mint(**{**KEYED, **over}, waiter=waiter, execution=execution)


def end(deployment: InMemoryDeployment, execution: str = MINE, *, at: int = LATER, steps: int = 99) -> EndedRun:
    """End the execution, with time for so many pauses."""
    left = iter(range(steps))
    return asyncio.run(deployment.ended_runs.end(execution, at=at, may_go_on=lambda: next(left, None) is not None))


def stopped(deployment: InMemoryDeployment, *waiters: Waiter) -> None:
    deployment.waiters.closed |= {waiter.address for waiter in waiters}


def status(deployment: InMemoryDeployment, minted: MintedPause) -> PauseStatus:
    return row_of(deployment, minted).status


def test_an_open_pause_of_the_execution_is_revoked_once(deployment: InMemoryDeployment) -> None:
    minted = asked(deployment)
    stopped(deployment, TASK)
    assert end(deployment) == EndedRun(revoked=(minted.claims,))
    row = row_of(deployment, minted)
    assert row.revocation is not None
    assert (row.status, row.revocation.by, row.revocation.reason, row.revocation.at) == (
        PauseStatus.REVOKED, "run ended", REASON, LATER,
    )  # fmt: skip
    assert end(deployment, at=LATER + 60) == EndedRun()
    assert row_of(deployment, minted) == row
    assert announced(deployment) == [PauseEventType.ISSUED, PauseEventType.REVOKED]
    # The sweep finds that the task is closed, and nothing is left to do.
    assert deployment.sweep(at=LATER).done == {"RevocationSettled": 1}
    assert row_of(deployment, minted).due_at is None
    assert TASK.address not in deployment.waiters.outcomes


def test_all_pauses_of_an_execution_are_revoked_and_those_of_another_are_not(deployment: InMemoryDeployment) -> None:
    pauses = [
        asked(deployment, waiter=waiter, execution=execution, idempotency_key=waiter.address)
        for waiter, execution in ((TASK, MINE), (NEXT_TASK, MINE), (a_task("third"), OTHER), (a_task("fourth"), None))
    ]
    stopped(deployment, TASK, NEXT_TASK, a_task("third"), a_task("fourth"))
    assert set(end(deployment).revoked) == {pauses[0].claims, pauses[1].claims}
    assert [status(deployment, each) for each in pauses[2:]] == [PauseStatus.ISSUED] * 2


def test_a_pause_whose_task_waits_stays_open(deployment: InMemoryDeployment) -> None:
    """The execution was redriven, and its task waits again."""
    minted = asked(deployment)
    assert end(deployment) == EndedRun()
    assert status(deployment, minted) is PauseStatus.ISSUED
    stopped(deployment, TASK)
    again = asked(deployment, waiter=NEXT_TASK)
    assert end(deployment) == EndedRun()
    assert status(deployment, again) is PauseStatus.ISSUED
    stopped(deployment, NEXT_TASK)
    assert end(deployment).revoked == (minted.claims,)


@pytest.mark.parametrize("execution", [OTHER, None], ids=["with its execution", "without"])
def test_a_pause_that_another_run_has_taken_over_is_that_runs_also_between_two_attempts(
    deployment: InMemoryDeployment, execution: str | None
) -> None:
    minted = asked(deployment)
    stopped(deployment, TASK)
    asked(deployment, waiter=NEXT_TASK, execution=execution)
    assert end(deployment) == EndedRun()
    stopped(deployment, NEXT_TASK)
    assert end(deployment) == EndedRun()
    assert status(deployment, minted) is PauseStatus.ISSUED
    assert end(deployment, OTHER).revoked == ((minted.claims,) if execution else ())


def test_a_retry_in_the_same_execution_is_revoked_with_it(deployment: InMemoryDeployment) -> None:
    minted = asked(deployment)
    stopped(deployment, TASK)
    asked(deployment, waiter=NEXT_TASK)
    stopped(deployment, NEXT_TASK)
    assert end(deployment).revoked == (minted.claims,)


def test_a_pause_for_which_a_callback_waits_now_stays_open(deployment: InMemoryDeployment) -> None:
    minted = asked(deployment)
    stopped(deployment, TASK)
    asked(deployment, waiter=CALLBACK, execution=None)
    stopped(deployment, CALLBACK)
    assert end(deployment) == EndedRun()
    assert status(deployment, minted) is PauseStatus.ISSUED


@pytest.mark.parametrize("how", ["answered", "expired", "past its deadline", "revoked"])
def test_a_pause_that_has_ended_keeps_its_end(deployment: InMemoryDeployment, how: str) -> None:
    minted = asked(deployment)
    if how == "answered":
        deployment.resume(minted, require_turn=False)
    if how == "revoked":
        revocation = Revocation(by="olga", at=NOW)
        asyncio.run(deployment.revoking.revoke(minted.claims.jti, revocation, admit=lambda row: None))
    stopped(deployment, TASK)
    at = NOW + 3600 if how in ("expired", "past its deadline") else LATER
    if how == "expired":
        deployment.sweep(at=at)
    before = row_of(deployment, minted)
    assert end(deployment, at=at) == EndedRun()
    assert row_of(deployment, minted) == before


def test_a_mint_that_died_before_it_wrote_the_row_leaves_nothing_to_do(deployment: InMemoryDeployment) -> None:
    minted = asked(deployment)
    del deployment.ledger.rows[minted.claims.jti]
    stopped(deployment, TASK)
    assert end(deployment) == EndedRun()


def test_an_entry_is_written_before_the_row(deployment: InMemoryDeployment, monkeypatch: pytest.MonkeyPatch) -> None:
    async def die(row: LedgerRow) -> LedgerRow:
        raise StoreUnavailable

    monkeypatch.setattr(deployment.ledger, "issue", die)
    with pytest.raises(StoreUnavailable):
        asked(deployment)
    assert not deployment.ledger.rows
    assert len(asyncio.run(deployment.waiting_tasks.of(MINE))) == 1


def test_a_mint_without_an_execution_writes_no_entry(deployment: InMemoryDeployment) -> None:
    asked(deployment, execution=None)
    assert deployment.waiting_tasks.kept_until == {}


def test_a_pause_that_fails_does_not_stop_the_others_and_comes_again(
    deployment: InMemoryDeployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (asked(deployment, waiter=each, idempotency_key=each.address) for each in (TASK, NEXT_TASK))
    stopped(deployment, TASK, NEXT_TASK)
    find = deployment.ledger.find

    async def cannot_find_the_first(jti: str) -> LedgerRow | None:
        if jti == first.claims.jti:
            raise StoreUnavailable(reason="busy")
        return await find(jti)

    with monkeypatch.context() as patch:
        patch.setattr(deployment.ledger, "find", cannot_find_the_first)
        run = end(deployment)
    assert (run.revoked, list(run.failed), run.is_done) == ((second.claims,), [first.claims.jti], False)
    assert end(deployment) == EndedRun(revoked=(first.claims,))


def test_a_service_that_cannot_be_asked_revokes_nothing(deployment: InMemoryDeployment) -> None:
    minted = asked(deployment)
    deployment.waiters.down = True
    run = end(deployment)
    assert (run.revoked, list(run.failed)) == ((), [minted.claims.jti])
    assert status(deployment, minted) is PauseStatus.ISSUED


def test_without_time_for_all_pauses_the_rest_is_left_for_the_next_run(deployment: InMemoryDeployment) -> None:
    pauses = [asked(deployment, waiter=a_task(name), idempotency_key=name) for name in ("one", "two", "three")]
    stopped(deployment, *map(a_task, ("one", "two", "three")))
    run = end(deployment, steps=2)
    assert (len(run.revoked), run.cut_off, run.is_done) == (2, True, False)
    assert len(end(deployment).revoked) == 1
    assert {status(deployment, each) for each in pauses} == {PauseStatus.REVOKED}


@pytest.mark.parametrize("who", ["an answer", "another run"])
def test_what_comes_between_the_question_and_the_write_wins(deployment: InMemoryDeployment, who: str) -> None:
    """The service has said that the task does not wait; then the row changes before it is written."""
    minted = asked(deployment)
    before = row_of(deployment, minted)
    waits = deployment.waiters.still_waits

    async def overtaken(waiter: Waiter) -> bool:
        deployment.waiters.still_waits = waits  # type: ignore[method-assign]
        if who == "an answer":
            await deployment.resuming.resume(a_resume_command(minted), require_turn=False)
        else:
            assert await deployment.ledger.replace_waiter(before, NEXT_TASK)
        return False

    deployment.waiters.still_waits = overtaken  # type: ignore[method-assign]
    assert end(deployment) == EndedRun()
    expected = PauseStatus.DELIVERED if who == "an answer" else PauseStatus.ISSUED
    assert status(deployment, minted) is expected


def test_a_late_mint_of_an_ended_execution_gets_the_revocation(deployment: InMemoryDeployment) -> None:
    """A run that starts afterwards with the same key gets the failure, and does not wait for nothing."""
    asked(deployment)
    stopped(deployment, TASK)
    end(deployment)
    asked(deployment, waiter=NEXT_TASK, execution=OTHER)
    assert [how for how, _ in outcomes_of(deployment, NEXT_TASK)] == ["failure"]


def a_task(name: str) -> Waiter:
    return Waiter(kind=TASK.kind, address=name)
