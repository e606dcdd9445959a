"""State machines beside the example: its own definition with parts replaced, and its Ask state in JSONPath."""

import json
from collections.abc import Mapping
from typing import Any, Final

from local.emulated.cloud import ROOT

DEFINITION: Final = ROOT / "functions" / "approval_flow.asl.json"
JSONPATH_INPUT: Final = (
    "name",
    "payload",
    "scope",
    "ttl_seconds",
    "timeout_seconds",
    "thread_id",
    "checkpoint_id",
    "tool_call_id",
)
"""What the JSONPath machine reads from its input."""


def approval_flow(mint: str, **ask: Any) -> dict[str, Any]:
    """Return the example's definition, with fields of its Ask state replaced."""
    definition: dict[str, Any] = json.loads(DEFINITION.read_text(encoding="utf-8").replace("${MintFunctionArn}", mint))
    definition["States"]["Ask"] |= ask
    return definition


def jsonpath_ask(mint: str) -> dict[str, Any]:
    """Return one state that asks whatever its input says and ends with the outcome, in JSONPath."""
    return {
        "StartAt": "NameQuestion",
        "States": {
            "NameQuestion": {"Type": "Pass", "Assign": {"question.$": "States.UUID()"}, "Next": "Ask"},
            "Ask": {
                "Type": "Task",
                "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken",
                "Parameters": {
                    "FunctionName": mint,
                    "Payload": {
                        "name.$": "$.name",
                        "payload.$": "$.payload",
                        "scope.$": "$.scope",
                        "ttl_seconds.$": "$.ttl_seconds",
                        "thread_id.$": "$.thread_id",
                        "checkpoint_id.$": "$.checkpoint_id",
                        "tool_call_id.$": "$.tool_call_id",
                        "run_id.$": "$$.Execution.Name",
                        "idempotency_key.$": "States.Format('{}/{}', $question, $$.Execution.RedriveCount)",
                        "waiter": {"kind": "step_functions", "task_token.$": "$$.Task.Token"},
                    },
                },
                "TimeoutSecondsPath": "$.timeout_seconds",
                "Catch": [{"ErrorEquals": ["Askback.PauseExpired"], "Next": "Expired"}],
                "End": True,
            },
            "Expired": {"Type": "Pass", "End": True},
        },
    }


def in_rounds(mint: str) -> dict[str, Any]:
    """Return a workflow that asks with the same words until it has paid three times; a rejected question is revised."""
    flow = approval_flow(mint)
    states: dict[str, Any] = flow["States"]
    states["Begin"] = {
        "Type": "Pass",
        "Assign": {"paid": 0, "given": "{% $states.input %}"},
        "Next": "NameQuestion",
    }
    states["Approved"] = {
        "Type": "Pass",
        "Assign": {"paid": "{% $paid + 1 %}"},
        "Output": "{% $given %}",
        "Next": "More",
    }
    states["Rejected"] = {
        "Type": "Pass",
        "Output": "{% $merge([$given, {'question': 'Refund 40.00 EUR?'}]) %}",
        "Next": "NameQuestion",
    }
    states["More"] = {
        "Type": "Choice",
        "Choices": [{"Condition": "{% $paid < 3 %}", "Next": "NameQuestion"}],
        "Default": "Paid",
    }
    states["Paid"] = {"Type": "Succeed", "Output": {"paid": "{% $paid %}"}}
    return {**flow, "StartAt": "Begin"}


def in_rounds_of_jsonpath(mint: str) -> dict[str, Any]:
    """Return a workflow in JSONPath that asks with the same words three times."""
    flow = jsonpath_ask(mint)
    states: dict[str, Any] = flow["States"]
    del states["Ask"]["End"]
    states["Ask"] |= {"ResultPath": "$.outcome", "Next": "Pay"}
    states["Begin"] = {"Type": "Pass", "Assign": {"paid": 0}, "Next": "NameQuestion"}
    states["Pay"] = {"Type": "Pass", "Assign": {"paid.$": "States.MathAdd($paid, 1)"}, "Next": "More"}
    states["More"] = {
        "Type": "Choice",
        "Choices": [{"Variable": "$paid", "NumericLessThan": 3, "Next": "NameQuestion"}],
        "Default": "Paid",
    }
    states["Paid"] = {"Type": "Pass", "Parameters": {"paid.$": "$paid"}, "End": True}
    return {**flow, "StartAt": "Begin"}


def in_a_map(flow: Mapping[str, Any]) -> dict[str, Any]:
    """Return a workflow that runs a flow for two items at the same time, each with the whole input."""
    processor = {"ProcessorConfig": {"Mode": "INLINE"}, "StartAt": flow["StartAt"], "States": flow["States"]}
    both: dict[str, Any] = {"Type": "Map", "ItemProcessor": processor, "End": True}
    if flow.get("QueryLanguage") == "JSONata":
        fields = ("scope", "question", "ttl_seconds")
        both |= {"Items": [1, 2], "ItemSelector": {name: f"{{% $states.input.{name} %}}" for name in fields}}
    else:
        both |= {"ItemsPath": "$.items", "ItemSelector": {f"{name}.$": f"$.{name}" for name in JSONPATH_INPUT}}
    return _of_one_state(flow, both)


def in_two_branches(flow: Mapping[str, Any]) -> dict[str, Any]:
    """Return a workflow that runs a flow in two branches; a state's name is unique in the whole workflow."""
    branches = [{"StartAt": flow["StartAt"], "States": flow["States"]}, _renamed(flow)]
    return _of_one_state(flow, {"Type": "Parallel", "Branches": branches, "End": True})


def _of_one_state(flow: Mapping[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    return {"QueryLanguage": flow.get("QueryLanguage", "JSONPath"), "StartAt": "Both", "States": {"Both": state}}


def _renamed(flow: Mapping[str, Any]) -> dict[str, Any]:
    def renamed(value: Any) -> Any:
        if isinstance(value, list):
            return [renamed(each) for each in value]
        if not isinstance(value, dict):
            return value
        return {name: f"{each}Again" if name in ("Next", "Default") else renamed(each) for name, each in value.items()}

    states = {f"{name}Again": renamed(state) for name, state in flow["States"].items()}
    return {"StartAt": f"{flow['StartAt']}Again", "States": states}
