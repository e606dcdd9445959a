"""Task tokens of the emulated Step Functions take one answer, in time, in JSON, and say by name why they take none."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from local.demo.checks import until
from local.emulated.cloud import Cloud
from local.emulated.template import ACCOUNT, REGION
from local.emulated.workflows.lambda_functions import serving

ROLE = f"arn:aws:iam::{ACCOUNT}:role/local"


class Waiting:
    """Executions of one state each, which waits for its token; the asked function keeps the tokens it was given."""

    def __init__(self) -> None:
        self.client: Any = boto3.client("stepfunctions")
        self.tokens: list[str] = []
        self.failing: list[Exception] = []

    def asked(self, event: Any) -> None:
        self.tokens.append(event["token"])
        if self.failing:
            raise self.failing.pop()

    def start(self, **fields: Any) -> str:
        task = {
            "Type": "Task",
            "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken",
            "Arguments": {"FunctionName": "asked", "Payload": {"token": "{% $states.context.Task.Token %}"}},
            "TimeoutSeconds": 30,
            "End": True,
            **fields,
        }
        definition = json.dumps({"QueryLanguage": "JSONata", "StartAt": "Ask", "States": {"Ask": task}})
        machine = self.client.create_state_machine(name=f"m{len(self.tokens)}", definition=definition, roleArn=ROLE)
        execution: str = self.client.start_execution(stateMachineArn=machine["stateMachineArn"])["executionArn"]
        return execution

    def token(self, number: int = 0) -> str:
        return until(lambda: self.tokens[number] if len(self.tokens) > number else None, "the token")

    def ended(self, execution: str) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            found: dict[str, Any] = self.client.describe_execution(executionArn=execution)
            return found if found["status"] != "RUNNING" else None

        return until(look, "the end")

    def succeed(self, token: str, output: str = "1") -> str:
        return refusal(lambda: self.client.send_task_success(taskToken=token, output=output))

    def heartbeat(self, token: str) -> str:
        return refusal(lambda: self.client.send_task_heartbeat(taskToken=token))


def refusal(call: Callable[[], object]) -> str:
    """Return the code a call is refused with, empty when it is not."""
    try:
        call()
    except ClientError as error:
        return error.response["Error"]["Code"]
    return ""


@pytest.fixture
def waiting() -> Iterator[Waiting]:
    with Cloud(parameters={"DeployExample": "true"}):
        machine = Waiting()
        with serving({"asked": machine.asked}):
            yield machine


def test_one_of_many_answers_is_taken_and_the_others_come_too_late(waiting: Waiting) -> None:
    execution = waiting.start()
    token = waiting.token()

    with ThreadPoolExecutor(16) as crowd:
        refusals = sorted(crowd.map(lambda number: waiting.succeed(token, str(number)), range(16)))

    assert refusals == [""] + ["TaskTimedOut"] * 15
    assert waiting.ended(execution)["status"] == "SUCCEEDED"
    assert waiting.succeed(token) == "TaskTimedOut"


def test_a_task_without_a_heartbeat_timeout_takes_heartbeats_while_it_waits(waiting: Waiting) -> None:
    execution = waiting.start()
    token = waiting.token()

    assert waiting.heartbeat(token) == ""
    waiting.succeed(token)
    waiting.ended(execution)
    assert waiting.heartbeat(token) == "TaskTimedOut"


def test_an_answer_after_the_timeout_comes_too_late(waiting: Waiting) -> None:
    execution = waiting.start(TimeoutSeconds=1)
    token = waiting.token()

    assert waiting.ended(execution)["error"] == "States.Timeout"
    assert (waiting.heartbeat(token), waiting.succeed(token)) == ("TaskTimedOut", "TaskTimedOut")


def test_an_answer_that_is_not_json_is_refused_and_the_task_waits_on(waiting: Waiting) -> None:
    execution = waiting.start()
    token = waiting.token()

    assert waiting.succeed(token, "yes") == "InvalidOutput"
    assert waiting.succeed(token, '{"said": "yes"}') == ""
    assert json.loads(waiting.ended(execution)["output"]) == {"said": "yes"}


def test_a_token_that_was_never_drawn_is_invalid(waiting: Waiting) -> None:
    assert waiting.succeed("AAAA") == "InvalidToken"


def test_a_failure_keeps_its_error_and_its_cause(waiting: Waiting) -> None:
    execution = waiting.start()

    waiting.client.send_task_failure(taskToken=waiting.token(), error="Some.Error", cause="for a reason")

    ended = waiting.ended(execution)
    assert (ended["status"], ended["error"], ended["cause"]) == ("FAILED", "Some.Error", "for a reason")


def test_an_attempt_that_is_tried_again_has_a_token_of_its_own(waiting: Waiting) -> None:
    waiting.failing.append(RuntimeError("not now"))
    again = [{"ErrorEquals": ["RuntimeError"], "IntervalSeconds": 1, "MaxAttempts": 1}]
    execution = waiting.start(Retry=again)
    first, second = waiting.token(0), waiting.token(1)

    assert first != second
    assert waiting.succeed(first) == "TaskTimedOut"
    assert waiting.succeed(second) == ""
    assert waiting.ended(execution)["status"] == "SUCCEEDED"


def test_a_stopped_execution_stops_at_once_and_its_token_is_closed(waiting: Waiting) -> None:
    execution = waiting.start()
    token = waiting.token()

    waiting.client.stop_execution(executionArn=execution)

    assert waiting.ended(execution)["status"] == "ABORTED"
    assert waiting.succeed(token) == "TaskTimedOut"


def test_executions_still_running_do_not_hold_up_the_end(waiting: Waiting) -> None:
    waiting.start()
    waiting.token()


def test_functions_can_be_told_something_without_waiting_for_them(waiting: Waiting) -> None:
    body = json.dumps({"token": "told"}).encode()

    accepted = boto3.client("lambda").invoke(FunctionName="asked", InvocationType="Event", Payload=body)

    assert accepted["StatusCode"] == 202
    assert waiting.token() == "told"


def test_a_state_machine_has_what_the_template_substitutes() -> None:
    with Cloud(parameters={"DeployExample": "true"}) as cloud:
        arn = cloud.state_machines["ApprovalFlow"]
        definition = boto3.client("stepfunctions").describe_state_machine(stateMachineArn=arn)["definition"]

    ask = json.loads(definition)["States"]["Ask"]
    assert ask["Arguments"]["FunctionName"].startswith(f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:")
    assert "${" not in definition


def test_without_the_example_there_is_no_state_machine() -> None:
    with Cloud() as cloud:
        assert dict(cloud.state_machines) == {}
