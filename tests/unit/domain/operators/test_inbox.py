"""An operator revokes a pause: what becomes of it, who hears of it, and when it is refused."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.delivery.delivery import MAX_ATTEMPTS
from askback.domain.delivery.revoking import TRIES, RevokedPause
from askback.domain.errors import (
    AlreadyAnswered,
    HumanInteractionError,
    PauseExpired,
    PauseRevoked,
    StoreUnavailable,
    UnknownPause,
)
from askback.domain.interactions.default_answer import DefaultAnswer
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import LedgerRow, PauseStatus, Revocation
from askback.domain.pause.waiters import Waiter
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.memory_deployment import NOW, InMemoryDeployment, a_mint_command
from tests.support.waiting_pauses import LISTENER, NEXT_TASK, TASK, WAITERS, announced, outcomes_of, row_of

END = NOW + 3600
LATER = NOW + 100
OLGA = Revocation(by="olga", at=LATER)


def revoke(deployment: InMemoryDeployment, minted: MintedPause, *, by: str = "olga", at: int = LATER) -> RevokedPause:
    return asyncio.run(deployment.inbox.revoke(minted.claims.jti, by=by, at=at))


def test_a_pause_that_is_not_recorded_is_unknown() -> None:
    inbox = InMemoryDeployment().inbox
    for asked in (inbox.pause("nobody"), inbox.revoke("nobody", by="olga", at=NOW), inbox.redrive("nobody", at=NOW)):
        with pytest.raises(UnknownPause):
            asyncio.run(asked)


def test_a_revoked_pause_takes_no_answer_sends_no_reminder_and_is_not_due() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(remind_after_seconds=600)
    revoked = revoke(deployment, minted)
    row = row_of(deployment, minted)
    assert revoked == RevokedPause(row=row, replayed=False)
    assert (row.status, row.revocation, row.due_at, row.remind_at) == (PauseStatus.REVOKED, OLGA, None, None)
    with pytest.raises(PauseRevoked):
        deployment.resume(minted, at=LATER)
    assert deployment.sweep(at=END).done == {}
    assert announced(deployment) == [PauseEventType.ISSUED, PauseEventType.REVOKED]
    assert deployment.events.events[-1].at == LATER


@pytest.mark.parametrize("waiter", WAITERS, ids=lambda waiter: waiter.kind.value)
def test_the_run_that_waits_gets_a_failure_by_name_at_the_next_sweep(waiter: Waiter) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(waiter=waiter)
    assert revoke(deployment, minted).row.due_at == LATER
    assert not outcomes_of(deployment, waiter)
    assert deployment.sweep(at=LATER + 5).done == {"RevocationSettled": 1}
    ((how, text),) = outcomes_of(deployment, waiter)
    outcome = json.loads(text)
    assert (how, outcome["outcome"], outcome["revoked_at"]) == ("failure", "revoked", LATER)
    assert outcome["delivery_id"] == minted.claims.jti
    assert not {"response", "answered_by", "expired_at"} & set(outcome)
    row = row_of(deployment, minted)
    assert (row.status, row.due_at, row.answer) == (PauseStatus.REVOKED, None, None)
    assert deployment.sweep(at=END + 9999).done == {}


def test_a_revocation_that_could_not_be_delivered_is_delivered_later() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(waiter=TASK)
    deployment.waiters.down = True
    revoke(deployment, minted)
    assert deployment.sweep(at=LATER).done == {"DeliveryRetried": 1}
    assert row_of(deployment, minted).due_at == LATER + 30
    deployment.waiters.down = False
    assert deployment.sweep(at=LATER + 30).done == {"RevocationSettled": 1}
    assert [how for how, _ in outcomes_of(deployment)] == ["failure"]


def test_a_revocation_that_nobody_can_be_told_of_is_given_up_and_announced_and_stays_a_revocation() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(waiter=TASK)
    deployment.waiters.down = True
    revoke(deployment, minted)
    for attempt in range(MAX_ATTEMPTS + 1):
        deployment.sweep(at=LATER + attempt * 4000)
    row = row_of(deployment, minted)
    assert (row.status, row.due_at, row.attempts) == (PauseStatus.REVOKED, None, MAX_ATTEMPTS)
    assert announced(deployment)[-1] is PauseEventType.UNDELIVERABLE


def test_an_event_consumer_gets_its_delivery_and_no_second_announcement_of_the_same() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(waiter=LISTENER)
    revoke(deployment, minted)
    assert announced(deployment) == [PauseEventType.ISSUED]
    deployment.sweep(at=LATER)
    assert [how for how, _ in outcomes_of(deployment, LISTENER)] == ["failure"]


def test_revoking_again_is_the_same_revocation() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(waiter=TASK)
    first = revoke(deployment, minted)
    again = revoke(deployment, minted, by="somebody else", at=END + 99)
    assert again == RevokedPause(row=first.row, replayed=True)
    assert announced(deployment).count(PauseEventType.REVOKED) == 1


def _answered(deployment: InMemoryDeployment, minted: MintedPause) -> None:
    deployment.resume(minted)


def _expired(deployment: InMemoryDeployment, minted: MintedPause) -> None:
    deployment.sweep(at=END)


def _not_swept(deployment: InMemoryDeployment, minted: MintedPause) -> None:
    """Leave the pause open past its time."""


@pytest.mark.parametrize(
    ("happens", "over", "refusal"),
    [
        (_answered, {}, AlreadyAnswered),
        (_answered, {"waiter": TASK}, AlreadyAnswered),
        (_expired, {"on_expiry": DefaultAnswer(response={"answers": [{"selections": ["Reject"]}]})}, AlreadyAnswered),
        (_expired, {}, PauseExpired),
        (_not_swept, {}, PauseExpired),
    ],
)
def test_a_pause_that_has_ended_cannot_be_revoked(
    happens: Any, over: dict[str, Any], refusal: type[HumanInteractionError]
) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**over)
    happens(deployment, minted)
    before = row_of(deployment, minted)
    with pytest.raises(refusal):
        revoke(deployment, minted, at=END)
    assert row_of(deployment, minted) == before
    assert PauseEventType.REVOKED not in announced(deployment)


class BusyLedger(InMemoryLedger):
    """A ledger whose rows change some times between a read and the next write."""

    def __init__(self, *, times: int) -> None:
        super().__init__()
        self.times = times

    async def find(self, jti: str) -> LedgerRow | None:
        row = await super().find(jti)
        if row is not None and row.due_at is not None and self.times:
            self.times -= 1
            self.rows[jti] = replace(row, due_at=row.due_at + 1)
        return row


def test_a_row_that_something_happened_to_meanwhile_is_looked_at_again() -> None:
    deployment = InMemoryDeployment(ledger=BusyLedger(times=TRIES - 1))
    minted = deployment.mint(waiter=TASK)
    assert revoke(deployment, minted).replayed is False
    assert row_of(deployment, minted).status is PauseStatus.REVOKED


def test_a_row_that_never_keeps_still_is_said_to_be_unavailable_and_is_not_revoked() -> None:
    deployment = InMemoryDeployment(ledger=BusyLedger(times=TRIES))
    minted = deployment.mint(waiter=TASK)
    with pytest.raises(StoreUnavailable):
        revoke(deployment, minted)
    assert row_of(deployment, minted).status is PauseStatus.ISSUED


def test_the_waiter_that_a_retried_mint_put_in_place_hears_of_the_revocation() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(waiter=TASK, idempotency_key="k")
    deployment.waiters.closed.add(TASK.address)
    asyncio.run(deployment.minting.mint(a_mint_command(waiter=NEXT_TASK, idempotency_key="k", at=NOW + 5)))
    revoke(deployment, minted)
    deployment.sweep(at=LATER)
    assert (outcomes_of(deployment, TASK), len(outcomes_of(deployment, NEXT_TASK))) == ([], 1)
