"""How every issuance ledger replaces one pause by another: both rows are written, or none."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.pause.ledger import LedgerRow, PauseStatus, RowChange, Supersession
from askback.domain.ports import IssuanceLedger
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.aws_stores import Aws
from tests.support.ledger_steps import END, NEXT_TASK, TASK, a_row, advance, due, find, issued
from tests.support.memory_deployment import NOW

NEW = "fedcba9876543210fedcba9876543210"


def an_end(**over: Any) -> RowChange:
    superseded = Supersession(by=NEW, at=NOW + 5)
    change = {"status": PauseStatus.SUPERSEDED, "superseded": superseded, "due_at": None, "clear_reminder": True}
    return RowChange(**{**change, **over})


def supersede(ledger: IssuanceLedger, new: LedgerRow, seen: LedgerRow, change: RowChange) -> LedgerRow | None:
    return asyncio.run(ledger.supersede(new, seen, change))


class SupersedingContract:
    """Subclasses say which ledger."""

    @pytest.fixture
    def ledger(self) -> IssuanceLedger:
        raise NotImplementedError

    @pytest.mark.parametrize(
        "change",
        [
            an_end(),
            an_end(due_at=NOW + 5),
            an_end(superseded=Supersession(by=NEW, at=NOW + 5, waiter_moved=True)),
        ],
        ids=["nothing due", "due", "the waiter moved"],
    )
    def test_both_rows_are_written_as_they_say(self, ledger: IssuanceLedger, change: RowChange) -> None:
        old = issued(ledger, waiter=TASK, remind_at=NOW + 60, due_at=NOW + 60)
        new = a_row(NEW, waiter=NEXT_TASK, supersedes=old.claims.jti)
        assert supersede(ledger, new, old, change) == new
        assert (find(ledger, new), find(ledger, old)) == (new, change.applied_to(old))
        assert old.claims.jti in {row.claims.jti for row in due(ledger, at=NOW + 5)} or change.due_at is None

    @pytest.mark.parametrize(
        "seen",
        [{"due_at": END + 1}, {"due_at": None}, {"status": PauseStatus.ANSWERED}, {"waiter": NEXT_TASK}],
        ids=str,
    )
    def test_nothing_is_written_if_the_old_row_is_not_as_it_was_seen(
        self, ledger: IssuanceLedger, seen: dict[str, Any]
    ) -> None:
        old = issued(ledger, waiter=TASK)
        assert supersede(ledger, a_row(NEW), replace(old, **seen), an_end()) is None
        assert find(ledger, old) == old
        assert asyncio.run(ledger.find(NEW)) is None

    def test_nothing_is_written_if_the_old_row_is_gone(self, ledger: IssuanceLedger) -> None:
        assert supersede(ledger, a_row(NEW), a_row(), an_end()) is None
        assert asyncio.run(ledger.find(NEW)) is None

    @pytest.mark.parametrize("ended", [False, True])
    def test_a_new_row_that_is_there_already_comes_back_and_changes_nothing(
        self, ledger: IssuanceLedger, ended: bool
    ) -> None:
        """Also if the old row has changed too: which one is there says what the caller must do."""
        old, there = issued(ledger), issued(ledger, jti=NEW, pin="an earlier mint")
        if ended:
            advance(ledger, old, due_at=None, status=PauseStatus.EXPIRED)
        left = find(ledger, old)
        assert supersede(ledger, a_row(NEW), old, an_end()) == there
        assert (find(ledger, old), find(ledger, there)) == (left, there)

    def test_the_same_again_finds_the_new_row(self, ledger: IssuanceLedger) -> None:
        old, new = issued(ledger), a_row(NEW)
        assert supersede(ledger, new, old, an_end()) == supersede(ledger, new, old, an_end()) == new

    def test_of_two_replacements_of_one_row_the_first_is_written(self, ledger: IssuanceLedger) -> None:
        old, other = issued(ledger), "0" * 32
        assert supersede(ledger, a_row(NEW), old, an_end()) is not None
        assert supersede(ledger, a_row(other), old, an_end(superseded=Supersession(by=other, at=NOW))) is None
        assert find(ledger, old).superseded == Supersession(by=NEW, at=NOW + 5)
        assert asyncio.run(ledger.find(other)) is None


class TestInMemory(SupersedingContract):
    @pytest.fixture
    def ledger(self) -> IssuanceLedger:
        return InMemoryLedger()


class TestDynamo(SupersedingContract):
    @pytest.fixture
    def ledger(self, aws: Aws) -> IssuanceLedger:
        return aws.ledger()
