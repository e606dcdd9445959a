"""What every delivery port promises, in memory and for each kind of run on AWS."""

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from askback.domain.delivery.outcome_text import expired_text, outcome_text, revoked_text
from askback.domain.errors import InteractionConfigurationError
from askback.domain.pause.ledger import LedgerRow, PauseStatus, Revocation
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.ports import DeliveryResult
from local.emulated.cloud import Cloud
from local.emulated.workflows.interpreter import executing
from tests.support.domain_values import an_acceptance, an_issued_row, some_claims
from tests.support.memory_deployment import NOW
from tests.support.waiting_runs import (
    EndingRuns,
    FunctionRuns,
    InMemoryRuns,
    Listener,
    Runs,
    TaskRuns,
    aws_delivery,
    callback_runs,
    function_runs,
)
from tests.support.waiting_tasks import Tasks

ANSWER = an_acceptance('{"answers":[{"other":"C++ & 100% sure \\u00e4 \\"\\n"}],"n":1.5}')
SUCCESS = outcome_text(some_claims(), ANSWER, response_text=ANSWER.response_text or "", turn_recorded=True)
FAILURE = expired_text(some_claims(), expired_at=some_claims().exp, turn_recorded=True)
REVOCATION = Revocation(by="olga", at=NOW + 70)
REVOKED = revoked_text(some_claims(), REVOCATION, turn_recorded=True)


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    with Cloud() as up, executing():
        yield up


@pytest.fixture(scope="module")
def tasks(cloud: Cloud) -> Tasks:
    return Tasks()


@pytest.fixture(scope="module")
def agent(cloud: Cloud) -> Iterator[FunctionRuns]:
    with function_runs() as runs:
        yield runs


class DeliveryPortContract:
    """Subclasses say which runs."""

    @pytest.fixture
    def runs(self) -> Runs:
        raise NotImplementedError

    def test_a_run_that_waits_is_said_to_wait_however_often_one_asks(self, runs: Runs) -> None:
        waiter = runs.start()
        assert [waits(runs, waiter) for _ in range(3)] == [True] * 3

    def test_a_run_goes_on_with_exactly_the_outcome(self, runs: Runs) -> None:
        """A-25."""
        waiter = runs.start()
        assert deliver(runs, waiter) is DeliveryResult.TAKEN
        assert runs.outcome(waiter) == ("success", SUCCESS)

    def test_a_run_goes_on_with_a_failure_that_it_can_catch_when_no_answer_came(self, runs: Runs) -> None:
        waiter = runs.start()
        assert fail(runs, waiter) is DeliveryResult.TAKEN
        assert runs.outcome(waiter) == ("failure", FAILURE)

    def test_a_run_goes_on_with_a_failure_that_it_can_catch_when_the_question_was_revoked(self, runs: Runs) -> None:
        waiter = runs.start()
        revoked = row_of(waiter, status=PauseStatus.REVOKED, revocation=REVOCATION)
        assert asyncio.run(runs.port.fail(waiter, revoked, REVOKED)) is DeliveryResult.TAKEN
        assert runs.outcome(waiter) == ("failure", REVOKED)


class ClosingContract(DeliveryPortContract):
    """For runs that take one outcome."""

    @pytest.fixture
    def runs(self) -> EndingRuns:
        raise NotImplementedError

    def test_a_second_outcome_finds_the_run_closed_and_changes_nothing(self, runs: EndingRuns) -> None:
        waiter = runs.start()
        deliver(runs, waiter)
        assert [deliver(runs, waiter), fail(runs, waiter)] == [DeliveryResult.CLOSED] * 2
        assert not waits(runs, waiter)
        assert runs.outcome(waiter) == ("success", SUCCESS)

    def test_a_run_that_has_ended_waits_no_more_and_is_closed(self, runs: EndingRuns) -> None:
        """A-21."""
        waiter = runs.start()
        runs.end(waiter)
        assert not waits(runs, waiter)
        assert [deliver(runs, waiter), fail(runs, waiter)] == [DeliveryResult.CLOSED] * 2

    def test_of_many_outcomes_at_once_one_is_taken(self, runs: EndingRuns) -> None:
        """A-24."""
        waiter = runs.start()
        with ThreadPoolExecutor(16) as pool:
            results = list(pool.map(lambda _: deliver(runs, waiter), range(16)))
        assert results.count(DeliveryResult.TAKEN) == 1
        assert results.count(DeliveryResult.CLOSED) == 15

    def test_two_runs_do_not_hear_of_each_other(self, runs: EndingRuns) -> None:
        one, other = runs.start(), runs.start()
        deliver(runs, one)
        assert waits(runs, other)


class TestInMemoryWaiters(ClosingContract):
    @pytest.fixture
    def runs(self) -> InMemoryRuns:
        return InMemoryRuns()


class TestStepFunctions(ClosingContract):
    @pytest.fixture
    def runs(self, tasks: Tasks) -> TaskRuns:
        return TaskRuns(tasks)

    def test_a_token_that_was_never_one_is_closed(self, runs: TaskRuns) -> None:
        assert not waits(runs, Waiter(kind=WaiterKind.STEP_FUNCTIONS, address="nobody's"))


class TestDurableFunctions(ClosingContract):
    @pytest.fixture
    def runs(self, cloud: Cloud) -> Iterator[EndingRuns]:
        with callback_runs() as runs:
            yield runs


class TestFunctions(DeliveryPortContract):
    @pytest.fixture
    def runs(self, agent: FunctionRuns) -> FunctionRuns:
        return agent

    def test_a_second_delivery_to_a_function_has_the_same_outcome(self, runs: FunctionRuns) -> None:
        waiter = runs.start()
        assert [deliver(runs, waiter) for _ in range(2)] == [DeliveryResult.TAKEN] * 2
        assert {runs.outcome(waiter) for _ in range(2)} == {("success", SUCCESS)}

    def test_a_function_that_is_not_there_is_the_operator_s_matter(self, runs: FunctionRuns) -> None:
        gone = Waiter(kind=WaiterKind.LAMBDA, address="arn:aws:lambda:eu-west-1:123456789012:function:gone")
        with pytest.raises(InteractionConfigurationError):
            deliver(runs, gone)


class TestEvents:
    @pytest.fixture
    def listener(self, cloud: Cloud) -> Listener:
        return Listener()

    def test_a_consumer_hears_that_there_is_an_outcome_and_not_which(self, listener: Listener) -> None:
        waiter = Waiter(kind=WaiterKind.EVENT)
        answered = an_issued_row(status=PauseStatus.ANSWERED, answer=ANSWER, waiter=waiter)
        expired = an_issued_row(status=PauseStatus.EXPIRED, waiter=waiter)
        revoked = an_issued_row(status=PauseStatus.REVOKED, waiter=waiter, revocation=REVOCATION)
        port = aws_delivery()
        assert asyncio.run(port.still_waits(waiter))
        assert asyncio.run(port.deliver(waiter, answered, SUCCESS)) is DeliveryResult.TAKEN
        assert asyncio.run(port.fail(waiter, expired, FAILURE)) is DeliveryResult.TAKEN
        assert asyncio.run(port.fail(waiter, revoked, REVOKED)) is DeliveryResult.TAKEN
        heard = listener.heard()
        assert [event["detail-type"] for event in heard] == ["PauseAnswered", "PauseExpired", "PauseRevoked"]
        assert [event["detail"]["status"] for event in heard] == ["answered", "expired", "revoked"]
        assert [event["detail"]["at"] for event in heard] == [NOW + 60, NOW + 3600, NOW + 70]
        assert "C++" not in json.dumps(heard)


def row_of(waiter: Waiter, **over: Any) -> LedgerRow:
    return an_issued_row(waiter=waiter, **over)


def waits(runs: Runs, waiter: Waiter) -> bool:
    return asyncio.run(runs.port.still_waits(waiter))


def deliver(runs: Runs, waiter: Waiter) -> DeliveryResult:
    row = row_of(waiter, status=PauseStatus.ANSWERED, answer=ANSWER)
    return asyncio.run(runs.port.deliver(waiter, row, SUCCESS))


def fail(runs: Runs, waiter: Waiter) -> DeliveryResult:
    return asyncio.run(runs.port.fail(waiter, row_of(waiter, status=PauseStatus.EXPIRED), FAILURE))
