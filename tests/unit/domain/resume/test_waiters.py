"""Too late and too large are said before the token is spent; after that, delivering is nobody's concern but ours."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.errors import AlreadyAnswered, HumanInteractionError, RequestTooLarge, StoreUnavailable, WaiterGone
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.waiters import OUTCOME_MAX_BYTES, Waiter
from askback.domain.resume.eight_steps import DeliveryState, ResumeOutcome
from tests.support.memory_deployment import NOW, InMemoryDeployment, a_mint_command, a_resume_command, an_answer
from tests.support.own_interactions import a_deployment, approval
from tests.support.waiting_pauses import (
    CALLBACK,
    FUNCTION,
    LISTENER,
    NEXT_TASK,
    TASK,
    announced,
    outcomes_of,
    row_of,
    watched,
)

FREE_TEXT = approval(response_schema=str)
ANSWERED_AT = NOW + 60


def test_a_run_that_waits_no_more_is_told_to_the_person_and_nothing_is_spent() -> None:
    """A-21."""
    deployment = InMemoryDeployment()
    minted = deployment.mint(waiter=TASK, idempotency_key="k")
    before = row_of(deployment, minted)
    deployment.waiters.closed.add(TASK.address)
    with pytest.raises(WaiterGone):
        deployment.resume(minted)
    assert row_of(deployment, minted) == before
    assert announced(deployment) == [PauseEventType.ISSUED]
    # The workflow tries again, and the very same link works.
    deployment.mint(waiter=NEXT_TASK, idempotency_key="k")
    assert deployment.resume(minted).delivery is DeliveryState.DELIVERED


def test_a_run_that_cannot_be_asked_spends_nothing_either() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(waiter=TASK)
    before = row_of(deployment, minted)
    deployment.waiters.down = True
    with pytest.raises(StoreUnavailable):
        deployment.resume(minted)
    assert row_of(deployment, minted) == before
    deployment.waiters.down = False
    assert not deployment.resume(minted).replayed


@pytest.mark.parametrize("fault", [{"response": "perhaps"}, {"at": NOW + 3600}, {"token": "a.b.c"}], ids=str)
def test_a_run_is_not_asked_for_an_answer_that_is_refused_anyway(fault: dict[str, Any]) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(waiter=TASK)
    deployment.waiters.down = True
    with pytest.raises(HumanInteractionError) as refused:
        deployment.resume(minted, **fault)
    assert not isinstance(refused.value, (StoreUnavailable, WaiterGone))


def _free(waiter: Waiter) -> tuple[InMemoryDeployment, MintedPause]:
    deployment = a_deployment(FREE_TEXT)
    return deployment, deployment.mint(name="approval_required", payload={"amount": 1.0}, waiter=waiter)


def _room(waiter: Waiter) -> int:
    """Return how many bytes of an outcome are left for the text of an answer."""
    deployment, minted = _free(waiter)
    deployment.resume(minted, response="")
    ((_, text),) = outcomes_of(deployment, waiter)
    return OUTCOME_MAX_BYTES[waiter.kind] - len(text)


@pytest.mark.parametrize("waiter", [TASK, FUNCTION], ids=lambda waiter: waiter.kind.value)
@pytest.mark.parametrize("character", ["a", "\u00e4", '"'], ids=["ascii", "two bytes", "escaped"])
def test_an_outcome_of_exactly_the_limit_is_taken_and_one_byte_more_spends_nothing(
    waiter: Waiter, character: str
) -> None:
    """A-23: what counts is the outcome as it is sent, which is ASCII: an umlaut is six bytes of it."""
    width = len(json.dumps(character)) - 2
    count, rest = divmod(_room(waiter), width)
    fits = character * count + "a" * rest
    deployment, minted = _free(waiter)
    before = row_of(deployment, minted)
    with pytest.raises(RequestTooLarge) as refused:
        deployment.resume(minted, response=fits + "a")
    assert "262144" in refused.value.detail
    assert row_of(deployment, minted) == before
    assert not outcomes_of(deployment, waiter)

    assert deployment.resume(minted, response=fits).delivery is DeliveryState.DELIVERED
    ((_, text),) = outcomes_of(deployment, waiter)
    assert len(text.encode()) == 262_144
    assert json.loads(text)["response"] == fits


@pytest.mark.parametrize("waiter", [CALLBACK, LISTENER, None], ids=["callback", "event", "nobody"])
def test_who_takes_more_gets_more(waiter: Waiter | None) -> None:
    deployment = a_deployment(FREE_TEXT)
    minted = deployment.mint(name="approval_required", payload={"amount": 1.0}, waiter=waiter)
    assert len(str(deployment.resume(minted, response="a" * 300_000).response)) == 300_000


def test_a_turn_of_any_size_adds_a_reference_to_the_outcome_and_nothing_else() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(waiter=TASK, messages=({"role": "user", "content": "m" * 2_000_000},))
    assert deployment.resume(minted).delivery is DeliveryState.DELIVERED
    ((_, text),) = outcomes_of(deployment)
    assert len(text) < 2000
    assert json.loads(text)["turn_reference"] == {
        "thread_id": minted.claims.thread_id,
        "checkpoint_id": minted.claims.checkpoint_id,
        "key": "turn_state:call_Cc03Ask",
        "scope_hash": minted.claims.scope_hash,
    }


def test_the_longest_ids_leave_room_for_the_largest_answer_of_the_built_in_question() -> None:
    option = [{"label": "A"}, {"label": "B"}]
    questions = [{"question": "?", "options": option, "allow_other": True} for _ in range(4)]
    deployment = InMemoryDeployment()
    minted = deployment.mint(
        waiter=TASK,
        tool_call_id="\u00e4" * 256,
        binding=replace(a_mint_command().binding, thread_id="\u00e4" * 512, checkpoint_id="\u00e4" * 128),
        payload={"questions": questions},
    )
    answers = [{"question_id": question["id"], "other": "\u00e4" * 1000} for question in minted.payload["questions"]]
    assert deployment.resume(minted, response={"answers": answers}).delivery is DeliveryState.DELIVERED


def test_the_same_answer_again_while_the_first_delivery_is_under_way_delivers_nothing() -> None:
    """A-24 and A-33."""
    deployment, waiters = watched()
    waiters.error = StoreUnavailable()
    minted = deployment.mint(waiter=TASK)
    deployment.resume(minted)
    waiters.error = None
    again = deployment.resume(minted, attempt_id="attempt-2", at=ANSWERED_AT + 59)
    assert (again.replayed, again.delivery) == (True, DeliveryState.PENDING)
    assert len(waiters.seen) == 1


def test_the_same_answer_again_once_it_is_due_delivers_without_waiting_for_the_sweep() -> None:
    deployment, waiters = watched()
    waiters.error = StoreUnavailable()
    minted = deployment.mint(waiter=TASK)
    deployment.resume(minted)
    waiters.error = None
    again = deployment.resume(minted, attempt_id="attempt-2", at=ANSWERED_AT + 60)
    assert (again.replayed, again.delivery) == (True, DeliveryState.DELIVERED)
    assert len(outcomes_of(deployment)) == 1
    assert row_of(deployment, minted).attempts == 2


def test_the_same_answer_after_the_delivery_says_that_it_was_delivered_and_tells_nobody() -> None:
    """A-24: two clicks are one delivery."""
    deployment, waiters = watched()
    minted = deployment.mint(waiter=TASK)
    first = deployment.resume(minted)
    again = deployment.resume(minted, attempt_id="attempt-2", at=ANSWERED_AT + 600)
    assert again == replace(first, replayed=True, settled=False)
    assert again.delivery is DeliveryState.DELIVERED
    assert len(waiters.seen) == 1
    assert announced(deployment).count(PauseEventType.ANSWERED) == 1


def test_another_answer_after_the_first_was_delivered_is_already_answered_and_not_gone() -> None:
    """A-47: the run took the first answer, so it is closed; that is no reason to say that it ended."""
    deployment = InMemoryDeployment()
    minted = deployment.mint(waiter=TASK)
    deployment.resume(minted)
    with pytest.raises(AlreadyAnswered):
        deployment.resume(minted, attempt_id="attempt-2", response=an_answer(minted, "Reject"))


def test_the_same_answer_again_after_the_run_had_ended_says_so() -> None:
    deployment, waiters = watched()
    waiters.ended.add(TASK.address)
    minted = deployment.mint(waiter=TASK)
    deployment.resume(minted)
    again = deployment.resume(minted, attempt_id="attempt-2")
    assert (again.replayed, again.delivery) == (True, DeliveryState.UNDELIVERABLE)


def test_of_many_answers_at_once_one_is_delivered_and_the_others_are_told_what_became_of_theirs() -> None:
    """A-24."""
    deployment, waiters = watched()
    minted = deployment.mint(waiter=TASK)

    async def at_once() -> list[ResumeOutcome | BaseException]:
        commands = [
            a_resume_command(minted, attempt_id=f"attempt-{number}", answered_by=f"p{number % 2}")
            for number in range(16)
        ]
        return await asyncio.gather(
            *(deployment.resuming.resume(command, require_turn=True) for command in commands), return_exceptions=True
        )

    results = asyncio.run(at_once())
    assert sum(isinstance(result, ResumeOutcome) and not result.replayed for result in results) == 1
    assert all(isinstance(result, (ResumeOutcome, AlreadyAnswered)) for result in results)
    assert len(waiters.seen) == 1
    assert row_of(deployment, minted).status is PauseStatus.DELIVERED


def test_a_link_holder_s_answer_is_delivered_like_any_other() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(waiter=TASK)
    deployment.resume(minted, require_turn=False, answered_by="link")
    assert json.loads(outcomes_of(deployment)[0][1])["answered_by"] == "link"


def test_a_waiter_that_was_replaced_while_the_answer_was_checked_is_the_one_who_is_asked_and_told() -> None:
    deployment, waiters = watched()
    minted = deployment.mint(waiter=TASK, idempotency_key="k")
    command = a_mint_command(waiter=NEXT_TASK, idempotency_key="k")
    asked: list[str] = []
    still_waits = waiters.still_waits

    waiters.closed.add(TASK.address)

    class Replacing:
        async def still_waits(self, waiter: Waiter) -> bool:
            asked.append(waiter.address)
            if waiter == TASK:
                await deployment.minting.mint(command)
                return False
            return await still_waits(waiter)

        deliver, fail = waiters.deliver, waiters.fail

    resuming = InMemoryDeployment(
        checkpoints=deployment.checkpoints,
        ledger=deployment.ledger,
        waiters=Replacing(),  # type: ignore[arg-type]
    )
    assert resuming.resume(minted).delivery is DeliveryState.DELIVERED
    assert asked == [TASK.address, NEXT_TASK.address]
    assert not outcomes_of(deployment, TASK)
    assert len(outcomes_of(deployment, NEXT_TASK)) == 1
