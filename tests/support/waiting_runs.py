"""Runs that wait, for the contract of the delivery port: in memory, and as the services of AWS have them."""

import itertools
import json
import queue
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import boto3
from aws_durable_execution_sdk_python import CallbackExternalError, DurableContext, durable_execution
from aws_durable_execution_sdk_python.config import Duration, WaitForCallbackConfig

from askback.adapters.delivery import AwsDelivery
from askback.adapters.event_bridge import EventBridgeEvents
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.ports import DeliveryPort
from askback.testing.memory_waiters import InMemoryWaiters
from local.emulated.template import ACCOUNT, REGION
from local.emulated.workflows.durable import DurableRuns, durable_runs
from local.emulated.workflows.lambda_functions import serving
from tests.support.waiting_tasks import Tasks

PATIENCE_SECONDS = 10
BUS = "default"
Outcome = tuple[str, str]
"""What a run got: `success` or `failure`, and the outcome."""


class Runs(Protocol):
    """Runs of one kind."""

    @property
    def port(self) -> DeliveryPort:
        """Return what tells them."""
        ...

    def start(self) -> Waiter:
        """Start a run and return how it waits."""
        ...

    def outcome(self, waiter: Waiter) -> Outcome:
        """Return what the run went on with."""
        ...


class EndingRuns(Runs, Protocol):
    """Runs that can end without its outcome."""

    def end(self, waiter: Waiter) -> None:
        """Let the run end without its outcome."""
        ...


class InMemoryRuns:
    """Addresses of the fake."""

    def __init__(self) -> None:
        self.port = InMemoryWaiters()
        self._ids = itertools.count(1)

    def start(self) -> Waiter:
        return Waiter(kind=WaiterKind.STEP_FUNCTIONS, address=f"task-{next(self._ids)}")

    def outcome(self, waiter: Waiter) -> Outcome:
        (told,) = self.port.outcomes[waiter.address]
        return told

    def end(self, waiter: Waiter) -> None:
        self.port.closed.add(waiter.address)


class TaskRuns:
    """Executions of a state machine that wait for a task token."""

    def __init__(self, tasks: Tasks) -> None:
        self.port = aws_delivery()
        self._tasks = tasks
        self._executions: dict[str, str] = {}

    def start(self) -> Waiter:
        execution, token = self._tasks.start()
        self._executions[token] = execution
        return Waiter(kind=WaiterKind.STEP_FUNCTIONS, address=token)

    def outcome(self, waiter: Waiter) -> Outcome:
        ended = self._tasks.ended(self._executions[waiter.address])
        return "success" if ended["how"] == "answered" else "failure", _text(ended["outcome"])

    def end(self, waiter: Waiter) -> None:
        self._tasks.sfn.stop_execution(executionArn=self.execution_of(waiter))

    def execution_of(self, waiter: Waiter) -> str:
        """Return the ARN of the execution in which this task waits."""
        return self._executions[waiter.address]


@durable_execution
def waits(event: dict[str, Any], context: DurableContext) -> dict[str, Any]:
    """Wait for one callback and return how it was completed."""
    config = WaitForCallbackConfig(timeout=Duration.from_seconds(event["seconds"]))
    try:
        result = context.wait_for_callback(lambda callback_id, _: None, name="answer", config=config)
    except CallbackExternalError as error:
        return {"how": "failure", "outcome": str(error)}
    return {"how": "success", "outcome": result}


class CallbackRuns:
    """Executions of a durable function that wait for a callback."""

    def __init__(self, runs: DurableRuns) -> None:
        self.port = aws_delivery()
        self._runs = runs
        self._executions: dict[str, str] = {}

    def start(self) -> Waiter:
        execution = self._runs.start({"seconds": 600}, name=f"run-{len(self._executions)}")
        callback_id = self._runs.waiting(execution, seconds=PATIENCE_SECONDS)
        self._executions[callback_id] = execution
        return Waiter(kind=WaiterKind.LAMBDA_DURABLE, address=callback_id)

    def outcome(self, waiter: Waiter) -> Outcome:
        ended = self._runs.result(self._executions[waiter.address], seconds=PATIENCE_SECONDS)
        result = json.loads(ended.result)
        return result["how"], result["outcome"]

    def end(self, waiter: Waiter) -> None:
        """Somebody else completes the callback, which is all that its service can be told."""
        boto3.client("lambda").send_durable_execution_callback_success(CallbackId=waiter.address, Result=b"{}")


@contextmanager
def callback_runs() -> Iterator[CallbackRuns]:
    """Let durable functions be run, until leaving."""
    with durable_runs(waits, "waits") as runs:
        yield CallbackRuns(runs)


class FunctionRuns:
    """A function that is invoked with the outcome."""

    def __init__(self, taken: "queue.Queue[Any]") -> None:
        self.port = aws_delivery()
        self._taken = taken

    def start(self) -> Waiter:
        return Waiter(kind=WaiterKind.LAMBDA, address=f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:agent")

    def outcome(self, waiter: Waiter) -> Outcome:
        outcome = self._taken.get(timeout=PATIENCE_SECONDS)
        return "success" if outcome["outcome"] == "answered" else "failure", _text(outcome)

    def forget(self) -> None:
        """Drop the outcomes that no test has read: all runs have one address, so a later run would get them."""
        while not self._taken.empty():
            self._taken.get_nowait()


@contextmanager
def function_runs() -> Iterator[FunctionRuns]:
    """Let the function be there, until leaving."""
    taken: queue.Queue[Any] = queue.Queue()
    with serving({"agent": taken.put}):
        yield FunctionRuns(taken)


class Listener:
    """A queue behind a rule of the bus."""

    def __init__(self) -> None:
        self._sqs: Any = boto3.client("sqs")
        self._queue = self._sqs.create_queue(QueueName="announcements")["QueueUrl"]
        found = self._sqs.get_queue_attributes(QueueUrl=self._queue, AttributeNames=["QueueArn"])
        events: Any = boto3.client("events")
        events.put_rule(Name="askback", EventBusName=BUS, EventPattern=json.dumps({"source": ["askback"]}))
        events.put_targets(
            Rule="askback", EventBusName=BUS, Targets=[{"Id": "queue", "Arn": found["Attributes"]["QueueArn"]}]
        )

    def heard(self) -> list[dict[str, Any]]:
        """Return the events that came since the last time, whole."""
        heard: list[dict[str, Any]] = []
        while messages := self._sqs.receive_message(QueueUrl=self._queue, MaxNumberOfMessages=10).get("Messages"):
            for message in messages:
                heard.append(json.loads(message["Body"]))
                self._sqs.delete_message(QueueUrl=self._queue, ReceiptHandle=message["ReceiptHandle"])
        return heard


def aws_delivery() -> AwsDelivery:
    """Return the port over clients of the running emulator."""
    step_functions, functions, events = boto3.client("stepfunctions"), boto3.client("lambda"), boto3.client("events")
    return AwsDelivery(
        step_functions=lambda: step_functions,
        functions=lambda: functions,
        events=EventBridgeEvents(client=lambda: events, bus=BUS),
    )


def _text(outcome: Any) -> str:
    """Return an outcome that was parsed on its way as the text that it was."""
    return json.dumps(outcome, separators=(",", ":"), sort_keys=True)
