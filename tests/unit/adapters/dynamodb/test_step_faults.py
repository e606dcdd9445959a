"""Steps after the claim whose replies are lost, or whose refusal comes without the row."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from askback.domain.delivery.delivery import Delivery
from askback.domain.delivery.sweep import Sweep
from askback.domain.errors import (
    AlreadyAnswered,
    HumanInteractionError,
    PauseRevoked,
    StoreUnavailable,
    UnknownPause,
)
from askback.domain.operators.inbox import Inbox
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import LedgerRow, PauseStatus, RowChange
from askback.testing.memory_waiters import InMemoryEvents, InMemoryWaiters
from tests.support.aws_faults import Attempts, break_wire, lose_replies
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_acceptance
from tests.support.ledger_steps import END, TASK, a_row, claim, find, issued
from tests.support.memory_deployment import NOW
from tests.support.waiting_pauses import NEXT_TASK

REPLIES = [1, 3]
"""One lost reply is made good by the client itself, three by reading the row."""


class World:
    """A sweep and an inbox over the table, whose waiters and events are in memory."""

    def __init__(self, aws: Aws) -> None:
        self.ledger, self.waiters, self.events = aws.ledger(), InMemoryWaiters(), InMemoryEvents()
        self.delivery = Delivery(ledger=self.ledger, port=self.waiters, events=self.events, jitter=lambda: 1.0)

    def sweep(self, *, at: int) -> dict[str, int]:
        sweep = Sweep(ledger=self.ledger, delivery=self.delivery, monotonic=lambda: 0.0)
        return dict(asyncio.run(sweep.run(at=at, attempt_id="sweep-1", may_go_on=lambda: True)).done)

    @property
    def announced(self) -> list[PauseEventType]:
        return [event.type for event in self.events.events]


@pytest.fixture
def world(aws: Aws) -> World:
    return World(aws)


@pytest.mark.parametrize("times", REPLIES)
def test_an_expiry_whose_reply_was_lost_is_announced_and_given_to_the_waiter(
    aws: Aws, world: World, times: int
) -> None:
    """D-49: the sweep finds the row that it has written itself, and takes it for no other sweep's."""
    row = issued(world.ledger, waiter=TASK)
    lose_replies(aws.dynamodb, "UpdateItem", times=times)
    assert world.sweep(at=END) == {"Expired": 1, "ExpirySettled": 1}
    assert world.announced == [PauseEventType.EXPIRED]
    assert [how for how, _ in world.waiters.outcomes[TASK.address]] == ["failure"]
    assert (find(world.ledger, row).status, find(world.ledger, row).due_at) == (PauseStatus.EXPIRED, None)


@pytest.mark.parametrize("times", REPLIES)
def test_an_attempt_whose_begin_lost_its_reply_is_made(aws: Aws, world: World, times: int) -> None:
    """D-49: else the row would say that it may have landed, and a closed task would count as delivered."""
    row = claim(world.ledger, issued(world.ledger, waiter=TASK), redeliver_at=NOW + 120).row
    lose_replies(aws.dynamodb, "UpdateItem", times=times)
    assert world.sweep(at=NOW + 120) == {"Delivered": 1}
    assert [how for how, _ in world.waiters.outcomes[TASK.address]] == ["success"]
    assert world.announced == [PauseEventType.DELIVERED]
    assert find(world.ledger, row).attempts == 2


@pytest.mark.parametrize("times", REPLIES)
def test_a_reminder_whose_reply_was_lost_is_announced(aws: Aws, world: World, times: int) -> None:
    """D-52."""
    issued(world.ledger, remind_at=NOW + 60, due_at=NOW + 60)
    lose_replies(aws.dynamodb, "UpdateItem", times=times)
    assert world.sweep(at=NOW + 60) == {"Reminded": 1}
    assert world.announced == [PauseEventType.REMINDER]


@pytest.mark.parametrize("times", REPLIES)
def test_a_revocation_whose_reply_was_lost_is_announced_and_is_no_replay(aws: Aws, world: World, times: int) -> None:
    """D-52."""
    row = issued(world.ledger, waiter=TASK)
    inbox = Inbox(ledger=world.ledger, pauses=None, delivery=world.delivery)  # type: ignore[arg-type]
    lose_replies(aws.dynamodb, "UpdateItem", times=times)
    assert not asyncio.run(inbox.revoke(row.claims.jti, by="olga", at=NOW + 60)).replayed
    assert world.announced == [PauseEventType.REVOKED]


def test_a_step_that_another_made_first_is_not_taken_for_ours(aws: Aws, world: World) -> None:
    """D-49: both make the same change in the same second."""
    row, change = issued(world.ledger), RowChange(due_at=None, status=PauseStatus.EXPIRED)
    assert asyncio.run(aws.ledger().advance(row, change))
    lose_replies(aws.dynamodb, "UpdateItem")
    assert not asyncio.run(world.ledger.advance(row, change))


def test_a_step_that_never_landed_and_one_of_which_nothing_is_known_are_tried_again_later(
    aws: Aws, world: World
) -> None:
    """D-49: while the request may still be under way, the row as it is read proves nothing."""
    row, change = issued(world.ledger), RowChange(due_at=END + 1)
    attempts = Attempts.of(aws.dynamodb, "BatchGetItem")
    break_wire(aws.dynamodb, "UpdateItem", ReadTimeoutError(endpoint_url="https://dynamodb"))
    with pytest.raises(StoreUnavailable):
        asyncio.run(world.ledger.advance(row, change))
    assert attempts.count == 1
    break_wire(aws.dynamodb, "BatchGetItem", ReadTimeoutError(endpoint_url="https://dynamodb"))
    with pytest.raises(StoreUnavailable):
        asyncio.run(world.ledger.advance(row, change))


def without_the_row(aws: Aws) -> None:
    """Let every refusal of a condition come without the row that it met."""

    def strip(parsed: dict[str, Any], **_: Any) -> None:
        parsed.pop("Item", None)

    aws.dynamodb.meta.events.register("after-call.dynamodb", strip)


ENDS: dict[str, tuple[Callable[[World, LedgerRow], object], type[HumanInteractionError]]] = {
    "answered": (lambda world, row: claim(world.ledger, row), AlreadyAnswered),
    "revoked": (
        lambda world, row: asyncio.run(world.ledger.advance(row, RowChange(due_at=None, status=PauseStatus.REVOKED))),
        PauseRevoked,
    ),
    "gone": (lambda world, row: None, UnknownPause),
}


@pytest.mark.parametrize("how", ENDS)
def test_a_refusal_without_the_row_is_told_by_the_row_that_is_there(aws: Aws, world: World, how: str) -> None:
    """D-38."""
    end, refusal = ENDS[how]
    row = a_row() if how == "gone" else issued(world.ledger)
    end(world, row)
    without_the_row(aws)
    with pytest.raises(refusal):
        claim(world.ledger, row, an_acceptance('"Reject"', attempt_id="attempt-2"))


def test_a_mint_again_whose_refusal_comes_without_the_row_gets_the_row(aws: Aws, world: World) -> None:
    """D-38."""
    row = issued(world.ledger)
    without_the_row(aws)
    assert asyncio.run(world.ledger.issue(row)) == row


def test_a_claim_for_another_waiter_than_the_one_that_was_asked_spends_nothing(world: World) -> None:
    """D-58: what the new waiter would say is not known."""
    row = issued(world.ledger, waiter=TASK)
    assert asyncio.run(world.ledger.replace_waiter(row, NEXT_TASK))
    with pytest.raises(StoreUnavailable):
        asyncio.run(world.ledger.claim(row.claims, an_acceptance(), redeliver_at=END, waiter=TASK))
    assert find(world.ledger, row).status is PauseStatus.ISSUED
    receipt = asyncio.run(world.ledger.claim(row.claims, an_acceptance(), redeliver_at=END, waiter=NEXT_TASK))
    assert receipt.row.waiter == NEXT_TASK
