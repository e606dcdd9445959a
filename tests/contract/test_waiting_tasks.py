"""Which tasks of an execution wait for which pauses, in memory and on DynamoDB alike."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from askback.domain.errors import StoreUnavailable
from askback.domain.pause.executions import WaitingTask
from askback.domain.ports import WaitingTasks
from askback.testing.memory_ports import InMemoryWaitingTasks
from tests.support.aws_probe import aws_error
from tests.support.aws_stores import RETENTION_SECONDS, Aws
from tests.support.ledger_steps import NEXT_TASK, TASK
from tests.support.memory_deployment import NOW
from tests.support.racing import race

EXECUTION = "arn:aws:states:eu-west-1:123456789012:execution:refunds:approval-7"
OTHER = "arn:aws:states:eu-west-1:123456789012:execution:refunds:approval-8"
FIRST, RETRY = WaitingTask.of("0" * 32, TASK), WaitingTask.of("0" * 32, NEXT_TASK)
ANOTHER = WaitingTask.of("1" * 32, TASK)


@dataclass(frozen=True)
class Entered:
    """What is entered and found."""

    port: WaitingTasks

    def enter(self, task: WaitingTask, *, execution: str = EXECUTION, expires_at: int = NOW + 60) -> None:
        asyncio.run(self.port.enter(execution, task, expires_at=expires_at))

    def of(self, execution: str = EXECUTION) -> Counter[WaitingTask]:
        return Counter(asyncio.run(self.port.of(execution)))


class WaitingTasksContract:
    """Subclasses give a port."""

    @pytest.fixture
    def tasks(self) -> Entered:
        raise NotImplementedError

    def test_an_execution_has_the_tasks_that_were_entered_for_it(self, tasks: Entered) -> None:
        for task in (FIRST, RETRY, ANOTHER):
            tasks.enter(task)
        tasks.enter(FIRST, execution=OTHER)
        assert tasks.of() == Counter([FIRST, RETRY, ANOTHER])
        assert tasks.of(OTHER) == Counter([FIRST])

    def test_an_execution_that_asked_nothing_has_none(self, tasks: Entered) -> None:
        tasks.enter(FIRST)
        assert tasks.of(OTHER) == Counter()

    def test_the_same_task_again_is_one_entry(self, tasks: Entered) -> None:
        for expires_at in (NOW + 60, NOW + 120, NOW + 30):
            tasks.enter(FIRST, expires_at=expires_at)
        assert tasks.of() == Counter([FIRST])

    def test_the_id_of_a_pause_may_have_any_characters(self, tasks: Entered) -> None:
        task = WaitingTask.of("a#b#", TASK)
        tasks.enter(task)
        assert tasks.of() == Counter([task])

    def test_tasks_that_are_entered_at_once_are_all_there(self, tasks: Entered) -> None:
        def enter(caller: int) -> str:
            tasks.enter(WaitingTask.of(f"{caller:032x}", TASK))
            return "entered"

        assert Counter(race(enter)) == {"entered": tasks.of().total()}


class TestInMemory(WaitingTasksContract):
    @pytest.fixture
    def tasks(self) -> Entered:
        return Entered(InMemoryWaitingTasks())


class TestDynamoWaitingTasks(WaitingTasksContract):
    @pytest.fixture
    def tasks(self, aws: Aws) -> Entered:
        return Entered(aws.waiting_tasks())

    def test_what_is_stored_has_no_arn_and_no_task_token_and_goes_with_the_row(self, tasks: Entered, aws: Aws) -> None:
        tasks.enter(FIRST)
        (item,) = aws.items()
        assert item == {
            "pk": {"S": "execution#" + item["pk"]["S"].removeprefix("execution#")},
            "sk": {"S": "0" * 32 + "#" + FIRST.task},
            "ttl": {"N": str(NOW + 60 + RETENTION_SECONDS)},
        }
        assert len(item["pk"]["S"]) == len("execution#") + 32
        assert not [part for part in ("refunds", "approval", TASK.address[:12]) if part in str(item)]

    def test_a_repeated_mint_with_a_shorter_time_does_not_let_the_entry_go_earlier(
        self, tasks: Entered, aws: Aws
    ) -> None:
        kept = []
        for expires_at in (NOW + 60, NOW + 120, NOW + 30):
            tasks.enter(FIRST, expires_at=expires_at)
            kept.append(int(aws.items()[0]["ttl"]["N"]) - RETENTION_SECONDS - NOW)
        assert kept == [60, 120, 120]

    def test_many_tasks_of_one_execution_are_found_over_several_pages(self, tasks: Entered, aws: Aws) -> None:
        for number in range(30):
            tasks.enter(WaitingTask.of(f"{number:032x}", TASK))
        pages: list[int] = []
        aws.dynamodb.meta.events.register("before-parameter-build.dynamodb.Query", _ten_at_a_time(pages))
        assert tasks.of().total() == 30
        assert len(pages) >= 3

    def test_a_store_that_does_not_answer_is_unavailable(self, aws: Aws) -> None:
        def refuse(**_: object) -> None:
            raise aws_error("ThrottlingException")

        aws.dynamodb.meta.events.register("before-send.dynamodb", refuse)
        port = aws.waiting_tasks()
        with pytest.raises(StoreUnavailable):
            asyncio.run(port.enter(EXECUTION, FIRST, expires_at=NOW))
        with pytest.raises(StoreUnavailable):
            asyncio.run(port.of(EXECUTION))


def _ten_at_a_time(pages: list[int]) -> Callable[..., None]:
    def limit(params: dict[str, object], **_: object) -> None:
        pages.append(1)
        params["Limit"] = 10

    return limit
