"""When each alarm is raised: the whole table, and what it does with the data that its metric really has."""

from dataclasses import dataclass
from typing import Any

import pytest

from local.emulated.template import STACK
from tests.built.template.alarm_states import Points, is_raised, watched
from tests.support.expanded_template import expanded, resolving
from tests.support.template_metrics import exists

MINUTE, FIVE_MINUTES = 60, 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An alarm: raised when `needed` of the last `of` periods are over (or under) a value."""

    watches: str
    """The metric, or the metrics that are added up or taken off, of which service or resource."""
    stat: str = "Sum"
    period: int = FIVE_MINUTES
    needed: int = 1
    of: int = 1
    over: float | None = None
    under: float | None = None
    silence_is_bad: bool = False


TABLE = {
    "UndeliverableAlarm": Row(watches="Undeliverable of sweep", period=MINUTE, over=0),
    "UndeliverableAtOnceAlarm": Row(watches="Undeliverable of resume", period=MINUTE, over=0),
    "OpenTooLongAlarm": Row(watches="OpenTooLong of sweep", period=MINUTE, over=0),
    "OpenPausesAlarm": Row(watches="OpenPauses of sweep", stat="Maximum", needed=3, of=3, over=1000),
    "OldestOpenAlarm": Row(watches="OldestOpenSeconds of sweep", stat="Maximum", needed=3, of=3, over=259_200),
    "UnanswerableAlarm": Row(
        watches="Unanswerable of mint, Unanswerable of mcp, Unanswerable of usermcp", period=MINUTE, over=0
    ),
    "DeliveryLagAlarm": Row(watches="DeliveryLagSeconds of sweep", stat="Maximum", over=900),
    "OutcomeWaitingAlarm": Row(watches="WaitingOutcomeSeconds of sweep", stat="Maximum", needed=1, of=12, over=900),
    "OldestDueAlarm": Row(
        watches="OldestDueSeconds of sweep", stat="Maximum", period=MINUTE, needed=3, of=3, over=900
    ),
    "RowFailedAlarm": Row(watches="RowFailed of sweep", needed=3, of=3, over=0),
    "SweepSilentAlarm": Row(
        watches="Swept of sweep", period=MINUTE, needed=5, of=5, under=1, silence_is_bad=True
    ),
    "SweepErrorsAlarm": Row(watches="Errors of SweepFunction", over=2),
    "SweepFailuresAlarm": Row(
        watches="ApproximateNumberOfMessagesVisible of SweepFailures.QueueName", stat="Maximum", over=0
    ),
    "EndedErrorsAlarm": Row(watches="Errors of EndedFunction", over=4),
    "EndedFailuresAlarm": Row(
        watches="ApproximateNumberOfMessagesVisible of EndedFailures.QueueName", stat="Maximum", over=0
    ),
    "RotateErrorsAlarm": Row(watches="Errors of RotateFunction", over=0),
    "ApiErrorsAlarm": Row(watches="5xx of HttpApi", over=4),
    "ApiThrottledAlarm": Row(watches="ApiThrottled of the access log", over=100),
    "TokensRejectedAlarm": Row(watches="Refused of resume.token-rejected", over=100),
    "MintErrorsAlarm": Row(watches="Errors of MintFunction, RefusalRaised of mint", over=4),
    "ResumeErrorsAlarm": Row(watches="Errors of ResumeFunction, RefusalRaised of resume", over=4),
    "InboxErrorsAlarm": Row(watches="Errors of InboxFunction, RefusalRaised of inbox", over=4),
    "LinksErrorsAlarm": Row(watches="Errors of LinksFunction, RefusalRaised of links", over=4),
    "McpErrorsAlarm": Row(watches="Errors of McpFunction", over=4),
    "UserMcpErrorsAlarm": Row(watches="Errors of UserMcpFunction", over=4),
    "PageErrorsAlarm": Row(watches="Errors of PageFunction", over=4),
    "NotifyErrorsAlarm": Row(watches="Errors of NotifyFunction", over=4),
    "NotifyFailuresAlarm": Row(
        watches="ApproximateNumberOfMessagesVisible of NotifyFailures.QueueName", stat="Maximum", over=0
    ),
    "AuditErrorsAlarm": Row(watches="Errors of AuditFunction", over=4),
    "AuditLateAlarm": Row(watches="IteratorAge of AuditFunction", stat="Maximum", over=900_000),
    "AuditFailuresAlarm": Row(
        watches="ApproximateNumberOfMessagesVisible of AuditFailures.QueueName", stat="Maximum", over=0
    ),
    "MintThrottlesAlarm": Row(watches="Throttles of MintFunction", over=0),
    "ResumeThrottlesAlarm": Row(watches="Throttles of ResumeFunction", over=0),
    "TableThrottledAlarm": Row(
        watches=(
            "ReadThrottleEvents of Table, ReadThrottleEvents of Table.due, ReadThrottleEvents of Table.scope, "
            "WriteThrottleEvents of Table, WriteThrottleEvents of Table.due, WriteThrottleEvents of Table.scope"
        ),
        needed=2,
        of=3,
        over=0,
    ),
}  # fmt: skip


def alarm(name: str, **parameters: str) -> dict[str, Any]:
    properties: dict[str, Any] = resolving(**parameters).resolve(expanded("AWS::CloudWatch::Alarm")[name]["Properties"])
    # A parameter of the type Number resolves to its text.
    return {**properties, "Threshold": float(properties["Threshold"])}


def dimensions(metric: dict[str, Any]) -> dict[str, str]:
    return {each["Name"]: each["Value"] for each in metric.get("Dimensions", ())}


def read(name: str) -> Row:
    """Return a declared alarm as a row of the table."""
    declared = alarm(name)
    metrics = watched(declared).values()
    ((stat, period),) = {(metric["Stat"], metric["Period"]) for metric in metrics}
    over = declared["ComparisonOperator"] == "GreaterThanThreshold"
    owners = [".".join(dimensions(metric).values()).removeprefix(f"{STACK}-") or "the access log" for metric in metrics]
    return Row(
        watches=", ".join(f"{metric['MetricName']} of {owner}" for metric, owner in zip(metrics, owners, strict=True)),
        stat=stat,
        period=period,
        needed=declared.get("DatapointsToAlarm", declared["EvaluationPeriods"]),
        of=declared["EvaluationPeriods"],
        over=declared["Threshold"] if over else None,
        under=None if over else declared["Threshold"],
        silence_is_bad={"breaching": True, "notBreaching": False}[declared["TreatMissingData"]],
    )


def test_these_are_the_alarms() -> None:
    assert {name: read(name) for name in expanded("AWS::CloudWatch::Alarm")} == TABLE


@pytest.mark.parametrize("name", TABLE)
def test_an_alarm_watches_a_metric_that_exists(name: str) -> None:
    for metric in watched(alarm(name)).values():
        assert exists(metric["Namespace"], metric["MetricName"], dimensions(metric), stack=STACK), metric


@pytest.mark.parametrize("name", TABLE)
def test_an_alarm_notifies_when_the_deployment_has_a_topic(name: str) -> None:
    assert "AlarmActions" not in alarm(name)
    assert alarm(name, AlarmTopicArn="arn:t")["AlarmActions"] == ["arn:t"]


@pytest.mark.parametrize("name", TABLE)
def test_an_alarm_says_what_has_happened(name: str) -> None:
    assert len(alarm(name)["AlarmDescription"].split()) >= 7


SILENCE: Points = [None] * 12


@pytest.mark.parametrize("name", TABLE)
def test_where_nothing_happens_only_a_silent_sweep_is_an_alarm(name: str) -> None:
    assert is_raised(alarm(name), **dict.fromkeys(watched(alarm(name)), SILENCE)) is (name == "SweepSilentAlarm")


@pytest.mark.parametrize(
    ("name", "sent", "raised"),
    [
        ("UndeliverableAlarm", [None, 1], True),
        ("DeliveryLagAlarm", [None, 900], False),
        ("DeliveryLagAlarm", [60, 901], True),
        ("OldestDueAlarm", [0, 950, 1010, 1070], True),
        ("OldestDueAlarm", [0, 950, 0, 1070], False),
        ("RowFailedAlarm", [0, 1, 1, 1], True),
        ("RowFailedAlarm", [1, 1, None, 1], False),
        ("SweepSilentAlarm", [1, 1, 1, 1, None], False),
        ("SweepSilentAlarm", [1, None, None, None, None, None], True),
        ("SweepFailuresAlarm", [0, 1], True),
        ("ApiErrorsAlarm", [0, 4], False),
        ("ApiErrorsAlarm", [0, 5], True),
        ("ApiThrottledAlarm", [None, 100], False),
        ("ApiThrottledAlarm", [None, 101], True),
        ("SweepErrorsAlarm", [0, 2], False),
        ("SweepErrorsAlarm", [0, 3], True),
        ("MintThrottlesAlarm", [0, 1], True),
    ],
)
def test_an_alarm_is_raised_by_what_its_metric_sends(name: str, sent: Points, raised: bool) -> None:
    assert is_raised(alarm(name), only=sent) is raised


def test_a_run_that_is_tried_once_an_hour_keeps_its_alarm_raised_in_between() -> None:
    """Between two tries the metric is zero, because nothing was tried."""
    tried: list[float | None] = [0] * 12
    for last_try in range(12):
        assert is_raised(alarm("OutcomeWaitingAlarm"), only=[*tried[:last_try], 3600, *tried[last_try + 1 :]])
    assert not is_raised(alarm("OutcomeWaitingAlarm"), only=tried)


def test_the_failures_of_every_function_are_an_alarm() -> None:
    metrics = [metric for name in TABLE for metric in watched(alarm(name)).values() if metric["MetricName"] == "Errors"]
    assert {dimensions(metric)["FunctionName"] for metric in metrics} == {
        name for name, found in expanded("AWS::Lambda::Function").items() if found.get("Condition") != "DeploysExample"
    }


@pytest.mark.parametrize("function", ["Mint", "Resume", "Inbox"])
def test_mistakes_of_direct_callers_are_not_failures_of_the_function(function: str) -> None:
    """Lambda counts both; a refusal over HTTP is no error to it and is counted under another name."""
    name = f"{function}ErrorsAlarm"
    assert not is_raised(alarm(name), errors=[300], refusals=[300])
    assert not is_raised(alarm(name), errors=[4], refusals=[None])
    assert is_raised(alarm(name), errors=[305], refusals=[300])
    assert is_raised(alarm(name), errors=[5], refusals=[None])


def test_a_table_or_an_index_that_is_throttled_for_long_is_an_alarm_and_for_a_moment_is_none() -> None:
    declared = alarm("TableThrottledAlarm")
    for metric in watched(declared):
        assert is_raised(declared, **{metric: [None, 7, 7]})
        assert not is_raised(declared, **{metric: [7, None, None]})


def test_every_queue_that_keeps_failures_has_an_alarm() -> None:
    metrics = [metric for name in TABLE for metric in watched(alarm(name)).values() if metric["Namespace"] == "AWS/SQS"]
    assert {dimensions(metric)["QueueName"] for metric in metrics} == {
        f"{name}.QueueName"
        for name, queue in expanded("AWS::SQS::Queue").items()
        if "RedrivePolicy" not in queue["Properties"]
    }
