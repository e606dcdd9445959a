"""The sweep is fair: what cannot be read, hangs, or falls due in masses does not make the others wait."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.delivery.sweep import (
    BACKOFF_SECONDS,
    ROWS_PER_PAGE,
    TARGET_SECONDS,
    UNREADABLE,
    in_fair_order,
)
from askback.domain.errors import StoreUnavailable
from askback.domain.pause.claims import PauseIdentity
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.ports import DeliveryResult
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.domain_values import an_acceptance, an_issued_row, some_claims
from tests.support.memory_deployment import NOW, InMemoryDeployment
from tests.support.waiting_pauses import PartlyUnreadableLedger, WatchedWaiters, watched

END = NOW + 3600


def a_row(number: int, *, scope: str = "s", answered: bool = False, waiter: Waiter | None = None) -> LedgerRow:
    row = an_issued_row(
        some_claims(jti=f"pause-{number}", exp=END + number, scope_hash=scope), due_at=END + number, waiter=waiter
    )
    return replace(row, status=PauseStatus.ANSWERED, answer=an_acceptance()) if answered else row


def add(deployment: InMemoryDeployment, *rows: LedgerRow) -> None:
    deployment.ledger.rows.update((row.claims.jti, row) for row in rows)


def swept(deployment: InMemoryDeployment, *, at: int = END + 9999, **options: Any) -> list[str]:
    return [row.pause.jti for row in deployment.sweep(at=at, **options).rows]


def test_five_hundred_rows_that_cannot_be_read_make_room_for_the_others() -> None:
    """D-34: they were the longest due in every run, so no other row was ever looked at."""
    ledger = PartlyUnreadableLedger()
    deployment = InMemoryDeployment(ledger=ledger)
    unreadable = [a_row(number) for number in range(ROWS_PER_PAGE)]
    add(deployment, *unreadable, a_row(900), a_row(901))
    ledger.unreadable = {row.claims.jti for row in unreadable}
    report = deployment.sweep(at=END + 9999)
    assert report.done == {"RowFailed": ROWS_PER_PAGE, "Expired": 2}
    assert {row.error for row in report.rows if row.error} == {UNREADABLE}
    assert {ledger.rows[jti].due_at for jti in ledger.unreadable} == {END + 9999 + BACKOFF_SECONDS}
    assert not deployment.sweep(at=END + 9999 + 60).rows
    assert deployment.sweep(at=END + 9999 + BACKOFF_SECONDS).done == {"RowFailed": ROWS_PER_PAGE}


def test_a_row_that_cannot_be_worked_on_is_put_off_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """D-34: a relative: what went wrong is in the row, and would go wrong in every run."""
    deployment = InMemoryDeployment()
    add(deployment, a_row(1), a_row(2))
    advance = deployment.ledger.advance

    async def fail_for_the_first(seen: LedgerRow, change: Any) -> bool:
        if seen.claims.jti == "pause-1":
            raise UnicodeEncodeError("utf-8", "\ud83d", 0, 1, "surrogates not allowed")
        return await advance(seen, change)

    monkeypatch.setattr(deployment.ledger, "advance", fail_for_the_first)
    assert deployment.sweep(at=END + 10).done == {"RowFailed": 1, "Expired": 1}
    assert deployment.ledger.rows["pause-1"].due_at == END + 10 + BACKOFF_SECONDS


def test_a_store_that_does_not_answer_puts_nothing_off(monkeypatch: pytest.MonkeyPatch) -> None:
    class Down(PartlyUnreadableLedger):
        async def put_off(self, pause: PauseIdentity, *, at: int, until: int) -> bool:
            raise StoreUnavailable

    ledger = Down()
    deployment = InMemoryDeployment(ledger=ledger)
    add(deployment, a_row(1), a_row(2))
    ledger.unreadable = {"pause-1"}
    assert deployment.sweep(at=END + 10).done == {"RowFailed": 1, "Expired": 1}
    assert ledger.rows["pause-1"].due_at == END + 1


def test_deliveries_come_before_expiries_and_unreadable_rows_last() -> None:
    """D-34."""
    unreadable = PauseIdentity(jti="damaged", name="", scope_hash="")
    rows: list[LedgerRow | PauseIdentity] = [unreadable, a_row(1), a_row(2), a_row(3, answered=True)]
    assert in_fair_order(rows) == [rows[3], rows[1], rows[2], unreadable]


def test_scopes_take_turns_and_each_begins_with_its_longest_due_row() -> None:
    """D-34: no scope starves another."""
    rows = [*(a_row(number, scope="busy") for number in range(5)), a_row(7, scope="b"), a_row(8, scope="c")]
    assert in_fair_order(rows) == [rows[0], rows[5], rows[6], *rows[1:5]]
    deployment = InMemoryDeployment()
    add(deployment, *rows)
    left = iter([True] * 3 + [False])
    assert swept(deployment, may_go_on=lambda: next(left)) == ["pause-0", "pause-7", "pause-8"]


class HangingWaiters(WatchedWaiters):
    """Waiters of which one kind hangs: each attempt takes three seconds of a clock, and fails."""

    def __init__(self, ledger: InMemoryLedger, hanging: WaiterKind) -> None:
        super().__init__(ledger)
        self.hanging = hanging
        self.seconds = 0.0

    async def deliver(self, waiter: Waiter, row: LedgerRow, outcome: str) -> DeliveryResult:
        if waiter.kind is self.hanging:
            self.seconds += 3
            raise StoreUnavailable
        self.seconds += 0.02
        return await super().deliver(waiter, row, outcome)


def test_a_kind_of_target_that_hangs_takes_a_share_of_the_run_before_the_others() -> None:
    """D-61: ten good rows waited 22 minutes behind 300 rows whose target hung for three seconds each."""
    ledger = InMemoryLedger()
    waiters = HangingWaiters(ledger, WaiterKind.STEP_FUNCTIONS)
    deployment = InMemoryDeployment(ledger=ledger, waiters=waiters, monotonic=lambda: waiters.seconds)
    task = Waiter(kind=WaiterKind.STEP_FUNCTIONS, address="task")
    add(deployment, *(a_row(number, answered=True, waiter=task) for number in range(300)))
    good_ones = (Waiter(kind=WaiterKind.LAMBDA, address=f"agent-{number}") for number in range(10))
    add(deployment, *(a_row(300 + number, answered=True, waiter=good) for number, good in enumerate(good_ones)))
    report = deployment.sweep(at=END + 9999, may_go_on=lambda: waiters.seconds < 40)
    good = [place for place, row in enumerate(report.rows) if "Delivered" in row.done]
    assert len(good) == 10
    assert max(good) < 10 + 2 + TARGET_SECONDS / 3
    # The rest of the run goes to the kind that hangs: it may be well again.
    assert report.done["DeliveryRetried"] > TARGET_SECONDS / 3 + 5
    assert report.cut_off is True
    assert waiters.seconds < 44


def test_more_rows_than_a_page_whose_target_hangs_do_not_hide_the_rows_behind_them() -> None:
    """D-61: a relative."""
    ledger = InMemoryLedger()
    waiters = HangingWaiters(ledger, WaiterKind.STEP_FUNCTIONS)
    deployment = InMemoryDeployment(ledger=ledger, waiters=waiters, monotonic=lambda: waiters.seconds)
    task = Waiter(kind=WaiterKind.STEP_FUNCTIONS, address="task")
    add(deployment, *(a_row(number, answered=True, waiter=task) for number in range(2 * ROWS_PER_PAGE)))
    good = Waiter(kind=WaiterKind.LAMBDA, address="agent")
    add(deployment, a_row(5000, answered=True, waiter=good))
    report = deployment.sweep(at=END + 9999, may_go_on=lambda: waiters.seconds < 40)
    assert report.done["Delivered"] == 1


def test_a_page_that_cannot_be_read_ends_a_run_that_has_done_something_without_losing_its_report() -> None:
    """D-60: a relative."""

    class DownLater(InMemoryLedger):
        asked = 0

        async def due(self, *, at: int, limit: int) -> Any:
            self.asked += 1
            if self.asked > 1:
                raise StoreUnavailable
            return await super().due(at=at, limit=limit)

    deployment = InMemoryDeployment(ledger=DownLater())
    add(deployment, *(a_row(number) for number in range(ROWS_PER_PAGE + 1)))
    report = deployment.sweep(at=END + 9999)
    assert (report.done, report.cut_off) == ({"Expired": ROWS_PER_PAGE}, True)


def test_rows_that_stay_due_do_not_hide_the_rows_behind_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """D-34: a relative: the table refuses the writes of a whole page, and the run still ends."""
    deployment = InMemoryDeployment()
    add(deployment, *(a_row(number) for number in range(ROWS_PER_PAGE)), a_row(901))
    advance = deployment.ledger.advance

    async def refuse(seen: LedgerRow, change: Any) -> bool:
        if seen.claims.jti != "pause-901":
            raise StoreUnavailable
        return await advance(seen, change)

    monkeypatch.setattr(deployment.ledger, "advance", refuse)
    report = deployment.sweep(at=END + 9999)
    assert report.done == {"RowFailed": ROWS_PER_PAGE, "Expired": 1}


def test_an_ordinary_run_asks_the_ledger_once() -> None:
    deployment, _ = watched()
    asked: list[int] = []
    due = deployment.ledger.due

    async def counted(*, at: int, limit: int) -> Any:
        asked.append(limit)
        return await due(at=at, limit=limit)

    deployment.ledger.due = counted  # type: ignore[method-assign]
    add(deployment, *(a_row(number) for number in range(30)))
    assert (
        asyncio.run(deployment.sweeping.run(at=END + 99, attempt_id="x", may_go_on=lambda: True)).done["Expired"] == 30
    )
    assert asked == [ROWS_PER_PAGE]
