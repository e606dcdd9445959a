"""The example durable function, run by its SDK's runner, with the real functions behind its callback."""

import asyncio
import hashlib
import itertools
import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from askback.adapters.delivery import AwsDelivery, NoEvents
from askback.domain.pause.waiters import Waiter, WaiterKind
from local.emulated.workflows.durable import DurableRuns, durable_runs
from tests.system.flows.flows import PATIENCE_SECONDS, QUESTION, Flows

_numbers = itertools.count(1)


@pytest.fixture
def runs(flows: Flows) -> Iterator[DurableRuns]:
    ((function, handler),) = flows.stack.durable.items()
    with durable_runs(handler, function) as up:
        yield up


@pytest.mark.parametrize(("label", "decision"), [("Approve", "approved"), ("Reject", "rejected")])
def test_a_durable_function_waits_for_its_answer_and_goes_on_with_it(
    flows: Flows, runs: DurableRuns, label: str, decision: str
) -> None:
    execution = _start(runs)
    token = flows.answer_token(_key(runs, execution))

    receipt = flows.choose(token, label)

    assert (receipt.status, receipt.document["delivery"]) == (200, "delivered")
    result = _result(runs, execution)
    assert (result["decision"], result["pause"]) == (decision, receipt.document["jti"])


def test_the_same_answer_twice_completes_the_callback_once(flows: Flows, runs: DurableRuns) -> None:
    execution = _start(runs)
    token = flows.answer_token(_key(runs, execution))
    response = flows.choice(token, "Approve")

    first, again = flows.answer(token, response), flows.answer(token, response)

    assert [each.status for each in (first, again)] == [200, 200]
    assert [each.document["replayed"] for each in (first, again)] == [False, True]
    assert _result(runs, execution)["decision"] == "approved"
    other = flows.choose(token, "Reject")
    assert (other.status, other.code) == (409, "already-answered")


def test_a_pause_without_an_answer_expires_and_the_function_gets_the_failure(flows: Flows, runs: DurableRuns) -> None:
    execution = _start(runs)
    flows.answer_token(_key(runs, execution))

    flows.sweep(ahead=QUESTION["ttl_seconds"] + 1)

    assert _result(runs, execution) == {"decision": "expired", "reason": "there was no answer in time"}


def test_a_revoked_pause_ends_as_revoked_in_the_function(flows: Flows, runs: DurableRuns) -> None:
    execution = _start(runs)
    flows.answer_token(_key(runs, execution))

    assert flows.revoke(_key(runs, execution)).status == 200
    flows.sweep(ahead=1)

    assert _result(runs, execution) == {"decision": "revoked"}


def test_a_question_that_cannot_be_asked_ends_the_function_with_the_mints_problem(runs: DurableRuns) -> None:
    execution = _start(runs, question="")

    ended = runs.result(execution, seconds=PATIENCE_SECONDS)

    assert ended.status.value == "FAILED"
    problem = json.loads(ended.error.message)
    assert (problem["code"], problem["errors"][0]["field"]) == ("bad-request", "payload.questions[0].question")


def test_a_callback_that_is_done_does_not_wait(flows: Flows, runs: DurableRuns) -> None:
    execution = _start(runs)
    callback = runs.waiting(execution, seconds=PATIENCE_SECONDS)
    flows.choose(flows.answer_token(_key(runs, execution)), "Approve")
    _result(runs, execution)

    delivery = AwsDelivery(
        step_functions=lambda: boto3.client("stepfunctions"),
        functions=lambda: boto3.client("lambda"),
        events=NoEvents(),
    )
    waiter = Waiter(kind=WaiterKind.LAMBDA_DURABLE, address=callback)
    assert asyncio.run(delivery.still_waits(waiter)) is False


def _start(runs: DurableRuns, **over: Any) -> str:
    return runs.start(QUESTION | over, name=f"run-{next(_numbers)}")


def _key(runs: DurableRuns, execution: str) -> str:
    return hashlib.sha256(runs.waiting(execution, seconds=PATIENCE_SECONDS).encode()).hexdigest()


def _result(runs: DurableRuns, execution: str) -> Any:
    ended = runs.result(execution, seconds=PATIENCE_SECONDS)
    assert ended.status.value == "SUCCEEDED", ended.error
    return json.loads(ended.result)
