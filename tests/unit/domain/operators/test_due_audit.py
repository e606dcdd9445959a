"""Which rows the sweep has something to do for, when their due marks do not say it."""

from dataclasses import replace
from typing import Any

import pytest

from askback.domain.operators.due_audit import should_be_due
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.ports import MarkedRow
from tests.support.domain_values import an_issued_row

ISSUED = an_issued_row()
EXP = ISSUED.claims.exp
WAITS = replace(ISSUED, waiter=Waiter(kind=WaiterKind.STEP_FUNCTIONS, address="t"))


def marked(row: LedgerRow | None, *, status: str = "issued", has_a_mark: bool = False) -> MarkedRow:
    return MarkedRow(
        jti="p", status=status if row is None else row.status.value, row=row, damage="x", has_a_mark=has_a_mark
    )


@pytest.mark.parametrize(
    ("change", "has_a_mark", "expected"),
    [
        ({"status": PauseStatus.ANSWERED}, False, True),
        ({"status": PauseStatus.ANSWERED, "attempts": 3}, True, True),
        ({"status": PauseStatus.EXPIRED}, False, True),
        ({"status": PauseStatus.EXPIRED, "attempts": 1}, False, False),
        ({"status": PauseStatus.EXPIRED, "attempts": 1}, True, True),
        ({"status": PauseStatus.REVOKED}, False, True),
        ({"status": PauseStatus.REVOKED, "attempts": 16, "given_up": True}, True, False),
        ({"status": PauseStatus.DELIVERED}, True, False),
        ({"status": PauseStatus.UNDELIVERABLE}, True, False),
    ],
)
def test_an_ended_row_should_be_due_until_its_waiter_has_the_outcome(
    change: dict[str, Any], has_a_mark: bool, expected: bool
) -> None:
    assert should_be_due(marked(replace(WAITS, **change), has_a_mark=has_a_mark), at=EXP) is expected
    assert not should_be_due(marked(replace(ISSUED, **change), has_a_mark=has_a_mark), at=EXP)


def test_an_open_row_should_be_due_from_its_expiry_on() -> None:
    assert [should_be_due(marked(ISSUED), at=EXP + late) for late in (-1, 0, 1)] == [False, True, True]


@pytest.mark.parametrize(
    ("status", "has_a_mark", "expected"),
    [("issued", False, True), ("parked", True, True), ("", True, True), ("parked", False, False)],
)
def test_a_row_that_cannot_be_read_should_be_due_if_it_is_open_or_has_a_mark(
    status: str, has_a_mark: bool, expected: bool
) -> None:
    assert should_be_due(marked(None, status=status, has_a_mark=has_a_mark), at=EXP) is expected
