"""The dashboard shows what is really sent: one misspelt name would be an empty graph that nobody misses."""

import json
import re
from collections.abc import Iterator
from typing import Any

from local.emulated.template import STACK
from tests.support.expanded_template import expanded, resolving
from tests.support.template import OPTED_IN
from tests.support.template_metrics import exists, paired

_SEARCH = re.compile(
    r"SEARCH\('\{askback,(?P<names>[\w,]+)\} MetricName=\"(?P<metric>\w+)\" service=\"(?P<service>[\w-]+)\"', "
)


def widgets() -> list[dict[str, Any]]:
    (dashboard,) = expanded("AWS::CloudWatch::Dashboard").values()
    body = resolving(**OPTED_IN).resolve(dashboard["Properties"]["DashboardBody"])
    shown: list[dict[str, Any]] = json.loads(body)["widgets"]
    return shown


def metrics() -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield namespace, name and dimensions of every metric that is shown; a search is yielded with a code for all."""
    for widget in widgets():
        for line in widget["properties"].get("metrics", ()):
            if isinstance(line[0], dict):
                search = _SEARCH.match(line[0]["expression"])
                assert search is not None, line
                assert search["names"] == "service,code"
                yield "askback", search["metric"], {"service": search["service"], "code": "any"}
            else:
                namespace, metric, *rest = line
                yield namespace, metric, paired(part for part in rest if isinstance(part, str))


def test_every_metric_that_is_shown_is_sent_with_these_dimensions() -> None:
    for namespace, metric, dimensions in metrics():
        assert exists(namespace, metric, dimensions, stack=STACK), (namespace, metric, dimensions)


def test_every_resource_that_is_shown_is_one_of_the_stack() -> None:
    names = {value.split(".")[0] for _, _, found in metrics() for key, value in found.items() if key.endswith("Name")}
    assert names - {"due", "scope"} <= {name for kind in _KINDS for name in expanded(kind)}
    assert {found["ApiId"] for _, _, found in metrics() if "ApiId" in found} == set(expanded("AWS::ApiGatewayV2::Api"))


def test_what_an_operator_asks_first_is_shown() -> None:
    shown = {metric for namespace, metric, _ in metrics() if namespace == "askback"}
    assert {
        "PauseIssued", "PauseAnswered", "AnswerReplayed", "Refused", "Expired", "Delivered", "Undeliverable",
        "TimeToAnswerSeconds", "DeliveryLagSeconds", "OldestDueSeconds",
    } <= shown  # fmt: skip
    assert ("askback", "Refused", {"service": f"{STACK}-resume", "code": "already-answered"}) in list(metrics())


def test_every_function_is_shown() -> None:
    shown = {dimensions.get("FunctionName") for _, metric, dimensions in metrics() if metric == "Errors"}
    functions = expanded("AWS::Lambda::Function").items()
    assert shown == {name for name, found in functions if found.get("Condition") != "DeploysExample"}


def test_every_alarm_is_shown() -> None:
    (alarms,) = [widget["properties"]["alarms"] for widget in widgets() if widget["type"] == "alarm"]
    assert sorted(alarms) == sorted(f"{name}.Arn" for name in expanded("AWS::CloudWatch::Alarm"))


def test_what_a_stack_does_not_have_is_not_shown() -> None:
    (dashboard,) = expanded("AWS::CloudWatch::Dashboard").values()
    body = resolving().resolve(dashboard["Properties"]["DashboardBody"])
    assert len(json.loads(body)["widgets"]) == len(widgets())
    assert not re.findall(r"Ended(?:Function|\w+Alarm)", body)


def test_no_widget_lies_over_another() -> None:
    taken = [
        (x, y)
        for widget in widgets()
        for x in range(widget["x"], widget["x"] + widget["width"])
        for y in range(widget["y"], widget["y"] + widget["height"])
    ]
    assert len(taken) == len(set(taken))
    assert max(x for x, _ in taken) < 24


_KINDS = ("AWS::Lambda::Function", "AWS::DynamoDB::Table", "AWS::SQS::Queue")
