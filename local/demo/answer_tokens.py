"""Finds the answer token of an open pause, as the notify function does.

A workflow does not keep the mint's reply: Step Functions discards it, and a durable function does not return it. The
tokens are not stored. They are issued again from the pause's ledger row, with the deployment's own keys.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.logging import Logger

from askback.domain.pause import ids
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.scope import Scope
from askback.wiring import in_process
from local.demo.checks import until


def asked_keys(step_functions: Any, execution: str) -> list[str]:
    """Return the idempotency key of every attempt at asking in an execution, in order, from its history."""
    history = step_functions.get_execution_history(executionArn=execution)["events"]
    scheduled = (event["taskScheduledEventDetails"] for event in history if event["type"] == "TaskScheduled")
    return [json.loads(each["parameters"])["Payload"]["idempotency_key"] for each in scheduled]


class Notifier:
    """Reads the ledger of the stack that runs in this process."""

    def __init__(self) -> None:
        self._services = in_process.build(Logger(service="notifier"))

    def answer_token(self, scope: Mapping[str, str], idempotency_key: str) -> str:
        """Wait until the pause of this idempotency key is minted, and return its answer token."""
        digest = Scope(**scope).digest()
        jti = ids.keyed_pause_id(scope_hash=digest, idempotency_key=idempotency_key)
        return until(lambda: asyncio.run(self._token(jti)), "the pause")

    def workflow_token(self, scope: Mapping[str, str], step_functions: Any, execution: str) -> str:
        """Wait until an execution asks its first question, and return the answer token."""
        first, *_ = until(lambda: asked_keys(step_functions, execution) or None, "the task that asks")
        return self.answer_token(scope, first)

    async def _token(self, jti: str) -> str | None:
        row = await self._services.ledger.find(jti)
        if row is None or row.status is not PauseStatus.ISSUED:
            return None
        return (await self._services.tokens.issue(row.claims, key_id=row.key_id)).answer
