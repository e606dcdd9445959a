"""Whatever is due is done: a pause ends, somebody is reminded, a run is told."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.errors import (
    AlreadyAnswered,
    HumanInteractionError,
    InteractionConfigurationError,
    PauseExpired,
    StoreUnavailable,
)
from askback.domain.interactions.default_answer import DefaultAnswer
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import POLICY, PauseStatus
from askback.domain.pause.waiters import Waiter
from askback.domain.resume.eight_steps import DeliveryState
from tests.support.memory_deployment import NOW, InMemoryDeployment, a_mint_command, an_answer
from tests.support.waiting_pauses import LISTENER, NEXT_TASK, TASK, WAITERS, announced, outcomes_of, row_of, watched

END = NOW + 3600
REJECT = DefaultAnswer(response={"answers": [{"selections": ["Reject"]}]})


def _minted(**over: Any) -> tuple[InMemoryDeployment, MintedPause]:
    deployment = InMemoryDeployment()
    return deployment, deployment.mint(**over)


def test_nothing_is_due_before_its_time() -> None:
    deployment, minted = _minted(waiter=TASK)
    before = row_of(deployment, minted)
    report = deployment.sweep(at=END - 1)
    assert (report.done, report.oldest_due_seconds, report.cut_off) == ({}, 0, False)
    assert row_of(deployment, minted) == before


def test_a_pause_without_a_waiter_becomes_expired() -> None:
    deployment, minted = _minted()
    assert deployment.sweep(at=END).done == {"Expired": 1}
    row = row_of(deployment, minted)
    assert (row.status, row.due_at, row.answer) == (PauseStatus.EXPIRED, None, None)
    assert announced(deployment) == [PauseEventType.ISSUED, PauseEventType.EXPIRED]
    assert deployment.sweep(at=END + 999).done == {}


@pytest.mark.parametrize("waiter", WAITERS, ids=lambda waiter: waiter.kind.value)
def test_a_run_that_waits_gets_a_failure_by_name_and_no_refusal_of_anybodys(waiter: Waiter) -> None:
    deployment, minted = _minted(waiter=waiter)
    assert deployment.sweep(at=END + 5).done == {"Expired": 1, "ExpirySettled": 1}
    ((how, text),) = outcomes_of(deployment, waiter)
    outcome = json.loads(text)
    assert (how, outcome["outcome"], outcome["expired_at"]) == ("failure", "expired", END)
    assert outcome["delivery_id"] == minted.claims.jti
    assert not {"response", "answered_by", "answered_at"} & set(outcome)
    row = row_of(deployment, minted)
    assert (row.status, row.due_at, row.answer) == (PauseStatus.EXPIRED, None, None)


def test_an_expiry_that_could_not_be_delivered_is_delivered_later() -> None:
    deployment, minted = _minted(waiter=TASK)
    deployment.waiters.down = True
    assert deployment.sweep(at=END).done == {"Expired": 1, "DeliveryRetried": 1}
    row = row_of(deployment, minted)
    assert (row.status, row.attempts, row.due_at) == (PauseStatus.EXPIRED, 1, END + 30)
    deployment.waiters.down = False
    assert deployment.sweep(at=END + 30).done == {"ExpirySettled": 1}
    assert [how for how, _ in outcomes_of(deployment)] == ["failure"]
    assert row_of(deployment, minted).status is PauseStatus.EXPIRED


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (StoreUnavailable(reason="throttled"), "store-unavailable"),
        (InteractionConfigurationError("not allowed", reason="access denied"), "misconfigured"),
    ],
)
def test_the_report_has_the_code_and_the_reason_of_a_failed_attempt(error: HumanInteractionError, code: str) -> None:
    deployment, waiters = watched()
    deployment.mint(waiter=TASK)
    waiters.error = error
    (row,) = deployment.sweep(at=END).rows
    assert (row.done, row.code, row.reason) == (("Expired", "DeliveryRetried"), code, error.reason)
    waiters.error = None
    (row,) = deployment.sweep(at=END + 30).rows
    assert (row.done, row.code, row.reason) == (("ExpirySettled",), "", "")


def test_the_default_answer_stands_in_marked_as_given_by_policy_and_is_delivered() -> None:
    deployment, minted = _minted(waiter=TASK, on_expiry=REJECT)
    assert deployment.sweep(at=END + 7).done == {"AnsweredByPolicy": 1, "Delivered": 1}
    row = row_of(deployment, minted)
    assert row.answer is not None
    assert (row.status, row.answer.by_policy, row.answer.answered_by) == (PauseStatus.DELIVERED, True, POLICY)
    assert row.answer.answered_at == END + 7
    ((how, text),) = outcomes_of(deployment)
    outcome = json.loads(text)
    assert (how, outcome["outcome"], outcome["by_policy"], outcome["answered_by"]) == (
        "success", "answered", True, "policy",
    )  # fmt: skip
    assert outcome["response"]["answers"][0]["selections"] == ["Reject"]
    events = deployment.events.events
    assert [(event.type, event.detail()["by_policy"]) for event in events[1:]] == [
        (PauseEventType.ANSWERED, True),
        (PauseEventType.DELIVERED, True),
    ]


def test_a_default_answer_without_a_waiter_can_be_read() -> None:
    deployment, minted = _minted(on_expiry=REJECT)
    assert deployment.sweep(at=END).done == {"AnsweredByPolicy": 1}
    assert row_of(deployment, minted).due_at is None
    outcome = deployment.outcome(minted, at=END + 60)
    assert (outcome.answered_by, outcome.delivery) == (POLICY, DeliveryState.NONE)


def test_a_default_answer_whose_run_had_ended_is_counted_as_undeliverable() -> None:
    """The alarm counts what the sweep counts."""
    deployment, waiters = watched()
    minted = deployment.mint(waiter=TASK, on_expiry=REJECT)
    waiters.ended.add(TASK.address)
    assert deployment.sweep(at=END).done == {"AnsweredByPolicy": 1, "Undeliverable": 1}
    assert row_of(deployment, minted).status is PauseStatus.UNDELIVERABLE


@pytest.mark.parametrize("on_expiry", [None, REJECT], ids=["fail", "default"])
def test_a_late_answer_is_refused_whatever_the_policy_was(on_expiry: DefaultAnswer | None) -> None:
    deployment, minted = _minted(waiter=TASK, on_expiry=on_expiry)
    deployment.sweep(at=END)
    before = row_of(deployment, minted)
    for answer in ("Approve", "Reject"):
        with pytest.raises(PauseExpired):
            deployment.resume(minted, at=END + 1, response=an_answer(minted, answer))
    assert row_of(deployment, minted) == before


def test_an_answer_that_races_the_policy_is_no_replay_of_it_even_when_it_is_the_same() -> None:
    """A default is nobody's answer: clocks may differ, and the person was not heard."""
    deployment, minted = _minted(on_expiry=REJECT)
    deployment.sweep(at=END)
    with pytest.raises(AlreadyAnswered):
        deployment.resume(minted, at=END - 1, answered_by=POLICY, response=an_answer(minted, "Reject"))


def test_a_reminder_goes_out_once_and_the_pause_goes_on_to_its_end() -> None:
    deployment, minted = _minted(waiter=TASK, remind_after_seconds=600)
    assert row_of(deployment, minted).due_at == NOW + 600
    assert deployment.sweep(at=NOW + 599).done == {}
    assert deployment.sweep(at=NOW + 660).done == {"Reminded": 1}
    row = row_of(deployment, minted)
    assert (row.status, row.remind_at, row.due_at) == (PauseStatus.ISSUED, None, END)
    assert deployment.sweep(at=NOW + 720).done == {}
    assert announced(deployment) == [PauseEventType.ISSUED, PauseEventType.REMINDER]
    assert not outcomes_of(deployment)
    assert deployment.sweep(at=END).done == {"Expired": 1, "ExpirySettled": 1}


def test_an_event_consumer_is_reminded_too() -> None:
    deployment, _ = _minted(waiter=LISTENER, remind_after_seconds=600)
    deployment.sweep(at=NOW + 600)
    assert announced(deployment) == [PauseEventType.ISSUED, PauseEventType.REMINDER]


def test_a_reminder_that_comes_too_late_is_none() -> None:
    deployment, _ = _minted(remind_after_seconds=600)
    assert deployment.sweep(at=END).done == {"Expired": 1}
    assert PauseEventType.REMINDER not in announced(deployment)


def test_an_answered_pause_is_not_reminded() -> None:
    deployment, minted = _minted(remind_after_seconds=600)
    deployment.resume(minted)
    assert deployment.sweep(at=NOW + 600).done == {}
    assert PauseEventType.REMINDER not in announced(deployment)


@pytest.mark.parametrize("remind_at", [None, NOW + 900])
def test_a_row_that_is_due_too_early_is_put_where_it_belongs(remind_at: int | None) -> None:
    deployment, minted = _minted(waiter=TASK)
    row = replace(row_of(deployment, minted), due_at=NOW + 60, remind_at=remind_at)
    deployment.ledger.rows[minted.claims.jti] = row
    assert deployment.sweep(at=NOW + 60).done == {"Rescheduled": 1}
    assert row_of(deployment, minted).due_at == remind_at or END


@pytest.mark.parametrize(
    ("status", "waiter"),
    [
        (PauseStatus.REVOKED, None),
        (PauseStatus.DELIVERED, TASK),
        (PauseStatus.UNDELIVERABLE, TASK),
        (PauseStatus.ANSWERED, None),
        (PauseStatus.EXPIRED, None),
    ],
)
def test_a_row_that_needs_nothing_is_due_no_more(status: PauseStatus, waiter: Waiter | None) -> None:
    deployment, minted = _minted(waiter=waiter)
    deployment.ledger.rows[minted.claims.jti] = replace(row_of(deployment, minted), status=status)
    assert deployment.sweep(at=END).done == {"Cleared": 1}
    row = row_of(deployment, minted)
    assert (row.status, row.due_at) == (status, None)
    assert not outcomes_of(deployment)


def test_the_report_says_how_long_the_oldest_row_has_been_due() -> None:
    deployment = InMemoryDeployment()
    deployment.mint(tool_call_id="c1", ttl_seconds=60)
    deployment.mint(tool_call_id="c2", ttl_seconds=90)
    report = deployment.sweep(at=NOW + 100)
    assert (report.done, report.oldest_due_seconds) == ({"Expired": 2}, 40)


def test_the_waiter_that_a_retried_mint_put_in_place_is_the_one_who_hears_of_the_end() -> None:
    deployment, minted = _minted(waiter=TASK, idempotency_key="k")
    deployment.waiters.closed.add(TASK.address)
    again = asyncio.run(deployment.minting.mint(a_mint_command(waiter=NEXT_TASK, idempotency_key="k", at=NOW + 5)))
    assert again.claims == minted.claims
    deployment.sweep(at=END)
    assert not outcomes_of(deployment, TASK)
    assert [how for how, _ in outcomes_of(deployment, NEXT_TASK)] == ["failure"]
