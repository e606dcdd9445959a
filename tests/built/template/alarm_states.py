"""What an alarm does, worked out from its properties: CloudWatch's rules for thresholds and for missing data.

One simplification: CloudWatch looks a little further back than the periods it evaluates, so an alarm may keep its state
for a few periods longer than here.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

Points = Sequence[float | None]
"""One value for each period, the newest last; None where nothing was sent."""

_DIFFERENCE = re.compile(r"FILL\((\w+), 0\) - FILL\((\w+), 0\)")


def watched(alarm: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the metrics an alarm looks at, by id; the only metric of one without an expression is `only`."""
    if "MetricName" in alarm:
        named = {name: alarm[name] for name in ("Namespace", "MetricName", "Dimensions") if name in alarm}
        return {"only": {**named, "Stat": alarm["Statistic"], "Period": alarm["Period"]}}
    stats = {each["Id"]: each["MetricStat"] for each in alarm["Metrics"] if "MetricStat" in each}
    return {name: {**stat["Metric"], "Stat": stat["Stat"], "Period": stat["Period"]} for name, stat in stats.items()}


def is_raised(alarm: Mapping[str, Any], **sent: Points) -> bool:
    """Tell whether the alarm is in the state ALARM after these periods; metrics that are not named sent nothing."""
    periods = alarm["EvaluationPeriods"]
    points = [_value(alarm, {name: series[-back] for name, series in sent.items()}) for back in range(periods, 0, -1)]
    breaching = sum(_breaches(alarm, point) for point in points)
    return breaching >= int(alarm.get("DatapointsToAlarm", periods))


def _breaches(alarm: Mapping[str, Any], point: float | None) -> bool:
    if point is None:
        return bool(alarm["TreatMissingData"] == "breaching")
    if alarm["ComparisonOperator"] == "GreaterThanThreshold":
        return bool(point > alarm["Threshold"])
    assert alarm["ComparisonOperator"] == "LessThanThreshold"
    return bool(point < alarm["Threshold"])


def _value(alarm: Mapping[str, Any], sent: Mapping[str, float | None]) -> float | None:
    if "MetricName" in alarm:
        return sent.get("only")
    (expression,) = [each["Expression"] for each in alarm["Metrics"] if "Expression" in each]
    filled = {name: sent.get(name) or 0 for name in watched(alarm)}
    if expression == "SUM(FILL(METRICS(), 0))":
        return sum(filled.values())
    difference = _DIFFERENCE.fullmatch(expression)
    assert difference is not None, expression
    return filled[difference[1]] - filled[difference[2]]
