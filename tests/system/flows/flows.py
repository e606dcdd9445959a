"""One running deployment with the example in it, and what a test does with a workflow."""

import io
import itertools
import json
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack, redirect_stderr
from typing import Any, Final, Self

import boto3

from askback.adapters.dynamodb.keys import ledger_key
from askback.domain.pause import ids
from askback.domain.pause.scope import Scope
from askback.wiring.sources import now
from local.demo.api_client import Answer, Client
from local.demo.checks import until
from local.emulated.functions import Function, Handler
from local.emulated.stack import Stack
from local.emulated.template import ACCOUNT, REGION, STACK
from tests.support.answer_kinds import ANSWER_KINDS
from tests.support.answer_links import answer_token, asked_keys
from tests.support.ended_executions import ends_of
from tests.support.loaded_function import load
from tests.support.request_bodies import SCOPE
from tests.support.template import OPTED_IN

MINT: Final = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{STACK}-mint"
QUESTION: Final[dict[str, Any]] = {"scope": SCOPE, "question": "Refund 49.90 EUR?", "ttl_seconds": 60}
PATIENCE_SECONDS: Final = 20

_numbers = itertools.count(1)
_deployments = itertools.count(1)


class Flows:
    """The stack, its Step Functions and its people. Logs, of every level, go to `logs`."""

    def __init__(self, **parameters: str) -> None:
        self._parameters = parameters
        self._number = next(_deployments)
        self.logs = io.StringIO()
        self.sweep_ahead = 0
        """How many seconds the sweep's clock runs ahead of the others'."""
        self._machines: dict[str, str] = {}
        self._question_ids: dict[str, list[str]] = {}
        self._exit = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            parameters = {"DeployExample": "true", "EventBusName": "default", "LogLevel": "DEBUG", **OPTED_IN}
            parameters |= self._parameters
            self.stack = Stack(parameters=parameters, load=self._load, logs=True)
            # Handlers log to what standard error is while they are loaded.
            with redirect_stderr(self.logs):
                stack.enter_context(self.stack)
            self.step_functions = boto3.client("stepfunctions")
            self.people = Client(self.stack.url)
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *details: object) -> None:
        self._exit.close()

    def _load(self, function: Function) -> Handler:
        # A logger of a name that another test used in this process would still write to that test's stream.
        os.environ["POWERTOOLS_SERVICE_NAME"] = f"flows-{self._number}-{function.code.name}"
        sweeping = function.code.name == "sweep"
        return load(function, registry=ANSWER_KINDS, clock=(lambda: now() + self.sweep_ahead) if sweeping else now)

    def machine(self, definition: Mapping[str, Any]) -> str:
        """Create a state machine, or find the one of this definition."""
        text = json.dumps(definition)
        if text not in self._machines:
            role = f"arn:aws:iam::{ACCOUNT}:role/test"
            name = f"machine-{len(self._machines)}"
            created = self.step_functions.create_state_machine(name=name, definition=text, roleArn=role)
            self._machines[text] = created["stateMachineArn"]
        return self._machines[text]

    def start(self, given: Mapping[str, Any], machine: str | None = None) -> str:
        """Start an execution of the example, or of another machine, and return its ARN."""
        arn = machine or self.stack.state_machines["ApprovalFlow"]
        started = self.step_functions.start_execution(stateMachineArn=arn, input=json.dumps(given))
        return started["executionArn"]

    def keys(self, execution: str, count: int = 1) -> list[str]:
        """Wait until an execution has asked under so many keys, and return them in order."""

        def found() -> list[str] | None:
            keys = list(dict.fromkeys(asked_keys(self.step_functions, execution)))
            return keys if len(keys) >= count else None

        return until(found, f"{count} questions")

    def answer_token(self, asked: str) -> str:
        """Wait until a pause is asked, and return the token that answers it.

        `asked` is an idempotency key, or the ARN of an execution, whose first question is then meant. The question is
        read at once, as a person does: after the end, a link without a recipient does not show it.
        """
        token = answer_token(self.stack.url, SCOPE, self._key(asked))
        shown = self.people.post("/questions", {"answer_token": token}).document
        self._question_ids[token] = [question["id"] for question in shown["payload"].get("questions", ())]
        return token

    def _key(self, asked: str) -> str:
        return self.keys(asked)[0] if asked.startswith("arn:") else asked

    def row(self, asked: str) -> dict[str, Any]:
        """Return the ledger row of the pause of a key, or of an execution's first question, as it is stored."""
        key = self._key(asked)
        jti = ids.keyed_pause_id(scope_hash=Scope(**SCOPE).digest(), idempotency_key=key)
        found: dict[str, Any] = boto3.client("dynamodb").get_item(  # type: ignore[assignment]
            TableName=f"{STACK}-table", Key=ledger_key(jti), ConsistentRead=True
        )
        return dict(found.get("Item", {}))

    def revoke(self, key: str) -> Answer:
        """Take the question of an execution back, as an operator does."""
        return self.people.send("DELETE", f"/pauses/{self.row(key)['pk']['S'].removeprefix('pause#')}")

    def answered_at(self, key: str) -> int:
        """Return when the pause with this idempotency key was answered, as its row has it."""
        return int(self.row(key)["answered_at"]["N"])

    def until(self, look: Callable[[], object], what: str) -> None:
        """Wait for something to be so."""
        until(lambda: look() or None, what)

    def answer(self, token: str, response: Any) -> Answer:
        """Answer as the holder of the link."""
        return self.people.post("/answers", {"answer_token": token, "response": response})

    def choose(self, token: str, label: str) -> Answer:
        """Answer the example's question with one of its options."""
        return self.answer(token, self.choice(token, label))

    def choice(self, token: str, label: str) -> dict[str, Any]:
        """Return the response that takes this option."""
        return {"answers": [{"question_id": self._question_ids[token][0], "selections": [label]}]}

    def sweep(self, *, ahead: int) -> dict[str, Any]:
        """Invoke the sweep with its clock so far ahead, and return its report."""
        self.sweep_ahead = ahead
        try:
            reply = boto3.client("lambda").invoke(FunctionName=f"{STACK}-sweepfunction", Payload=b"{}")
        finally:
            self.sweep_ahead = 0
        report: dict[str, Any] = json.loads(reply["Payload"].read())
        return report

    def stop(self, execution: str) -> None:
        """Stop an execution, and let the ended function hear of it, as its rule and its queue do on AWS."""
        self.step_functions.stop_execution(executionArn=execution)
        status = self.ended(execution)["status"]
        event = json.dumps(ends_of(execution, status=status)).encode()
        reply = boto3.client("lambda").invoke(FunctionName=f"{STACK}-endedfunction", Payload=event)
        assert json.loads(reply["Payload"].read()) == {"batchItemFailures": []}

    def mint(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Invoke the mint as a state does: a direct caller, so not the principal of a request over HTTP."""
        reply = boto3.client("lambda").invoke(FunctionName=MINT, Payload=json.dumps(request).encode())
        minted: dict[str, Any] = json.loads(reply["Payload"].read())
        return minted

    def ended(self, execution: str) -> dict[str, Any]:
        """Wait until an execution has ended and describe it."""

        def look() -> Any:
            found = self.step_functions.describe_execution(executionArn=execution)
            return found if found["status"] != "RUNNING" else None

        ended: dict[str, Any] = until(look, "the end of the execution")
        return ended

    def output(self, execution: str) -> Any:
        """Wait for an execution to succeed and return its output."""
        ended = self.ended(execution)
        assert ended["status"] == "SUCCEEDED", ended
        return json.loads(ended["output"])

    def events(self, execution: str, kind: str) -> list[dict[str, Any]]:
        """Return an execution's events of one type."""
        history: Any = self.step_functions.get_execution_history(executionArn=execution)
        return [event for event in history["events"] if event["type"] == kind]

    def task_tokens(self, execution: str) -> list[str]:
        """Return the task token of every attempt at asking, in order."""
        scheduled = self.events(execution, "TaskScheduled")
        asked = (json.loads(event["taskScheduledEventDetails"]["parameters"]) for event in scheduled)
        return [each["Payload"]["waiter"]["task_token"] for each in asked]

    def stop_all(self) -> None:
        """Stop every execution that still runs."""
        for machine in (*self.stack.state_machines.values(), *self._machines.values()):
            running = self.step_functions.list_executions(stateMachineArn=machine, statusFilter="RUNNING")
            for execution in running["executions"]:
                self.step_functions.stop_execution(executionArn=execution["executionArn"])
                self.ended(execution["executionArn"])


def a_flow_input(name: str, **over: Any) -> dict[str, Any]:
    """Return the input of the JSONPath machine, on a thread of its own."""
    number = next(_numbers)
    return {
        "name": name,
        "payload": {"text": "And?"},
        "scope": SCOPE,
        "ttl_seconds": 60,
        "timeout_seconds": 60,
        "thread_id": f"thread-{number}",
        "checkpoint_id": "checkpoint-1",
        "tool_call_id": f"call-{number}",
        **over,
    }
