"""What a deployment writes down about itself: enough to see, nothing a caller wrote, and not for ever."""

import json
import re

import pytest

from tests.support.template import FUNCTIONS, properties, resources
from tests.support.template_metrics import OF_THE_ACCESS_LOG

LOG_GROUPS = {
    "MintLogGroup", "ResumeLogGroup", "SweepLogGroup", "InboxLogGroup", "LinksLogGroup", "PageLogGroup",
    "NotifyLogGroup", "ApiLogGroup", "ApprovalFlowLogGroup", "DurableExampleLogGroup", "RotateLogGroup",
    "AuditLogGroup", "EndedLogGroup", "McpLogGroup", "UserMcpLogGroup",
}  # fmt: skip


def test_every_log_has_a_retention() -> None:
    groups = resources("AWS::Logs::LogGroup")
    decisions = groups.pop("DecisionLogGroup")["Properties"]
    assert decisions["RetentionInDays"] == {"Ref": "AuditRetentionDays"}
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


def test_what_is_counted_in_the_access_log_is_a_status_as_the_log_writes_it() -> None:
    counted = {}
    for count in resources("AWS::Logs::MetricFilter").values():
        declared = count["Properties"]
        assert declared["LogGroupName"] == {"Ref": "ApiLogGroup"}
        (metric,) = declared["MetricTransformations"]
        assert metric["MetricNamespace"] == {"Fn::Sub": "askback/${AWS::StackName}"}
        assert metric["MetricValue"] == "1"
        counted[metric["MetricName"]] = declared["FilterPattern"]
    assert counted.keys() == OF_THE_ACCESS_LOG
    # The log has the status in quotes; a pattern with a number would match none.
    assert json.loads(properties("HttpApi")["AccessLogSettings"]["Format"])["status"] == "$context.status"
    assert counted == {"ApiThrottled": '{ $.status = "429" }'}
