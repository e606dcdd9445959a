"""Runs that wait on the deployment: executions of the tests' own machine, of the example workflow and function."""

import asyncio
import itertools
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from aws_lambda_powertools.logging import Logger

from askback.domain.pause.scope import Scope
from askback.wiring import in_process
from local.demo.api_client import Answer
from local.demo.checks import until
from local.emulated.template import ACCOUNT
from tests.built.deployed.deployment import WAITER, Deployment
from tests.support.request_bodies import a_scope
from tests.support.waiting_tasks import Tasks

Waiter = Mapping[str, str]
"""Who waits, as a mint request names it."""
Row = Mapping[str, Any]
"""A ledger row as it is stored."""
FUNCTION: Final[Waiter] = {"kind": "lambda", "function": WAITER}
PATIENCE_SECONDS: Final = 120.0
"""A function that starts on a busy machine takes its time."""
_numbers = itertools.count(1)


class Runs:
    """Starts runs, tells which pause they wait for and how they end."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._dynamodb = deployment.cloud.client("dynamodb")
        self._table = deployment.resources["Table"]
        self._let_tokens_out()
        self._tasks = Tasks(sfn=deployment.sfn, sqs=deployment.cloud.client("sqs"))

    def task(self) -> Waiter:
        """Start an execution that waits for a task token, and return how."""
        _, token = self._tasks.start()
        return {"kind": "step_functions", "task_token": token}

    def task_of_an_execution(self) -> Waiter:
        """Start an execution that waits for a task token, and return how, with the execution."""
        execution, token = self._tasks.start()
        return {"kind": "step_functions", "task_token": token, "execution": execution}

    def stop(self, execution: str) -> None:
        """Stop an execution."""
        self._deployment.sfn.stop_execution(executionArn=execution)

    def callback(self) -> Waiter:
        """Start the example durable function, and return how it waits, for anybody's answer."""
        scope = a_scope()
        self.durable_example(scope)
        return {"kind": "lambda_durable", "callback_id": self.asked(scope)["waiter_address"]["S"]}

    def durable_example(self, scope: Mapping[str, str]) -> str:
        """Start the example durable function and return its execution."""
        started = self._deployment.functions.invoke(
            FunctionName=self._deployment.outputs["DurableExampleArn"], Payload=json.dumps(_a_question(scope))
        )
        return str(started["DurableExecutionArn"])

    def workflow(self, scope: Mapping[str, str]) -> str:
        """Start the example workflow and return its execution."""
        started = self._deployment.sfn.start_execution(
            stateMachineArn=self._deployment.outputs["ApprovalFlowArn"], input=json.dumps(_a_question(scope))
        )
        return str(started["executionArn"])

    def durable_status(self, execution: str) -> tuple[str, str]:
        """Return the status and the result of the example durable function."""
        found = self._deployment.functions.get_durable_execution(DurableExecutionArn=execution)
        return found["Status"], found.get("Result", "")

    def workflow_status(self, execution: str) -> tuple[str, str]:
        """Return the status and the output of the example workflow."""
        found = self._deployment.sfn.describe_execution(executionArn=execution)
        return found["status"], found.get("output", "")

    def approved(self, scope: Mapping[str, str], status: Callable[[], tuple[str, str]]) -> tuple[str, str]:
        """Answer the question of a scope with Approve unless its run ends before it asks, and return how it ends."""

        def ended() -> tuple[str, str] | None:
            seen = status()
            return None if seen[0] == "RUNNING" else seen

        until(lambda: self._row_of(scope) or ended(), "a question, or the end of the run", seconds=PATIENCE_SECONDS)
        if (row := self._row_of(scope)) is not None:
            answer = self.choose(row, "Approve")
            assert answer.status == 200, answer.document
        return until(ended, "the end of the run", seconds=PATIENCE_SECONDS)

    def asked(self, scope: Mapping[str, str]) -> Row:
        """Wait for the one pause of a scope and return its row."""
        return until(lambda: self._row_of(scope), "the question", seconds=PATIENCE_SECONDS)

    def choose(self, row: Row, label: str) -> Answer:
        """Take one option of the examples' question, as whoever holds the link."""
        token = self._answer_token(row)
        shown = self._deployment.post("/questions", {"answer_token": token}, signed_by=None).document
        answers = [{"question_id": shown["payload"]["questions"][0]["id"], "selections": [label]}]
        body = {"answer_token": token, "response": {"answers": answers}}
        return self._deployment.post("/answers", body, signed_by=None)

    def _answer_token(self, row: Row) -> str:
        """Issue the token again from the row, as whatever tells people about questions would."""
        wired = in_process.build(Logger(service="notifier"))

        async def issue() -> str:
            found = await wired.ledger.find(row["pk"]["S"].removeprefix("pause#"))
            assert found is not None
            return (await wired.tokens.issue_answer_tokens(found.claims, key_id=found.key_id)).answer

        return asyncio.run(issue())

    def _row_of(self, scope: Mapping[str, str]) -> Row | None:
        found = self._dynamodb.query(
            TableName=self._table,
            IndexName="scope",
            KeyConditionExpression="scope_hash = :scope",
            ExpressionAttributeValues={":scope": {"S": Scope(**scope).digest()}},
        )["Items"]
        if not found:
            return None
        key = {name: found[0][name] for name in ("pk", "sk")}
        row: Row = self._dynamodb.get_item(TableName=self._table, Key=key, ConsistentRead=True)["Item"]
        return row

    def _let_tokens_out(self) -> None:
        """Let the tests' own machine hand its tokens to the tests."""
        iam = self._deployment.cloud.client("iam")
        trust = {"Effect": "Allow", "Principal": {"Service": "states.amazonaws.com"}, "Action": "sts:AssumeRole"}
        may = {"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": f"arn:aws:sqs:*:{ACCOUNT}:tokens"}
        version = {"Version": "2012-10-17"}
        iam.create_role(RoleName="waits", AssumeRolePolicyDocument=json.dumps({**version, "Statement": [trust]}))
        iam.put_role_policy(
            RoleName="waits", PolicyName="hand-over", PolicyDocument=json.dumps({**version, "Statement": [may]})
        )


def _a_question(scope: Mapping[str, str]) -> dict[str, Any]:
    return {"scope": scope, "question": "Refund 49.90 EUR?", "ttl_seconds": 600}
