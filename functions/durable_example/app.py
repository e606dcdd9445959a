"""Example: a durable function that asks for approval, waits without running, and goes on with the answer.

Its event: `scope`, `question` and `ttl_seconds`. Its result says what was decided: approved, rejected, expired or
withdrawn.
"""

import hashlib
import json
import os
from typing import Any

import boto3
from aws_durable_execution_sdk_python import (
    CallbackExternalError,
    CallbackTimeoutError,
    DurableContext,
    durable_execution,
)
from aws_durable_execution_sdk_python.config import Duration, WaitForCallbackConfig
from aws_durable_execution_sdk_python.retries import RetryStrategyConfig, create_retry_strategy

functions = boto3.client("lambda")

SPARE_SECONDS = 300
"""How much longer than the question the callback waits: the sweep that ends it runs every minute."""


class MintUnavailable(Exception):
    """The mint may work in a moment; asking again gives the same pause."""


class QuestionRefused(Exception):
    """The mint will never take this question; the text is its problem document."""


@durable_execution
def handler(event: dict[str, Any], context: DurableContext) -> dict[str, Any]:
    """Ask the event's question and return the decision."""
    config = WaitForCallbackConfig(
        timeout=Duration.from_seconds(event["ttl_seconds"] + SPARE_SECONDS),
        retry_strategy=create_retry_strategy(
            RetryStrategyConfig(
                max_attempts=6, initial_delay=Duration.from_seconds(1), retryable_error_types=[MintUnavailable]
            )
        ),
    )
    try:
        result = context.wait_for_callback(
            lambda callback_id, _: ask(event, callback_id), name="approval", config=config
        )
    except CallbackTimeoutError:
        return {"decision": "expired", "reason": "the callback timed out"}
    except CallbackExternalError as error:
        # Neither a timeout nor a withdrawal is anybody's refusal. Any other failure is not ours to interpret.
        ended = how_it_ended(error)
        if ended == "expired":
            return {"decision": "expired", "reason": "nobody answered in time"}
        if ended == "revoked":
            return {"decision": "withdrawn"}
        raise
    outcome = json.loads(result)
    approved = "Approve" in outcome["response"]["answers"][0]["selections"]
    return {
        "decision": "approved" if approved else "rejected",
        "pause": outcome["delivery_id"],
        "answered_at": outcome["answered_at"],
        "answered_by": outcome["answered_by"],
    }


def ask(event: dict[str, Any], callback_id: str) -> None:
    """Mint the pause that answers the callback.

    One that is sent again after a lost reply has the same callback, so the same key, so the same pause.

    Raises:
        MintUnavailable, QuestionRefused: nobody was asked.
    """
    key = hashlib.sha256(callback_id.encode()).hexdigest()
    request = {
        "name": "ask_user",
        "tool_call_id": "approval",
        "run_id": key,
        "scope": event["scope"],
        "ttl_seconds": event["ttl_seconds"],
        "payload": {
            "questions": [
                {
                    "question": event["question"],
                    "header": "Approval",
                    "options": [
                        {"label": "Approve", "description": "Go on"},
                        {"label": "Reject", "description": "Do nothing"},
                    ],
                    "multi_select": False,
                    "allow_other": False,
                }
            ]
        },
        "idempotency_key": key,
        "waiter": {"kind": "lambda_durable", "callback_id": callback_id},
    }
    reply = functions.invoke(FunctionName=os.environ["MINT_FUNCTION"], Payload=json.dumps(request).encode())
    # The reply carries the pause's tokens: it is not returned, so that no checkpoint keeps them.
    minted = json.loads(reply["Payload"].read())
    if not reply.get("FunctionError"):
        return
    if minted.get("errorType") in ("Askback.StoreUnavailable", "Askback.Internal"):
        raise MintUnavailable(minted["errorMessage"])
    raise QuestionRefused(minted.get("errorMessage", "the mint failed"))


def how_it_ended(error: CallbackExternalError) -> str | None:
    """Return the outcome that failed the callback, which is its message, or None when that is somebody else's."""
    try:
        outcome = json.loads(str(error))
    except ValueError:
        return None
    return outcome.get("outcome") if isinstance(outcome, dict) else None
