"""A run that waits always waits under the address that the row names, whatever order requests arrive in."""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from askback.domain.errors import PauseConflict, StoreUnavailable, WaiterGone
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import LedgerRow, PauseStatus, RowChange
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.ports import DeliveryResult
from askback.domain.resume.eight_steps import ResumeOutcome
from askback.testing.memory_ledger import InMemoryLedger
from askback.testing.memory_waiters import InMemoryWaiters
from local.emulated.cloud import ROOT
from tests.support.memory_deployment import (
    MESSAGES,
    NOW,
    InMemoryDeployment,
    a_binding,
    a_mint_command,
    a_resume_command,
)
from tests.support.schedules import SteppedLedger, SteppedWaiters, every_order, one_after_the_other
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

KEYED: dict[str, Any] = {"idempotency_key": "execution-7", "messages": None}
OLD_TASK = Waiter(kind=WaiterKind.STEP_FUNCTIONS, address="AAAAKgAAAAIAAA+/old==")


def test_the_late_mint_of_an_attempt_that_was_given_up_leaves_the_newer_run_in_place() -> None:
    """D-48: the first mint's write lands after the retry's."""
    deployment = InMemoryDeployment()
    deployment.waiters.closed.add(TASK.address)
    minted = deployment.mint(**KEYED, waiter=NEXT_TASK, at=NOW + 5)

    late = deployment.mint(**KEYED, waiter=TASK)

    assert (late.claims, late.status) == (minted.claims, PauseStatus.ISSUED)
    assert row_of(deployment, minted).waiter == NEXT_TASK
    deployment.resume(minted, require_turn=False)
    assert len(outcomes_of(deployment, NEXT_TASK)) == 1


@pytest.mark.parametrize("waiter", [NEXT_TASK, CALLBACK, FUNCTION, LISTENER], ids=lambda waiter: waiter.kind.value)
def test_a_second_run_that_waits_under_one_key_is_refused_and_the_message_names_the_key(waiter: Waiter) -> None:
    """D-03: two items of a Map with one key; the first run keeps its place and gets the answer."""
    deployment = InMemoryDeployment()
    minted = deployment.mint(**KEYED, waiter=TASK)

    with pytest.raises(PauseConflict, match=r"another run waits for this pause.*idempotency_key"):
        deployment.mint(**KEYED, waiter=waiter)

    assert row_of(deployment, minted).waiter == TASK
    assert len(announced(deployment)) == 1
    deployment.resume(minted, require_turn=False)
    assert len(outcomes_of(deployment, TASK)) == 1


def test_without_a_key_the_refusal_names_what_makes_the_pause_the_same() -> None:
    deployment = InMemoryDeployment()
    checkpoint = a_binding(checkpoint_id="c-1")
    deployment.mint(binding=checkpoint, waiter=TASK)
    with pytest.raises(PauseConflict, match="thread_id, checkpoint_id or tool_call_id"):
        deployment.mint(binding=checkpoint, waiter=NEXT_TASK)


def test_another_question_under_the_same_key_is_refused_and_the_message_names_the_key() -> None:
    """D-02: a revised question needs a key of its own."""
    deployment = InMemoryDeployment()
    deployment.mint(**KEYED)
    with pytest.raises(PauseConflict, match="idempotency_key"):
        deployment.mint(**KEYED, tool_call_id="another")


def test_a_call_id_that_is_used_again_in_a_later_round_asks_another_question_under_the_documented_key() -> None:
    """D-05: run, number of messages so far, call id; a retry of the same round is the same pause."""
    deployment = InMemoryDeployment()
    first = deployment.mint(idempotency_key="run-1/2/call_1")
    longer = (*MESSAGES, {"role": "tool", "content": "done"}, {"role": "assistant", "content": None})
    later = deployment.mint(idempotency_key="run-1/4/call_1", messages=longer)
    assert first.claims.jti != later.claims.jti
    assert deployment.mint(idempotency_key="run-1/4/call_1", messages=longer, at=NOW + 9) == later
    with pytest.raises(PauseConflict):
        deployment.mint(idempotency_key="run-1/2/call_1", messages=longer)


@pytest.mark.parametrize("example", ["openai_agents_approval", "strands_approval", "pydantic_ai_approval"])
def test_the_key_of_each_framework_recipe_has_the_run_the_number_of_messages_and_the_call(example: str) -> None:
    """D-05: without the number of messages, a call id that a later round uses again is refused as a conflict."""
    source = (ROOT / f"docs/examples/{example}.py").read_text(encoding="utf-8")
    (key,) = re.findall(r'idempotency_key": f"(.*)"', source)
    run, length, call = key.split("/")
    assert run == "{state.name}"
    assert call in {"{call.call_id}", "{call.tool_call_id}", "{interrupt.id}"}
    counts = ("{len(agent.messages)}", "{len(messages)}")
    assert length in counts or f"{length[1:-1]} = len(result.to_input_list())" in source


@pytest.mark.parametrize("earlier", [FUNCTION, LISTENER], ids=lambda waiter: waiter.kind.value)
def test_a_waiter_that_cannot_be_asked_is_replaced_by_the_newest(earlier: Waiter) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**KEYED, waiter=earlier)
    deployment.mint(**KEYED, waiter=TASK)
    assert row_of(deployment, minted).waiter == TASK


def test_a_first_mint_asks_no_run_whether_it_waits() -> None:
    deployment = InMemoryDeployment()
    deployment.waiters.down = True
    assert deployment.mint(**KEYED, waiter=TASK).status is PauseStatus.ISSUED
    assert deployment.mint(**KEYED, waiter=TASK).status is PauseStatus.ISSUED


def test_a_run_that_cannot_be_asked_now_makes_the_repeated_mint_come_again_and_changes_nothing() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**KEYED, waiter=TASK)
    deployment.waiters.down = True
    with pytest.raises(StoreUnavailable):
        deployment.mint(**KEYED, waiter=NEXT_TASK)
    assert row_of(deployment, minted).waiter == TASK


def test_a_row_that_other_mints_change_each_time_is_unavailable() -> None:
    class Busy(InMemoryLedger):
        async def replace_waiter(self, row: LedgerRow, waiter: Waiter) -> bool:
            return False

    deployment = InMemoryDeployment(ledger=Busy())
    deployment.mint(**KEYED)
    with pytest.raises(StoreUnavailable):
        deployment.mint(**KEYED, waiter=TASK)


class _TimesOutMeanwhile(InMemoryWaiters):
    """The first task times out right before its delivery, and its retry mints before that delivery ends."""

    def __init__(self) -> None:
        super().__init__()
        self.retry: Callable[[], Awaitable[MintedPause]] | None = None

    async def deliver(self, waiter: Waiter, row: LedgerRow, outcome: str) -> DeliveryResult:
        retry, self.retry = self.retry, None
        if retry is not None:
            self.closed.add(waiter.address)
            await retry()
        return await super().deliver(waiter, row, outcome)


def test_a_first_delivery_to_a_closed_task_raises_no_alarm_if_the_retry_s_task_has_got_the_answer() -> None:
    waiters = _TimesOutMeanwhile()
    deployment = InMemoryDeployment(waiters=waiters)
    minted = deployment.mint(**KEYED, waiter=TASK)
    waiters.retry = lambda: deployment.minting.mint(a_mint_command(**KEYED, waiter=NEXT_TASK, at=NOW + 61))
    deployment.resume(minted, require_turn=False)
    assert [how for how, _ in outcomes_of(deployment, NEXT_TASK)] == ["success"]
    row = row_of(deployment, minted)
    assert (row.status, row.due_at) == (PauseStatus.DELIVERED, None)
    assert announced(deployment)[1:] == [PauseEventType.ANSWERED, PauseEventType.DELIVERED]


def _answered_but_not_delivered() -> tuple[InMemoryDeployment, MintedPause]:
    deployment, waiters = watched()
    minted = deployment.mint(**KEYED, waiter=TASK)
    waiters.error = StoreUnavailable()
    deployment.resume(minted, require_turn=False)
    waiters.error = None
    return deployment, minted


def test_a_late_waiter_does_not_end_the_delivery_to_a_run_that_still_waits() -> None:
    deployment, minted = _answered_but_not_delivered()
    deployment.mint(**KEYED, waiter=FUNCTION)
    assert row_of(deployment, minted).status is PauseStatus.ANSWERED
    deployment.sweep(at=NOW + 120)
    assert outcomes_of(deployment, TASK) == outcomes_of(deployment, FUNCTION)
    assert row_of(deployment, minted).status is PauseStatus.DELIVERED


def test_a_late_waiter_that_is_closed_too_leaves_the_delivery_as_it_is() -> None:
    deployment, minted = _answered_but_not_delivered()
    deployment.waiters.closed.update({TASK.address, NEXT_TASK.address})
    before = row_of(deployment, minted)
    deployment.mint(**KEYED, waiter=NEXT_TASK)
    assert row_of(deployment, minted) == before


def test_an_outcome_that_a_late_waiter_has_got_is_no_failed_mint_when_it_cannot_be_noted() -> None:
    class Busy(InMemoryLedger):
        async def advance(self, seen: LedgerRow, change: RowChange) -> bool:
            raise StoreUnavailable

    deployment, _ = _answered_but_not_delivered()
    deployment.waiters.closed.add(TASK.address)
    busy = Busy()
    busy.rows = deployment.ledger.rows
    late = InMemoryDeployment(ledger=busy, waiters=deployment.waiters, checkpoints=deployment.checkpoints)
    assert late.mint(**KEYED, waiter=NEXT_TASK).status is PauseStatus.ANSWERED
    assert len(outcomes_of(deployment, NEXT_TASK)) == 1


def _world(earlier: Waiter | None) -> tuple[InMemoryDeployment, MintedPause | None]:
    """Return a deployment where a run gave up `TASK` and now waits under `NEXT_TASK`."""
    deployment = InMemoryDeployment(ledger=SteppedLedger(), waiters=SteppedWaiters(), overlap=one_after_the_other)
    deployment.waiters.closed.update({TASK.address, OLD_TASK.address})
    minted = None if earlier is None else _at_once(deployment.minting.mint(a_mint_command(**KEYED, waiter=earlier)))
    return deployment, minted


def _at_once(task: Any) -> Any:
    results: list[Any] = []
    every_order(lambda: [task], results.extend)
    (result,) = results
    if isinstance(result, Exception):
        raise result
    return result


def _require_answer_reaches_the_run(deployment: InMemoryDeployment, minted: MintedPause, *answered: Any) -> None:
    """Answer, unless an answer was accepted, and hold the deployment to what was promised."""
    if not any(isinstance(each, ResumeOutcome) for each in answered):
        assert all(isinstance(each, WaiterGone) for each in answered), answered
        _at_once(deployment.resuming.resume(a_resume_command(minted), require_turn=False))
    assert [how for how, _ in outcomes_of(deployment, NEXT_TASK)] == ["success"]
    assert not outcomes_of(deployment, TASK)
    assert not outcomes_of(deployment, OLD_TASK)


def test_in_every_order_of_two_attempts_the_run_that_waits_gets_the_answer() -> None:
    """D-48: neither attempt has written a row before."""
    world: list[InMemoryDeployment] = []

    def begin() -> Sequence[Any]:
        deployment, _ = _world(None)
        world[:] = [deployment]
        return [
            deployment.minting.mint(a_mint_command(**KEYED, waiter=TASK)),
            deployment.minting.mint(a_mint_command(**KEYED, waiter=NEXT_TASK, at=NOW + 5)),
        ]

    def check(results: Sequence[Any]) -> None:
        late, retry = results
        assert isinstance(late, MintedPause), late
        assert isinstance(retry, MintedPause), retry
        assert row_of(world[0], retry).waiter == NEXT_TASK
        _require_answer_reaches_the_run(world[0], retry)

    assert every_order(begin, check) == 2


def test_in_every_order_of_two_attempts_and_an_answer_the_run_that_waits_gets_the_answer() -> None:
    """D-48: a third attempt wrote the row long ago, and a person answers meanwhile."""
    world: list[tuple[InMemoryDeployment, MintedPause]] = []

    def begin() -> Sequence[Any]:
        deployment, minted = _world(OLD_TASK)
        assert minted is not None
        world[:] = [(deployment, minted)]
        return [
            deployment.minting.mint(a_mint_command(**KEYED, waiter=TASK)),
            deployment.minting.mint(a_mint_command(**KEYED, waiter=NEXT_TASK, at=NOW + 5)),
            deployment.resuming.resume(a_resume_command(minted), require_turn=False),
        ]

    def check(results: Sequence[Any]) -> None:
        late, retry, answered = results
        assert isinstance(late, MintedPause), late
        assert isinstance(retry, MintedPause), retry
        _require_answer_reaches_the_run(*world[0], answered)

    assert every_order(begin, check) > 100
