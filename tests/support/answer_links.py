"""Finds the answer token of an open pause by its idempotency key, as an operator who knows the pause does."""

import json
from collections.abc import Mapping
from typing import Any

from askback.domain.pause import ids
from askback.domain.pause.scope import Scope
from local.demo.api_client import Client
from local.demo.checks import until


def asked_keys(step_functions: Any, execution: str) -> list[str]:
    """Return the idempotency key of every attempt at asking in an execution, in order, from its history."""
    history = step_functions.get_execution_history(executionArn=execution)["events"]
    scheduled = (event["taskScheduledEventDetails"] for event in history if event["type"] == "TaskScheduled")
    return [json.loads(each["parameters"])["Payload"]["idempotency_key"] for each in scheduled]


def answer_token(url: str, scope: Mapping[str, str], idempotency_key: str) -> str:
    """Wait until the pause of this idempotency key is minted, and return its answer token."""
    jti = ids.keyed_pause_id(scope_hash=Scope(**scope).digest(), idempotency_key=idempotency_key)

    def look() -> str | None:
        links = Client(url).post(f"/pauses/{jti}/links", {})
        return str(links.document["answer_token"]) if links.status == 200 else None

    return until(look, "the pause")


def workflow_token(url: str, scope: Mapping[str, str], step_functions: Any, execution: str) -> str:
    """Wait until an execution asks its first question, and return the answer token."""
    first, *_ = until(lambda: asked_keys(step_functions, execution) or None, "the task that asks")
    return answer_token(url, scope, first)
