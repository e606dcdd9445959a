"""A program that runs the example workflow once, and searches everything that is recorded of it for pieces of tokens.

It is a process of its own, because a process has one deployment at a time. Traces are made by Lambda itself, of names
and times; no emulator has them.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from typing import Any

import boto3
from aws_lambda_powertools.logging import Logger

from askback.wiring import in_process
from local.demo.checks import until
from local.emulated.template import ACCOUNT, REGION, STACK
from tests.system.flows.flows import QUESTION, Flows

UNREACHABLE = "https://127.0.0.1:1"
"""No message can be sent to it, so each announcement fails, as for the dead-letter queue."""


class Recorder:
    """One run of the example workflow, and everything that is recorded of it."""

    def __init__(self, flows: Flows) -> None:
        self._flows = flows
        sqs, events = boto3.client("sqs"), boto3.client("events")
        self._queue = sqs.create_queue(QueueName="heard")["QueueUrl"]
        events.put_rule(Name="heard", EventPattern=json.dumps({"source": ["askback"]}))
        queue = f"arn:aws:sqs:{REGION}:{ACCOUNT}:heard"
        events.put_targets(Rule="heard", Targets=[{"Id": "heard", "Arn": queue}])

    def tell(self) -> tuple[dict[str, str], set[str]]:
        """Run the workflow to its end; return what is recorded by its place, and the pieces of the pause's tokens."""
        flows = self._flows
        execution = flows.start(QUESTION)
        token = flows.answer_token(execution)
        jti = flows.row(execution)["pk"]["S"].removeprefix("pause#")
        pieces = set(self._pieces(jti))
        assert set(token.split(".")) <= pieces
        announced = self._heard()
        failures = [self._notify(event) for event in announced]
        assert failures
        flows.choose(token, "Approve")
        assert flows.output(execution)["decision"] == "approved"
        refused = flows.people.post(f"/pauses/{jti}/links", {})
        history: Any = flows.step_functions.get_execution_history(executionArn=execution, includeExecutionData=True)
        described: Any = flows.step_functions.describe_execution(executionArn=execution)
        return {
            "history": json.dumps([history["events"], described], default=str),
            "events": json.dumps([*announced, *self._heard()]),
            "failures": json.dumps([failures, refused.document]),
            "log": flows.logs.getvalue(),
        }, pieces

    def _heard(self) -> list[dict[str, Any]]:
        def look() -> list[dict[str, Any]] | None:
            found = boto3.client("sqs").receive_message(QueueUrl=self._queue, MaxNumberOfMessages=10)
            for message in found.get("Messages", []):
                boto3.client("sqs").delete_message(QueueUrl=self._queue, ReceiptHandle=message["ReceiptHandle"])
            return [json.loads(message["Body"]) for message in found.get("Messages", [])] or None

        return until(look, "an event")

    def _notify(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return what Lambda puts into the dead-letter queue: the event, and the error of the function."""
        reply = boto3.client("lambda").invoke(FunctionName=f"{STACK}-notifyfunction", Payload=json.dumps(event))
        return {"requestPayload": event, "responsePayload": json.loads(reply["Payload"].read())}

    def _pieces(self, jti: str) -> Iterator[str]:
        services = in_process.build(Logger(service="pieces"))

        async def issued() -> list[str]:
            row = await services.ledger.find(jti)
            assert row is not None
            people = await services.tokens.issue_answer_tokens(row.claims, key_id=row.key_id)
            return [await services.tokens.issue_pause_token(row.claims, key_id=row.key_id), people.answer]

        for token in asyncio.run(issued()):
            yield from token.split(".")


def main() -> None:
    """Print where pieces of tokens are recorded, with the parameter `ReturnLinks` of the argument."""
    parameters = {"NotifyWebhookUrl": UNREACHABLE, "ReturnLinks": sys.argv[1]}
    with Flows(**parameters) as flows:
        recorded, pieces = Recorder(flows).tell()
    assert all(len(piece) > 30 for piece in pieces)
    assert "1 of 1 messages failed" in recorded["failures"]
    assert all("PauseIssued" in recorded[place] for place in ("events", "failures", "log"))
    found = [place for place, text in recorded.items() if any(piece in text for piece in pieces)]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
