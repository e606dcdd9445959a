"""Dollars: a million pauses, each minted and answered once, and what a month costs whatever the pauses.

Counted calls times list prices. Durations are not measured on Lambda. A billed duration is the processor time measured
here, stretched to the share of a processor that the function's memory buys, plus the counted round trips at an assumed
time each.
"""

import math
from collections.abc import Mapping

from tests.built.benchmarks import prices
from tests.built.benchmarks.invocation import Cycle, Invocation

MEMORY_MB = 1024
_PAUSES = prices.MILLION
_SECRET_READS_A_MONTH = prices.HOURS_A_MONTH * 12
_SLOW_SERVICES = ("states", "events")


def per_million_pauses(cycle: Cycle, *, cold_start_seconds: Mapping[str, float]) -> dict[str, float]:
    """Return dollars by what they are spent on; `cold_start_seconds` is processor time, by function.

    One month is taken to have a million pauses, for what is paid by the month.
    """
    both = cycle.both
    durations = sum(billed_seconds(invocation) for invocation in both)
    starts = prices.COLD_SHARE * sum(_stretched(seconds) for seconds in cold_start_seconds.values())
    secret_calls = len(cold_start_seconds) * prices.WARM_ENVIRONMENTS * _SECRET_READS_A_MONTH
    spent = {
        "HTTP API requests": _PAUSES * sum(i.over_http for i in both) * prices.HTTP_API_REQUEST.dollars,
        "Lambda requests": _PAUSES * len(both) * prices.LAMBDA_REQUEST.dollars,
        "Lambda duration": _PAUSES * _gb_seconds_cost(durations),
        "Lambda cold starts": _PAUSES * _gb_seconds_cost(starts),
        "DynamoDB writes": _PAUSES * cycle.write_units * prices.DYNAMODB_WRITE_UNIT.dollars,
        "DynamoDB reads": _PAUSES * sum(i.read_units for i in both) * prices.DYNAMODB_READ_UNIT.dollars,
        "S3 requests": _PAUSES
        * (cycle.count("s3", "PUT") * prices.S3_PUT.dollars + cycle.count("s3", "GET") * prices.S3_GET.dollars),
        "Secrets Manager": prices.SECRET_MONTH.dollars + secret_calls * prices.SECRET_CALL.dollars,
    }
    if tasks := cycle.count("states"):
        spent["Step Functions requests"] = _PAUSES * tasks * prices.SEND_TASK.dollars
    return spent


def observing_per_million_pauses(cycle: Cycle) -> dict[str, float]:
    """Return dollars for watching it: the functions' own log lines, and traces of requests that arrive in two ways."""
    logged = sum(invocation.log_bytes for invocation in cycle.both)
    return {
        "CloudWatch Logs": _PAUSES * _logs_cost(logged),
        **{f"X-Ray, {how}": _PAUSES * 2 * share * prices.TRACE.dollars for how, share in prices.TRACED_SHARES.items()},
    }


def announcing_per_million_pauses(announced: Cycle) -> float:
    """Return dollars for the events of a cycle on a bus, and for the time that sending them takes."""
    sent = announced.count("events", "PutEvents")
    return _PAUSES * sent * (prices.EVENT.dollars + _gb_seconds_cost(prices.SLOW_ROUND_TRIP_SECONDS))


def workflow_per_million_pauses() -> float:
    """Return dollars for one state of a Standard workflow, such as the one that asks: the workflow's own cost."""
    return _PAUSES * prices.STATE_TRANSITION.dollars


def sweeping_a_month(idle: Invocation) -> dict[str, float]:
    """Return dollars of a month in which the sweep finds nothing due, run every minute."""
    runs = prices.MINUTES_A_MONTH
    return {
        "Scheduler invocations": runs * prices.SCHEDULER_INVOCATION.dollars,
        "Lambda requests": runs * prices.LAMBDA_REQUEST.dollars,
        "Lambda duration": runs * _gb_seconds_cost(billed_seconds(idle)),
        "DynamoDB reads": runs * idle.read_units * prices.DYNAMODB_READ_UNIT.dollars,
    }


def observing_sweeps_a_month(idle: Invocation) -> dict[str, float]:
    """Return dollars for watching it. Each run is the first request of its second, so each is traced."""
    return {
        "CloudWatch Logs": prices.MINUTES_A_MONTH * _logs_cost(idle.log_bytes),
        "X-Ray": prices.MINUTES_A_MONTH * prices.TRACE.dollars,
    }


def billed_seconds(invocation: Invocation) -> float:
    """Return the duration that one warm invocation is billed, in whole milliseconds."""
    slow = sum(invocation.count(service) for service in _SLOW_SERVICES)
    quick = invocation.round_trips - slow
    waited = quick * prices.ROUND_TRIP_SECONDS + slow * prices.SLOW_ROUND_TRIP_SECONDS
    return math.ceil((_stretched(invocation.cpu) + waited) * 1000) / 1000


def _stretched(cpu: float) -> float:
    return cpu * prices.VCPU_MB / MEMORY_MB


def _gb_seconds_cost(seconds: float) -> float:
    return seconds * MEMORY_MB / 1024 * prices.LAMBDA_ARM_GB_SECOND.dollars


def _logs_cost(size: int) -> float:
    return size / 10**9 * prices.LOGS_GB.dollars
