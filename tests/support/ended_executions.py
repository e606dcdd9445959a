"""What the queue of the ended function hands it: messages that executions have ended."""

import json
from typing import Any


def ends_of(*executions: str, status: str = "ABORTED") -> dict[str, Any]:
    """Return the event with one message for each execution; a message has the number of its place as its id."""
    return queued(*(body_of(execution, status) for execution in executions))


def queued(*bodies: str) -> dict[str, Any]:
    """Return the event with these messages."""
    return {"Records": [{"messageId": str(number), "body": body} for number, body in enumerate(bodies)]}


def body_of(execution: str, status: str = "ABORTED") -> str:
    """Return the event of Step Functions as the rule hands it over."""
    detail = {"executionArn": execution, "status": status}
    kind = "Step Functions Execution Status Change"
    return json.dumps({"source": "aws.states", "detail-type": kind, "detail": detail})


def unfinished(reply: dict[str, Any]) -> list[str]:
    """Return the ids of the messages that come again."""
    return [failure["itemIdentifier"] for failure in reply["batchItemFailures"]]
