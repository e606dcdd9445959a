"""Example: a durable function that asks for approval, waits without running, and continues with the answer.

Its event has `scope`, `question` and `ttl_seconds`. Its result has the decision: approved, rejected, expired or
revoked.
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
"""How much longer the callback waits than the question lives: the sweep, which ends the callback, runs every minute."""


class MintUnavailable(Exception):
    """The mint is not available now; another try gives the same pause."""


class QuestionRefused(Exception):
    """The mint refused this question for good; the text is its problem document."""


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
        # A timeout or a revocation is not a rejection by a person. Any other failure is raised again.
        ended = how_it_ended(error)
        if ended == "expired":
            return {"decision": "expired", "reason": "there was no answer in time"}
        if ended == "revoked":
            return {"decision": "revoked"}
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
    """Mint the pause whose answer completes the callback.

    A request that is repeated after a lost reply has the same callback id, so the same idempotency key and the same
    pause.

    Raises:
        MintUnavailable, QuestionRefused: the question was not asked, or this is not known.
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
    # The reply contains the pause's tokens. It is not returned, so no checkpoint stores them.
    minted = json.loads(reply["Payload"].read())
    if not reply.get("FunctionError"):
        return
    if minted.get("errorType") in ("Askback.StoreUnavailable", "Askback.Internal"):
        raise MintUnavailable(minted["errorMessage"])
    raise QuestionRefused(minted.get("errorMessage", "the mint failed"))


def how_it_ended(error: CallbackExternalError) -> str | None:
    """Return the outcome in the callback's error message, or None when another program failed the callback."""
    try:
        outcome = json.loads(str(error))
    except ValueError:
        return None
    return outcome.get("outcome") if isinstance(outcome, dict) else None
