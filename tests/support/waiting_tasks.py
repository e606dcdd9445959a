"""Executions that wait for a task token, on moto's interpreter."""

import json
from dataclasses import dataclass, field
from typing import Any

import boto3

from local.demo.checks import until
from local.emulated.template import ACCOUNT

_DEFINITION = {
    "QueryLanguage": "JSONata",
    "StartAt": "Wait",
    "States": {
        "Wait": {
            "Type": "Task",
            "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
            "TimeoutSeconds": 600,
            "Arguments": {
                "QueueUrl": "{% $states.input.queue %}",
                "MessageBody": {"token": "{% $states.context.Task.Token %}"},
            },
            "Catch": [
                {"ErrorEquals": [f"Askback.Pause{how}"], "Output": "{% $states.errorOutput.Cause %}", "Next": how}
                for how in ("Expired", "Revoked", "Superseded")
            ],
            "Next": "Answered",
        },
        "Answered": {"Type": "Succeed", "Output": "{% {'how': 'answered', 'outcome': $states.input} %}"},
        "Expired": {"Type": "Succeed", "Output": "{% {'how': 'expired', 'outcome': $parse($states.input)} %}"},
        "Superseded": {"Type": "Succeed", "Output": "{% {'how': 'superseded', 'outcome': $parse($states.input)} %}"},
        "Revoked": {"Type": "Succeed", "Output": "{% {'how': 'revoked', 'outcome': $parse($states.input)} %}"},
    },
}


@dataclass
class Tasks:
    """One state machine whose executions hand their task tokens to the test."""

    sfn: Any = field(default_factory=lambda: boto3.session.Session().client("stepfunctions"))
    sqs: Any = field(default_factory=lambda: boto3.session.Session().client("sqs"))

    def __post_init__(self) -> None:
        self._queue = self.sqs.create_queue(QueueName="tokens")["QueueUrl"]
        self._machine = self.sfn.create_state_machine(
            name="waits", definition=json.dumps(_DEFINITION), roleArn=f"arn:aws:iam::{ACCOUNT}:role/waits"
        )["stateMachineArn"]

    def start(self) -> tuple[str, str]:
        """Start an execution and return its ARN and the token that its task waits for."""
        arn = self.sfn.start_execution(stateMachineArn=self._machine, input=json.dumps({"queue": self._queue}))
        message = until(self._message, "the task token")
        self.sqs.delete_message(QueueUrl=self._queue, ReceiptHandle=message["ReceiptHandle"])
        return arn["executionArn"], json.loads(message["Body"])["token"]

    def _message(self) -> Any:
        return next(iter(self.sqs.receive_message(QueueUrl=self._queue).get("Messages", [])), None)

    def ended(self, execution: str) -> dict[str, Any]:
        """Return what an execution went on with, once it has ended."""

        def described() -> dict[str, Any] | None:
            state = self.sfn.describe_execution(executionArn=execution)
            return None if state["status"] == "RUNNING" else state

        state = until(described, "the end of the execution")
        assert state["status"] == "SUCCEEDED", state
        output: dict[str, Any] = json.loads(state["output"])
        return output
