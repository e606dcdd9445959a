"""Dollars for a million pauses, each minted and resumed once over the HTTP API: counted calls times list prices.

Durations are not measured on Lambda. A billed duration is the processor time measured here, stretched to the share of a
processor that the function's memory buys, plus the counted round trips at an assumed time each.
"""

import math
from collections.abc import Mapping

from tests.benchmarks import prices
from tests.benchmarks.cycle import Cycle, Invocation

MEMORY_MB = 1024
_PAUSES = prices.MILLION
_SECRET_READS_A_MONTH = 30 * 24 * 12


def per_million_pauses(cycle: Cycle, *, cold_start_seconds: Mapping[str, float]) -> dict[str, float]:
    """Return dollars by what they are spent on; `cold_start_seconds` is processor time, by function.

    One month is taken to have a million pauses, for what is paid by the month.
    """
    both = cycle.both
    units = sum(sum(invocation.write_units.values()) for invocation in both)
    durations = sum(billed_seconds(invocation) for invocation in both)
    starts = prices.COLD_SHARE * sum(_stretched(seconds) for seconds in cold_start_seconds.values())
    functions = len(cold_start_seconds)
    secret_calls = functions * prices.WARM_ENVIRONMENTS * _SECRET_READS_A_MONTH
    return {
        "HTTP API requests": _PAUSES * 2 * prices.HTTP_API_REQUEST.dollars,
        "Lambda requests": _PAUSES * 2 * prices.LAMBDA_REQUEST.dollars,
        "Lambda duration": _PAUSES * _gb(durations) * prices.LAMBDA_ARM_GB_SECOND.dollars,
        "Lambda cold starts": _PAUSES * _gb(starts) * prices.LAMBDA_ARM_GB_SECOND.dollars,
        "DynamoDB writes": _PAUSES * units * prices.DYNAMODB_WRITE_UNIT.dollars,
        "DynamoDB reads": _PAUSES * sum(i.read_units for i in both) * prices.DYNAMODB_READ_UNIT.dollars,
        "S3 requests": _PAUSES
        * sum(
            i.count("s3", "PUT") * prices.S3_PUT.dollars + i.count("s3", "GET") * prices.S3_GET.dollars for i in both
        ),
        "Secrets Manager": prices.SECRET_MONTH.dollars + secret_calls * prices.SECRET_CALL.dollars,
    }


def observing_per_million_pauses(cycle: Cycle) -> dict[str, float]:
    """Return dollars for watching it: the functions' own log lines, and traces of requests that arrive in two ways."""
    logged = sum(invocation.log_bytes for invocation in cycle.both)
    return {
        "CloudWatch Logs": _PAUSES * logged / 10**9 * prices.LOGS_GB.dollars,
        **{f"X-Ray, {how}": _PAUSES * 2 * share * prices.TRACE.dollars for how, share in prices.TRACED_SHARES.items()},
    }


def billed_seconds(invocation: Invocation) -> float:
    """Return the duration that one warm invocation is billed, in whole milliseconds."""
    seconds = _stretched(invocation.cpu) + invocation.round_trips * prices.ROUND_TRIP_SECONDS
    return math.ceil(seconds * 1000) / 1000


def _stretched(cpu: float) -> float:
    return cpu * prices.VCPU_MB / MEMORY_MB


def _gb(seconds: float) -> float:
    return seconds * MEMORY_MB / 1024
