"""Dollars from counted requests: which price applies to what."""

import pytest

from tests.built.benchmarks import money, prices
from tests.built.benchmarks.calls import Call
from tests.built.benchmarks.invocation import Cycle, Invocation


def an_invocation(*operations: str, over_http: bool = True, cpu: float = 0.0, units: int = 0) -> Invocation:
    calls = (
        Call(operation=operation, start=number, end=number + 0.5, request={}, response={"Items": []})
        for number, operation in enumerate(operations)
    )
    return Invocation(calls=tuple(calls), write_units={"table": units}, cpu=cpu, log_bytes=1000, over_http=over_http)


def spent(mint: Invocation, resume: Invocation) -> dict[str, float]:
    return money.per_million_pauses(Cycle(mint=mint, resume=resume), cold_start_seconds={"mint": 0.0, "resume": 0.0})


def test_a_mint_that_a_workflow_invokes_is_no_request_to_the_api() -> None:
    over_the_api = spent(an_invocation(), an_invocation())
    by_a_workflow = spent(an_invocation(over_http=False), an_invocation())
    assert (over_the_api["HTTP API requests"], by_a_workflow["HTTP API requests"]) == pytest.approx((2.0, 1.0))
    assert over_the_api["Lambda requests"] == by_a_workflow["Lambda requests"] == pytest.approx(0.40)


def test_write_units_of_both_functions_are_paid() -> None:
    assert spent(an_invocation(units=5), an_invocation(units=6))["DynamoDB writes"] == pytest.approx(11 * 0.625)


def test_requests_to_waiting_tasks_are_listed_and_free() -> None:
    answered = an_invocation("states.SendTaskHeartbeat", "states.SendTaskSuccess")
    assert spent(an_invocation(), answered)["Step Functions requests"] == 0
    assert "Step Functions requests" not in spent(an_invocation(), an_invocation())


def test_a_billed_duration_is_whole_milliseconds_of_work_and_of_waiting() -> None:
    stores = an_invocation("dynamodb.BatchGetItem", "dynamodb.UpdateItem", cpu=0.0101)
    assert money.billed_seconds(stores) == pytest.approx(0.028)
    slow = an_invocation("dynamodb.UpdateItem", "states.SendTaskSuccess", "events.PutEvents")
    assert money.billed_seconds(slow) == pytest.approx(0.005 + 2 * 0.025)


def test_every_event_is_paid_and_waited_for() -> None:
    cycle = Cycle(mint=an_invocation("events.PutEvents"), resume=an_invocation("events.PutEvents", "events.PutEvents"))
    waited = 3 * prices.MILLION * 0.025 * prices.LAMBDA_ARM_GB_SECOND.dollars
    assert money.announcing_per_million_pauses(cycle) == pytest.approx(3 + waited)


def test_a_state_of_a_workflow_has_the_price_of_a_transition() -> None:
    assert money.workflow_per_million_pauses() == pytest.approx(25)


def test_a_month_of_sweeping_is_one_run_a_minute() -> None:
    assert prices.MINUTES_A_MONTH == 43_800
    month = money.sweeping_a_month(an_invocation(*["dynamodb.Query"] * 8, over_http=False))
    assert month["Scheduler invocations"] == pytest.approx(0.0438)
    assert month["DynamoDB reads"] == pytest.approx(43_800 * 8 * 0.5 * 0.125 / prices.MILLION)
    assert money.observing_sweeps_a_month(an_invocation())["X-Ray"] == pytest.approx(0.219)
