"""Sweeps that overlap with each other, with people and with retries, are cut off, or meet rows they cannot work on."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.delivery.sweep import BACKOFF_SECONDS, ROWS_PER_PAGE, UNREADABLE
from askback.domain.errors import InteractionConfigurationError, InvalidRequest, StoreUnavailable
from askback.domain.interactions.default_answer import DefaultAnswer
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import PauseStatus
from tests.support.domain_values import an_issued_row, some_claims
from tests.support.memory_deployment import NOW, InMemoryDeployment, a_mint_command, a_resume_command
from tests.support.waiting_pauses import (
    NEXT_TASK,
    TASK,
    InterruptedLedger,
    PartlyUnreadableLedger,
    announced,
    outcomes_of,
    row_of,
    watched,
)

END = NOW + 3600
REJECT = DefaultAnswer(response={"answers": [{"selections": ["Reject"]}]})


def _sweep(deployment: InMemoryDeployment, *, at: int) -> Any:
    """Return a second sweep, made by somebody else at the same time."""
    return lambda: deployment.sweeping.run(at=at, attempt_id="sweep-2", may_go_on=lambda: True)


@pytest.mark.parametrize(
    ("over", "at", "announcement"),
    [
        ({}, END, PauseEventType.EXPIRED),
        ({"waiter": TASK}, END, PauseEventType.EXPIRED),
        ({"waiter": TASK, "on_expiry": REJECT}, END, PauseEventType.ANSWERED),
        ({"remind_after_seconds": 60}, NOW + 60, PauseEventType.REMINDER),
    ],
    ids=["expiry", "expiry with a waiter", "default answer", "reminder"],
)
def test_two_sweeps_at_once_do_it_once(over: dict[str, Any], at: int, announcement: PauseEventType) -> None:
    ledger = InterruptedLedger()
    deployment, waiters = watched(ledger)
    deployment.mint(**over)
    ledger.meanwhile = _sweep(deployment, at=at)
    assert deployment.sweep(at=at).done == {"LeftToAnother": 1}
    assert announced(deployment).count(announcement) == 1
    assert len(waiters.seen) == ("waiter" in over)


def test_two_sweeps_at_once_deliver_once() -> None:
    ledger = InterruptedLedger()
    deployment, waiters = watched(ledger)
    waiters.patient.add(TASK.address)
    minted = deployment.mint(waiter=TASK)
    waiters.error = StoreUnavailable()
    deployment.resume(minted)
    waiters.error = None
    ledger.meanwhile = _sweep(deployment, at=NOW + 120)
    deployment.sweep(at=NOW + 120)
    assert len(outcomes_of(deployment)) == 1
    assert announced(deployment).count(PauseEventType.DELIVERED) == 1
    assert row_of(deployment, minted).attempts == 2


def test_an_answer_that_comes_while_the_sweep_is_at_it_stands() -> None:
    """Another clock says that there was a second left."""
    ledger = InterruptedLedger()
    deployment, _ = watched(ledger)
    minted = deployment.mint(waiter=TASK)
    ledger.meanwhile = lambda: deployment.resuming.resume(a_resume_command(minted, at=END - 1))
    assert deployment.sweep(at=END).done == {"LeftToAnother": 1}
    assert row_of(deployment, minted).status is PauseStatus.DELIVERED
    assert [how for how, _ in outcomes_of(deployment)] == ["success"]


@pytest.mark.parametrize("on_expiry", [None, REJECT], ids=["fail", "default"])
def test_a_waiter_put_in_place_while_the_sweep_is_at_it_is_the_one_who_is_told(
    on_expiry: DefaultAnswer | None,
) -> None:
    """The task that waited before has ended; telling it instead would leave the new one waiting for ever."""
    ledger = InterruptedLedger()
    deployment, waiters = watched(ledger)
    minted = deployment.mint(waiter=TASK, idempotency_key="k", on_expiry=on_expiry)
    waiters.closed.add(TASK.address)
    retried = a_mint_command(waiter=NEXT_TASK, idempotency_key="k", on_expiry=on_expiry, at=END)
    ledger.meanwhile = lambda: deployment.minting.mint(retried)
    deployment.sweep(at=END)
    deployment.sweep(at=END + 60)
    assert not outcomes_of(deployment, TASK)
    assert [how for how, _ in outcomes_of(deployment, NEXT_TASK)] == ["failure" if on_expiry is None else "success"]
    assert row_of(deployment, minted).due_at is None


def _with_rows(count: int, **over: Any) -> InMemoryDeployment:
    """Return a deployment with pauses that came to their end one second after the other."""
    deployment = InMemoryDeployment()
    for number in range(count):
        claims = some_claims(jti=f"pause-{number}", exp=END + number)
        deployment.ledger.rows[claims.jti] = an_issued_row(claims, due_at=claims.exp, **over)
    return deployment


def _ended(deployment: InMemoryDeployment) -> list[str]:
    return [jti for jti, row in deployment.ledger.rows.items() if row.status is PauseStatus.EXPIRED]


def test_a_run_that_may_not_go_on_stops_between_two_rows_and_the_next_goes_on_with_the_rest() -> None:
    deployment = _with_rows(5)
    left = iter([True, True, False])
    report = deployment.sweep(at=END + 9, may_go_on=lambda: next(left))
    assert (report.done, report.cut_off) == ({"Expired": 2}, True)
    assert _ended(deployment) == ["pause-0", "pause-1"]
    report = deployment.sweep(at=END + 9)
    assert (report.done, report.cut_off) == ({"Expired": 3}, False)


def test_a_run_reads_page_after_page_while_there_is_time_and_the_next_run_takes_the_others() -> None:
    deployment = _with_rows(ROWS_PER_PAGE + 3)
    left = iter([True] * (ROWS_PER_PAGE + 1) + [False])
    report = deployment.sweep(at=END + 9999, may_go_on=lambda: next(left))
    assert (report.done, report.cut_off) == ({"Expired": ROWS_PER_PAGE + 1}, True)
    assert len(_ended(deployment)) == ROWS_PER_PAGE + 1
    report = deployment.sweep(at=END + 9999)
    assert (report.done, report.cut_off, report.oldest_due_seconds) == ({"Expired": 2}, False, 9999 - 501)


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (StoreUnavailable(), ""),
        (InteractionConfigurationError("x"), ""),
        (InvalidRequest("x"), "InvalidRequest"),
        (LookupError("the body is gone"), "OutcomeUnreadable"),
        (ValueError("the body is damaged"), "OutcomeUnreadable"),
        (RuntimeError("a bug"), "RuntimeError"),
    ],
    ids=repr,
)
def test_a_row_that_cannot_be_worked_on_is_counted_and_holds_up_no_other(error: Exception, named: str) -> None:
    ledger = PartlyUnreadableLedger()
    deployment, waiters = watched(ledger)
    waiters.error = StoreUnavailable()
    bad, good = (deployment.mint(waiter=waiter, tool_call_id=waiter.address) for waiter in (TASK, NEXT_TASK))
    for minted in (bad, good):
        deployment.resume(minted)
    waiters.error = None
    ledger.lost[bad.claims.jti] = error
    at = NOW + 120
    report = deployment.sweep(at=at)
    assert report.done["Delivered"] == 1
    assert report.done.total() == 2
    # What may pass by itself is no failure of the row; of the others the report says which and what, and no text.
    failed = [(row.pause, row.error) for row in report.rows if row.error]
    assert failed == ([(bad.claims.identity, named)] if named else [])
    assert report.done["RowFailed"] == bool(named)
    assert row_of(deployment, good).status is PauseStatus.DELIVERED
    assert (row_of(deployment, bad).due_at or 0) > at


def test_a_row_that_cannot_even_be_read_is_counted_and_holds_up_no_other() -> None:
    """A damaged row, or one of a later build, comes due again and again; it must not take the others with it."""
    ledger = PartlyUnreadableLedger()
    deployment = InMemoryDeployment(ledger=ledger)
    bad, good = (deployment.mint(tool_call_id=call) for call in ("c1", "c2"))
    ledger.unreadable.add(bad.claims.jti)
    for at in (END, END + BACKOFF_SECONDS):
        report = deployment.sweep(at=at)
        assert report.done["RowFailed"] == 1
        assert [(row.pause, row.error) for row in report.rows if row.error] == [(bad.claims.identity, UNREADABLE)]
    assert row_of(deployment, good).status is PauseStatus.EXPIRED
    assert row_of(deployment, bad).status is PauseStatus.ISSUED


def test_an_answered_row_without_its_answer_is_counted_and_tried_again_later() -> None:
    deployment, _ = watched()
    bad, good = (deployment.mint(waiter=waiter, tool_call_id=waiter.address) for waiter in (TASK, NEXT_TASK))
    broken = replace(row_of(deployment, bad), status=PauseStatus.ANSWERED, due_at=END - 1)
    deployment.ledger.rows[bad.claims.jti] = broken
    assert deployment.sweep(at=END).done == {"RowFailed": 1, "Expired": 1, "ExpirySettled": 1}
    assert row_of(deployment, bad).due_at == END + 30
    assert row_of(deployment, good).status is PauseStatus.EXPIRED


def test_a_ledger_that_cannot_say_what_is_due_ends_the_run() -> None:
    class Down(InterruptedLedger):
        async def due(self, *, at: int, limit: int) -> Any:
            raise StoreUnavailable

    with pytest.raises(StoreUnavailable):
        asyncio.run(InMemoryDeployment(ledger=Down()).sweeping.run(at=END, attempt_id="x", may_go_on=lambda: True))
