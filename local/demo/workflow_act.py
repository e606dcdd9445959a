"""The Step Functions execution of the demo: it asks, waits, gets the answer and continues."""

from __future__ import annotations

import json
from typing import Any

import boto3

from local.demo.asking import QUESTION, TTL_SECONDS, ask_and_answer, decided
from local.demo.checks import check, until
from local.demo.mailbox import Mailbox
from local.demo.story import SCOPE
from local.demo.terminal import Terminal
from local.emulated.stack import Stack


def show(stack: Stack, terminal: Terminal, chosen: str | None, mailbox: Mailbox) -> None:
    """Run the example state machine once; without a terminal `chosen` is the answer."""
    step_functions = boto3.client("stepfunctions")
    terminal.line()
    terminal.line("A Step Functions execution asks a question.")

    terminal.step(1, "The execution starts, asks and waits")
    asked = {"scope": SCOPE, "question": QUESTION, "ttl_seconds": TTL_SECONDS}
    arn = step_functions.start_execution(stateMachineArn=stack.state_machines["ApprovalFlow"], input=json.dumps(asked))[
        "executionArn"
    ]
    answer_token = mailbox.next().token
    terminal.fact("execution", arn.rpartition(":")[2])
    status = step_functions.describe_execution(executionArn=arn)["status"]
    terminal.fact("states", f"{_states(step_functions, arn)}, {status}")
    check(status == "RUNNING", "the execution did not wait")

    ask_and_answer(stack.url, terminal, answer_token, chosen)

    terminal.step(4, "The execution continues")
    ended = until(lambda: _ended(step_functions, arn), "the end of the execution")
    terminal.fact("states", f"{_states(step_functions, arn)}, {ended['status']}")
    check(ended["status"] == "SUCCEEDED", f"the execution ended as {ended['status']}")
    decided(json.loads(ended["output"]), terminal)
    continued = sum(event["type"] == "TaskSucceeded" for event in _history(step_functions, arn))
    terminal.fact("continued", "once" if continued == 1 else f"{continued} times")
    check(continued == 1, "the execution continued more than once")


def _ended(step_functions: Any, arn: str) -> dict[str, Any] | None:
    found: dict[str, Any] = step_functions.describe_execution(executionArn=arn)
    return None if found["status"] == "RUNNING" else found


def _states(step_functions: Any, arn: str) -> str:
    """Return the names of the entered states, in order."""
    entered = (event.get("stateEnteredEventDetails") for event in _history(step_functions, arn))
    return " → ".join(details["name"] for details in entered if details)


def _history(step_functions: Any, arn: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = step_functions.get_execution_history(executionArn=arn)["events"]
    return events
