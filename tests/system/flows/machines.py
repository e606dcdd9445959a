"""State machines beside the example: its own definition with parts replaced, and its Ask state in JSONPath."""

import json
from typing import Any, Final

from local.emulated.cloud import ROOT

DEFINITION: Final = ROOT / "functions" / "approval_flow.asl.json"


def approval_flow(mint: str, **ask: Any) -> dict[str, Any]:
    """Return the example's definition, with fields of its Ask state replaced."""
    definition: dict[str, Any] = json.loads(DEFINITION.read_text(encoding="utf-8").replace("${MintFunctionArn}", mint))
    definition["States"]["Ask"] |= ask
    return definition


def jsonpath_ask(mint: str) -> dict[str, Any]:
    """Return one state that asks whatever its input says and ends with the outcome, in JSONPath."""
    return {
        "StartAt": "Ask",
        "States": {
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
                        "idempotency_key.$": "$$.Execution.Id",
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
