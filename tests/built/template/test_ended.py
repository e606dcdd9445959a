"""Executions that have ended: nothing is there unless a deployment names state machines, and no event is lost."""

import json
import re
from typing import Any

from tests.support.template import ROOT, TEMPLATE, properties, resolver

OURS = {name for name in TEMPLATE["Resources"] if name.startswith("Ended")}
MACHINES = [f"arn:aws:states:eu-west-1:123456789012:stateMachine:{name}" for name in ("orders", "refunds")]
SAMPLE = json.loads((ROOT / "events" / "ended-queue.json").read_text(encoding="utf-8"))
ENDED = json.loads(SAMPLE["Records"][0]["body"])


def test_nothing_of_it_exists_unless_a_deployment_names_state_machines() -> None:
    assert {TEMPLATE["Resources"][name].get("Condition") for name in OURS} == {"RevokesOfEndedRuns"}
    assert TEMPLATE["Outputs"]["EndedFunctionArn"]["Condition"] == "RevokesOfEndedRuns"
    held = [resolver(EndedStateMachineArns=given).holds("RevokesOfEndedRuns") for given in ("", ",".join(MACHINES))]
    assert held == [False, True]
    assert TEMPLATE["Parameters"]["EndedStateMachineArns"]["Default"] == ""


def test_the_rule_takes_the_ends_of_executions_of_the_named_machines_from_the_default_bus() -> None:
    rule = resolver(EndedStateMachineArns=",".join(MACHINES)).resolve(properties("EndedRule")["EventPattern"])
    assert rule == {
        "source": ["aws.states"],
        "account": ["123456789012"],
        "detail-type": ["Step Functions Execution Status Change"],
        "detail": {"status": ["SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"], "stateMachineArn": MACHINES},
    }
    assert "EventBusName" not in properties("EndedRule")


def filled_in(template: str, values: dict[str, str]) -> Any:
    """Return what the rule sends; EventBridge puts quotes around a text."""
    return json.loads(re.sub(r"<(\w+)>", lambda match: json.dumps(values[match[1]]), template))


def test_the_queue_gets_which_execution_ended_and_nothing_that_the_execution_was_given() -> None:
    (target,) = properties("EndedRule")["Targets"]
    chosen = target["InputTransformer"]["InputPathsMap"]
    assert chosen == {"execution": "$.detail.executionArn", "status": "$.detail.status"}
    values = {"execution": ENDED["detail"]["executionArn"], "status": ENDED["detail"]["status"]}
    assert filled_in(target["InputTransformer"]["InputTemplate"], values) == ENDED


def test_an_event_that_could_not_be_handed_over_is_kept() -> None:
    (target,) = properties("EndedRule")["Targets"]
    assert target["DeadLetterConfig"] == {"Arn": {"Fn::GetAtt": ["EndedFailures", "Arn"]}}
    assert properties("EndedQueue")["RedrivePolicy"] == {
        "deadLetterTargetArn": {"Fn::GetAtt": ["EndedFailures", "Arn"]},
        "maxReceiveCount": 5,
    }
    (statement,) = properties("EndedQueuesPolicy")["PolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "events.amazonaws.com"}
    assert statement["Condition"] == {"ArnEquals": {"aws:SourceArn": {"Fn::GetAtt": ["EndedRule", "Arn"]}}}


def test_a_mint_that_runs_when_its_execution_is_stopped_has_ended_before_the_event_is_read() -> None:
    """Its pause would have no entry yet, or no row, and nothing would look for it again."""
    timeout = properties("MintFunction").get("Timeout", TEMPLATE["Globals"]["Function"]["Timeout"])
    # Lambda gives the start of a function ten seconds more.
    assert properties("EndedQueue")["DelaySeconds"] > timeout + 10


def test_the_function_names_the_messages_that_must_come_again() -> None:
    assert properties("EndedSource")["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
