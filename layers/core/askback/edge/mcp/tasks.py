"""The tasks of the protocol's extension: each question is one, and its id is that of the pause."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from askback.domain.errors import (
    AlreadyAnswered,
    HumanInteractionError,
    PauseExpired,
    PauseSuperseded,
    StoreUnavailable,
    UnknownPause,
)
from askback.domain.pause.ledger import LedgerRow, PauseStatus, Revocation
from askback.domain.pause.person_names import ASKER
from askback.domain.timestamps import rfc3339
from askback.edge.mcp.catalogue import Result, structured
from askback.edge.mcp.context import McpContext
from askback.edge.mcp.messages import INVALID_PARAMS, ProtocolError
from askback.edge.mcp.results import refused_facts

POLL_INTERVAL_MS = 5000
_STATUS = {PauseStatus.ISSUED: "working", PauseStatus.REVOKED: "cancelled", PauseStatus.SUPERSEDED: "cancelled"}
"""A person is asked, not the client, so an open question is never `input_required`. An expired one is `completed`: its
result says that there is no answer."""


def task_of(row: LedgerRow, context: McpContext) -> Result:
    """Return the task of a question, without its result."""
    issued = row.claims.issued_at or 0
    changed = row.answer.answered_at if row.answer else row.revocation.at if row.revocation else issued
    return {
        "taskId": row.claims.jti,
        "status": _STATUS.get(row.status, "completed"),
        "createdAt": rfc3339(issued),
        "lastUpdatedAt": rfc3339(changed),
        "ttlMs": (row.claims.exp - issued + context.services.retention_seconds) * 1000,
        "pollIntervalMs": POLL_INTERVAL_MS,
    }


class QuestionTasks:
    """The task of each question: its id is that of the pause."""

    async def task(self, task_id: str, context: McpContext) -> Result:
        """Return the task; an ended one has the result of `get_answer`, also when there is no answer.

        Raises:
            ProtocolError: the asker has no such task.
            StoreUnavailable: the same request can succeed later.
        """
        row = await self._row(task_id, context)
        task = task_of(row, context)
        if row.status is PauseStatus.ISSUED or task["status"] == "cancelled":
            return task
        try:
            result = structured(await context.facts(row))
        except StoreUnavailable:
            raise
        except HumanInteractionError as error:
            # The answer was erased, or cannot be read. The task has ended, so this is its result.
            context.refused(error)
            result = structured(refused_facts(error), is_error=True)
        return {**task, "result": {"resultType": "complete", **result}}

    async def cancel(self, task_id: str, context: McpContext) -> None:
        """Revoke the question; an ended one stays as it is."""
        await self._row(task_id, context)
        with suppress(AlreadyAnswered, PauseExpired, PauseSuperseded):
            await context.services.revoking.revoke(
                task_id, Revocation(by=ASKER, at=context.services.clock()), admit=context.admit
            )

    async def update(self, task_id: str, given: Mapping[str, Any], context: McpContext) -> None:
        """Ignore what the client gives: a question is answered by a person, and never by the client that asks."""
        await self._row(task_id, context)

    async def _row(self, task_id: str, context: McpContext) -> LedgerRow:
        try:
            return await context.row(task_id)
        except UnknownPause:
            raise ProtocolError(INVALID_PARAMS, "there is no such task") from None
