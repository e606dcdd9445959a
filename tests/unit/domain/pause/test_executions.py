"""The execution that a mint names: the form of its ARN, and which task of it waits."""

import pytest

from askback.domain.errors import InvalidRequest
from askback.domain.pause.executions import WaitingTask, require_execution
from askback.domain.pause.waiters import Waiter, WaiterKind
from tests.support.ledger_steps import EVENT, NEXT_TASK, TASK

BEGINNING = "arn:aws:states:eu-west-1:123456789012:execution:"
CALLBACK = Waiter(kind=WaiterKind.LAMBDA_DURABLE, address=TASK.address[:100])


@pytest.mark.parametrize(
    "arn",
    [
        BEGINNING + "refunds:approval-7",
        BEGINNING + "refunds/each:2f3c1f0e-8a3b-4b8e-9a3e-1d2c3b4a5f6e",
        BEGINNING + "rückgabe:7",
        "arn:aws-us-gov:states:us-gov-west-1:123456789012:execution:refunds:7",
        BEGINNING + "r:" + "x" * (2048 - len(BEGINNING) - 2),
    ],
    ids=["plain", "of a map", "other letters", "another partition", "the longest"],
)
def test_the_arn_of_a_standard_execution_is_taken(arn: str) -> None:
    assert require_execution(arn, TASK) == arn


@pytest.mark.parametrize(
    "arn",
    [
        "",
        "approval-7",
        "arn:aws:states:eu-west-1:123456789012:stateMachine:refunds",
        "arn:aws:states:eu-west-1:123456789012:express:refunds:7:8",
        BEGINNING + "refunds",
        BEGINNING + "refunds:",
        BEGINNING + "refunds:7:8",
        BEGINNING + "refunds:7 8",
        BEGINNING + "refunds:7\n",
        "arn:aws:lambda:eu-west-1:123456789012:execution:refunds:7",
        "arn:aws:states:eu-west-1:12345678901:execution:refunds:7",
        BEGINNING + "r:" + "x" * (2049 - len(BEGINNING) - 2),
    ],
)
def test_another_text_is_refused_with_its_field_and_is_not_repeated(arn: str) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        require_execution(arn, TASK)
    assert [error.field for error in refusal.value.errors] == ["waiter.execution"]
    assert not arn or arn not in str(refusal.value)


@pytest.mark.parametrize("waiter", [None, EVENT, CALLBACK], ids=["none", "event", "callback"])
def test_only_a_task_is_in_an_execution(waiter: Waiter | None) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        require_execution(BEGINNING + "refunds:7", waiter)
    assert [error.field for error in refusal.value.errors] == ["waiter.execution"]


def test_a_task_is_known_by_a_hash_of_its_token() -> None:
    tasks = {WaitingTask.of("0" * 32, waiter).task for waiter in (TASK, NEXT_TASK, CALLBACK, EVENT)}
    assert len(tasks) == 4
    assert WaitingTask.of("0" * 32, TASK) == WaitingTask.of("0" * 32, TASK)
    # Frozen: the items of open pauses have it.
    task = Waiter(kind=WaiterKind.STEP_FUNCTIONS, address="AAAAKgAAAAIAAA+/x/y==")
    assert WaitingTask.of("0" * 32, task).task == "9507bdb155bbae7d4fbc31569899c32e"
