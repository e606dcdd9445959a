"""How every issuance ledger moves its rows and says what is due, in memory and on DynamoDB alike."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.pause.ledger import PauseStatus, Revocation, RowChange
from askback.domain.pause.waiters import Waiter
from askback.domain.ports import IssuanceLedger
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_acceptance
from tests.support.ledger_steps import END, EVENT, NEXT_TASK, TASK, a_row, advance, due, find, issued
from tests.support.memory_deployment import NOW


class LedgerStepsContract:
    """Subclasses say which ledger."""

    @pytest.fixture
    def ledger(self) -> IssuanceLedger:
        raise NotImplementedError

    @pytest.mark.parametrize(
        "change",
        [
            RowChange(due_at=None),
            RowChange(due_at=NOW + 7),
            RowChange(due_at=END, clear_reminder=True),
            RowChange(due_at=END, open_too_long=True),
            RowChange(due_at=END, clear_reminder=True, open_too_long=True),
            RowChange(due_at=None, status=PauseStatus.EXPIRED),
            RowChange(due_at=NOW + 9, status=PauseStatus.EXPIRED),
            RowChange(due_at=NOW + 9, status=PauseStatus.REVOKED, revocation=Revocation(by="olga", at=NOW)),
            RowChange(due_at=NOW + 30, attempts=1, may_have_landed=True),
            RowChange(due_at=NOW + 60, may_have_landed=False),
            RowChange(due_at=NOW + 60, attempts=2, may_have_landed=False),
            RowChange(due_at=None, status=PauseStatus.ANSWERED, answer=an_acceptance(by_policy=True)),
            RowChange(due_at=NOW + 1, status=PauseStatus.ANSWERED, answer=an_acceptance("{}", by_policy=True)),
        ],
    )
    @pytest.mark.parametrize("waiter", [None, TASK, EVENT], ids=["nobody", "task", "event"])
    def test_a_change_of_a_row_as_it_was_seen_is_applied_as_the_row_says(
        self, ledger: IssuanceLedger, change: RowChange, waiter: Waiter | None
    ) -> None:
        row = issued(ledger, waiter=waiter, remind_at=NOW + 60, due_at=NOW + 60)
        assert asyncio.run(ledger.advance(row, change))
        assert find(ledger, row) == change.applied_to(row)

    @pytest.mark.parametrize(
        "seen",
        [
            {"due_at": END + 1},
            {"due_at": None},
            {"status": PauseStatus.ANSWERED},
            {"waiter": NEXT_TASK},
            {"waiter": None},
            {"waiter": EVENT},
        ],
        ids=str,
    )
    def test_a_change_of_a_row_that_is_not_as_it_was_seen_is_not_applied(
        self, ledger: IssuanceLedger, seen: dict[str, Any]
    ) -> None:
        row = issued(ledger, waiter=TASK)
        assert not advance(ledger, replace(row, **seen), due_at=NOW + 5, status=PauseStatus.EXPIRED)
        assert find(ledger, row) == row

    def test_a_row_that_nothing_is_due_for_is_never_changed(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger, due_at=None)
        assert not advance(ledger, row, due_at=NOW + 5)
        assert find(ledger, row) == row

    def test_a_row_that_is_gone_is_not_changed_and_does_not_come_back(self, ledger: IssuanceLedger) -> None:
        row = a_row()
        assert not advance(ledger, row, due_at=None)
        assert asyncio.run(ledger.find(row.claims.jti)) is None

    def test_of_two_changes_of_the_same_row_the_first_is_applied(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger)
        assert advance(ledger, row, due_at=NOW + 5)
        assert not advance(ledger, row, due_at=NOW + 6)
        assert find(ledger, row).due_at == NOW + 5

    def test_a_due_row_is_put_off_once_and_nothing_else_of_it_changes(self, ledger: IssuanceLedger) -> None:
        """D-34: by its key alone, since it may be a row that cannot be read."""
        row = issued(ledger, waiter=TASK, due_at=END)
        pause = row.claims.identity
        assert not asyncio.run(ledger.put_off(pause, at=END - 1, until=END + 240))
        assert find(ledger, row) == row
        assert asyncio.run(ledger.put_off(pause, at=END, until=END + 240))
        assert not asyncio.run(ledger.put_off(pause, at=END, until=END + 999))
        assert find(ledger, row) == replace(row, due_at=END + 240)

    def test_a_row_that_is_not_due_or_not_there_is_not_put_off(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger, due_at=None)
        assert not asyncio.run(ledger.put_off(row.claims.identity, at=END, until=END + 240))
        gone = replace(row.claims.identity, jti="gone")
        assert not asyncio.run(ledger.put_off(gone, at=END, until=END + 240))
        assert find(ledger, row) == row

    def test_what_is_due_comes_the_longest_due_first_and_not_a_second_early(self, ledger: IssuanceLedger) -> None:
        times = {f"pause-{number}": END + number * 37 % 50 for number in range(40)}
        for jti, due_at in times.items():
            issued(ledger, jti=jti, due_at=due_at)
        issued(ledger, jti="never", due_at=None)
        found = due(ledger, at=END + 25)
        expected = sorted(at for at in times.values() if at <= END + 25)
        assert [row.due_at for row in found] == expected
        assert {row.claims.jti for row in found} == {jti for jti, at in times.items() if at <= END + 25}

    @pytest.mark.parametrize("limit", [1, 3, 8, 9])
    def test_no_more_rows_come_than_are_wanted_and_those_are_the_oldest(
        self, ledger: IssuanceLedger, limit: int
    ) -> None:
        for number in range(12):
            issued(ledger, jti=f"pause-{number}", due_at=END + number)
        assert [row.due_at for row in due(ledger, at=END + 99, limit=limit)] == [END + n for n in range(limit)]

    def test_a_due_row_comes_whole(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger, waiter=TASK, default_response_text="[1]", remind_at=NOW + 60, due_at=NOW + 60)
        assert due(ledger, at=NOW + 60) == [row]

    def test_what_has_been_worked_on_is_due_no_more(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger)
        advance(ledger, row, due_at=END + 60)
        assert due(ledger, at=END) == []
        advance(ledger, find(ledger, row), due_at=None)
        assert due(ledger, at=END + 9999) == []


class TestInMemoryLedger(LedgerStepsContract):
    @pytest.fixture
    def ledger(self) -> InMemoryLedger:
        return InMemoryLedger()


class TestDynamoLedger(LedgerStepsContract):
    @pytest.fixture
    def ledger(self, aws: Aws) -> IssuanceLedger:
        return aws.ledger()
