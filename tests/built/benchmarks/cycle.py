"""One pause and its resume: asked and answered over the API, or asked by a workflow that waits for the answer."""

import json
from typing import Any

import boto3

from local.demo.checks import until
from local.emulated.template import ACCOUNT
from tests.built.benchmarks.deployment import Deployment
from tests.built.benchmarks.invocation import Cycle, Invocation
from tests.built.benchmarks.pseudo_text import Message

SCOPE = {"tenant_id": "acme", "sub_tenant_id": "eu", "namespace": "billing"}
QUESTION = {
    "question": "Refund 49.90 EUR for order A-1009?",
    "header": "Refund",
    "options": [
        {"label": "Approve", "description": "Pay it out to the card of the order."},
        {"label": "Reject", "description": "Keep the payment and tell the customer why."},
    ],
}


def a_question(deployment: Deployment, messages: list[Message]) -> dict[str, Any]:
    """Return the body that asks the question, with these messages as the paused turn."""
    return {
        "scope": SCOPE,
        "run_id": deployment.new_id(),
        "session_id": deployment.new_id(),
        "name": "ask_user",
        "tool_call_id": messages[-1]["tool_calls"][0]["id"],
        "ttl_seconds": 3600,
        "payload": {"questions": [QUESTION]},
        "messages": messages,
    }


def plain_cycle(deployment: Deployment, messages: list[Message]) -> Cycle:
    """Ask a question with these messages as the paused turn, and answer it in the name of the run."""
    asked = a_question(deployment, messages)
    minted, mint = deployment.post("/pauses", asked)
    resumed, resume = deployment.post("/resume", the_answer(asked, minted))
    if resumed["turn"]["messages"] != messages:
        raise RuntimeError("the resumed turn is not the one that was paused")
    return Cycle(mint=mint, resume=resume)


def the_answer(asked: dict[str, Any], minted: dict[str, Any]) -> dict[str, Any]:
    """Return the body that answers the question in the name of the run."""
    return {"pause_token": minted["pause_token"], "response": _answer(minted), **_place(asked)}


class Workflow:
    """A state machine of one state, which asks and waits for the answer under its task token."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._client: Any = boto3.client("stepfunctions")
        self._machine = self._client.create_state_machine(
            name="asks",
            definition=json.dumps(_machine(deployment.function_name("mint"))),
            roleArn=f"arn:aws:iam::{ACCOUNT}:role/asks",
        )["stateMachineArn"]

    def cycle(self, messages: list[Message]) -> tuple[Cycle, Invocation]:
        """Let an execution ask, and answer as the holder of the link; returns that, and the reading of the turn.

        The state invokes the mint function itself, so only the answer comes over the API. The execution has gone on
        with the answer when this returns.
        """
        asked = a_question(self._deployment, messages)
        started, minted, mint = self._deployment.measured(
            self._deployment.function_name("mint"),
            lambda: self._client.start_execution(stateMachineArn=self._machine, input=json.dumps(asked)),
        )
        answered, taken = self._deployment.post(
            "/answers", {"answer_token": minted["answer_token"], "response": _answer(minted)}
        )
        output = until(lambda: self._output(started["executionArn"]), "the end of the execution")
        if answered["delivery"] != "delivered" or output["response"] != answered["response"]:
            raise RuntimeError("the workflow did not go on with the answer")
        read, reading = self._deployment.post("/outcomes", {"pause_token": minted["pause_token"], **_place(asked)})
        if read["turn"]["messages"] != messages:
            raise RuntimeError("the turn is not the one that was paused")
        return Cycle(mint=mint, resume=taken), reading

    def _output(self, execution: str) -> Any:
        described = self._client.describe_execution(executionArn=execution)
        if described["status"] == "RUNNING":
            return None
        if described["status"] != "SUCCEEDED":
            raise RuntimeError(f"the workflow ended as {described['status']}")
        return json.loads(described["output"])


def _place(asked: dict[str, Any]) -> dict[str, Any]:
    return {name: asked[name] for name in ("scope", "run_id", "session_id")}


def _answer(minted: dict[str, Any]) -> dict[str, Any]:
    question = minted["payload"]["questions"][0]["id"]
    return {"answers": [{"question_id": question, "selections": ["Approve"]}]}


def _machine(mint: str) -> dict[str, Any]:
    asked = ("scope", "run_id", "session_id", "name", "tool_call_id", "ttl_seconds", "payload", "messages")
    return {
        "StartAt": "Ask",
        "States": {
            "Ask": {
                "Type": "Task",
                "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken",
                "Parameters": {
                    "FunctionName": mint,
                    "Payload": {
                        **{f"{name}.$": f"$.{name}" for name in asked},
                        "waiter": {"kind": "step_functions", "task_token.$": "$$.Task.Token"},
                    },
                },
                "TimeoutSeconds": 3900,
                "End": True,
            }
        },
    }
