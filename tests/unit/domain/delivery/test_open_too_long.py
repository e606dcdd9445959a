"""A question without an answer for long is counted once, and otherwise left as it is."""

from dataclasses import replace
from typing import Any

import pytest

from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.ports import DueRows
from tests.support.memory_deployment import NOW, InMemoryDeployment
from tests.support.waiting_pauses import TASK, announced, outcomes_of, row_of

HOUR = 3600
LONG = 4 * HOUR
"""After this time a question counts as open for too long."""
END = NOW + 10 * HOUR


def _minted(*, alarm: int = LONG, **over: Any) -> tuple[InMemoryDeployment, MintedPause]:
    deployment = InMemoryDeployment(open_alarm_seconds=alarm)
    return deployment, deployment.mint(**{"ttl_seconds": 10 * HOUR, **over})


def _done(deployment: InMemoryDeployment, *, at: int) -> dict[str, int]:
    return dict(deployment.sweep(at=at).done)


def test_a_question_without_an_answer_is_counted_once_when_the_time_is_over() -> None:
    deployment, minted = _minted(waiter=TASK)
    assert _done(deployment, at=NOW + LONG - 1) == {}
    report = deployment.sweep(at=NOW + LONG + 30)
    assert [(row.pause.jti, row.done) for row in report.rows] == [(minted.claims.jti, ("OpenTooLong",))]
    row = row_of(deployment, minted)
    assert (row.status, row.due_at, row.open_too_long) == (PauseStatus.ISSUED, END, True)
    assert _done(deployment, at=END - 1) == {}
    assert announced(deployment) == [PauseEventType.ISSUED]
    assert not outcomes_of(deployment)
    assert _done(deployment, at=END) == {"Expired": 1, "ExpirySettled": 1}


def test_a_counted_question_can_still_be_answered() -> None:
    deployment, minted = _minted(waiter=TASK)
    deployment.sweep(at=NOW + LONG)
    assert deployment.resume(minted, at=NOW + LONG + 60).delivery == "delivered"


def test_a_question_that_was_answered_before_is_not_counted() -> None:
    deployment, minted = _minted()
    deployment.resume(minted)
    assert row_of(deployment, minted).due_at is None
    assert _done(deployment, at=NOW + LONG) == {}


@pytest.mark.parametrize("ttl", [HOUR, LONG])
def test_a_question_that_expires_within_the_time_is_not_counted(ttl: int) -> None:
    deployment, minted = _minted(ttl_seconds=ttl)
    assert row_of(deployment, minted).due_at == NOW + ttl
    assert _done(deployment, at=NOW + ttl) == {"Expired": 1}


def test_without_the_alarm_no_question_is_looked_at_before_its_end() -> None:
    deployment, minted = _minted(alarm=0)
    assert row_of(deployment, minted).due_at == END
    assert _done(deployment, at=END - 1) == {}


@pytest.mark.parametrize("remind", [HOUR, LONG - 1, LONG, LONG + 1, 9 * HOUR])
def test_a_question_with_a_reminder_is_reminded_once_and_counted_once(remind: int) -> None:
    deployment, minted = _minted(remind_after_seconds=remind)
    done: list[str] = []
    for at in sorted({NOW + remind, NOW + LONG}):
        assert row_of(deployment, minted).due_at == at
        done += deployment.sweep(at=at).done.elements()
    assert sorted(done) == ["OpenTooLong", "Reminded"]
    assert row_of(deployment, minted).due_at == END
    assert announced(deployment).count(PauseEventType.REMINDER) == 1


def test_a_sweep_that_comes_late_reminds_and_counts_with_one_write() -> None:
    deployment, minted = _minted(remind_after_seconds=HOUR)
    assert _done(deployment, at=NOW + 5 * HOUR) == {"Reminded": 1, "OpenTooLong": 1}
    assert row_of(deployment, minted).due_at == END


def test_of_two_sweeps_at_once_one_counts_the_question() -> None:
    deployment, minted = _minted()
    seen = row_of(deployment, minted)
    assert _done(deployment, at=NOW + LONG) == {"OpenTooLong": 1}
    deployment.ledger.due = _always(seen)  # type: ignore[method-assign]
    assert _done(deployment, at=NOW + LONG) == {"LeftToAnother": 1}


@pytest.mark.parametrize(
    ("minted_with", "swept_with", "remind", "counted_at"),
    [
        (LONG, 6 * HOUR, None, 6 * HOUR),
        (LONG, 2 * HOUR, None, LONG),
        (LONG, 2 * HOUR, HOUR, 2 * HOUR),
        (LONG, 2 * HOUR, 3 * HOUR, 3 * HOUR),
        (0, 2 * HOUR, None, None),
        (0, 2 * HOUR, HOUR, 2 * HOUR),
        (0, 2 * HOUR, 3 * HOUR, 3 * HOUR),
        (LONG, 0, None, None),
    ],
)
def test_an_open_question_follows_a_new_time_as_the_operators_page_says(
    minted_with: int, swept_with: int, remind: int | None, counted_at: int | None
) -> None:
    deployment, _ = _minted(alarm=minted_with, remind_after_seconds=remind)
    deployment.open_alarm_seconds = swept_with
    counted = [hour for hour in range(10) if "OpenTooLong" in deployment.sweep(at=NOW + hour * HOUR).done]
    assert counted == ([] if counted_at is None else [counted_at // HOUR])


def test_a_row_of_before_that_has_no_such_mark_ends_as_it_did() -> None:
    deployment, minted = _minted()
    deployment.ledger.rows[minted.claims.jti] = replace(row_of(deployment, minted), due_at=END)
    assert _done(deployment, at=END - 1) == {}
    assert _done(deployment, at=END) == {"Expired": 1}


def _always(row: LedgerRow) -> Any:
    async def due(*, at: int, limit: int) -> DueRows:
        return DueRows(rows=[row])

    return due
