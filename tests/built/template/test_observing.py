"""What a deployment writes down about itself: enough to see, nothing a caller wrote, and not for ever."""

import json
import re

import pytest

from tests.support.template import FUNCTIONS, properties, resources

LOG_GROUPS = {
    "MintLogGroup", "ResumeLogGroup", "SweepLogGroup", "InboxLogGroup", "LinksLogGroup", "PageLogGroup",
    "NotifyLogGroup", "ApiLogGroup", "ApprovalFlowLogGroup", "DurableExampleLogGroup", "RotateLogGroup",
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
