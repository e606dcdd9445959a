"""What a deployment writes down about itself: enough to see, nothing a caller wrote, and not for ever."""

import json
import re

import pytest

from tests.template.declared import FUNCTIONS, TEMPLATE, properties, resolver, resources

LOG_GROUPS = {
    "MintLogGroup", "ResumeLogGroup", "SweepLogGroup", "ApiLogGroup", "ApprovalFlowLogGroup", "DurableExampleLogGroup",
}  # fmt: skip


def test_every_log_has_a_retention() -> None:
    groups = resources("AWS::Logs::LogGroup")
    assert set(groups) == LOG_GROUPS
    for group in groups.values():
        assert group["Properties"]["RetentionInDays"] == {"Ref": "LogRetentionDays"}


@pytest.mark.parametrize(("function", "name"), FUNCTIONS.items())
def test_every_function_writes_to_its_own_log(function: str, name: str) -> None:
    assert properties(function)["LoggingConfig"] == {"LogGroup": {"Ref": f"{name}LogGroup"}}


def test_the_access_log_is_json_and_holds_nothing_that_a_caller_wrote() -> None:
    settings = properties("HttpApi")["AccessLogSettings"]
    assert settings["DestinationArn"] == {"Fn::GetAtt": ["ApiLogGroup", "Arn"]}
    fields = json.loads(settings["Format"])
    assert {"request_id", "route", "status"} <= set(fields)
    variables = set(re.findall(r"\$context\.[\w.]+", settings["Format"]))
    # The path and the protocol line carry what the caller typed, the query string included.
    assert not [name for name in variables if re.search(r"path|query|protocol|userAgent|claims", name)]


def test_every_function_is_traced() -> None:
    assert TEMPLATE["Globals"]["Function"]["Tracing"] == "Active"
    assert not [name for name in FUNCTIONS if "Tracing" in properties(name)]


ALARMS = {
    "UndeliverableAlarm": ("Undeliverable", "sweep"),
    "UndeliverableAtOnceAlarm": ("Undeliverable", "resume"),
    "SweepSilentAlarm": ("Swept", "sweep"),
    "DeliveryLagAlarm": ("OldestDueSeconds", "sweep"),
    "RowFailedAlarm": ("RowFailed", "sweep"),
}


def test_the_alarms_watch_metrics_that_the_functions_count_under_their_own_service() -> None:
    resolving = resolver()
    assert set(resources("AWS::CloudWatch::Alarm")) == set(ALARMS)
    for name, (metric, function) in ALARMS.items():
        alarm = resolving.resolve(properties(name))
        (dimension,) = alarm["Dimensions"]
        service = properties(f"{function.title()}Function")["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"]
        assert (alarm["Namespace"], alarm["MetricName"]) == ("askback", metric)
        assert dimension == {"Name": "service", "Value": resolving.resolve(service)}


def test_an_alarm_notifies_when_there_is_somebody_to_notify() -> None:
    for name in ALARMS:
        assert "AlarmActions" not in resolver().resolve(properties(name))
        assert resolver(AlarmTopicArn="arn:t").resolve(properties(name))["AlarmActions"] == ["arn:t"]


def test_a_sweep_that_does_not_run_is_an_alarm_and_quiet_otherwise_is_none() -> None:
    assert properties("SweepSilentAlarm")["TreatMissingData"] == "breaching"
    assert properties("UndeliverableAlarm")["TreatMissingData"] == "notBreaching"
