"""Reads from CloudWatch the sum of a metric of the functions, and the last hour with a count."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

NAMESPACE = "askback"
HOUR = 3600
KEPT_SECONDS = 455 * 24 * HOUR
"""How long CloudWatch keeps hourly values of a metric."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The sum, and the start of the last hour with a count (epoch seconds), or None."""

    total: int
    last_hour: int | None


def counted(cloudwatch: Any, *, metric: str, service: str, since: int, until: int) -> Counted:
    """Return the count from `since` to `until` (epoch seconds); raises what the client raises."""
    query = {
        "Id": "counted",
        "MetricStat": {
            "Metric": {
                "Namespace": NAMESPACE,
                "MetricName": metric,
                "Dimensions": [{"Name": "service", "Value": service}],
            },
            "Period": HOUR,
            "Stat": "Sum",
        },
    }
    begin = max(since, until - KEPT_SECONDS) // HOUR * HOUR
    pages = cloudwatch.get_paginator("get_metric_data").paginate(
        MetricDataQueries=[query],
        StartTime=datetime.fromtimestamp(begin, UTC),
        EndTime=datetime.fromtimestamp(until // HOUR * HOUR + HOUR, UTC),
    )
    found = [
        (int(moment.timestamp()), value)
        for page in pages
        for result in page["MetricDataResults"]
        for moment, value in zip(result["Timestamps"], result["Values"], strict=True)
        if value
    ]
    return Counted(
        total=int(sum(value for _, value in found)), last_hour=max((moment for moment, _ in found), default=None)
    )
