"""The ports of the domain in memory.

They store texts and bytes, never the objects that they get. So writer and reader share no object, as with a real
store; otherwise a test could pass because of a shared object.
"""

import itertools
from dataclasses import dataclass

from askback.domain.errors import PauseConflict, StoreUnavailable
from askback.domain.pause.audit import CrossScopeRedemption
from askback.domain.pause.executions import WaitingTask


@dataclass(frozen=True)
class InMemoryText:
    """A recorded text that a read has found."""

    text: str

    async def read(self) -> str:
        return self.text


class InMemoryCheckpoints:
    """The checkpoint port; with `down`, every call fails like an unavailable store."""

    def __init__(self) -> None:
        self.texts: dict[tuple[str, ...], str] = {}
        self.down = False
        self._ids = itertools.count(1)

    async def checkpoint_for(self, thread_id: str, *, has_turn: bool) -> str | None:
        return f"checkpoint-{next(self._ids)}" if has_turn else None

    async def write(
        self,
        *,
        thread_id: str,
        checkpoint_id: str,
        key: str,
        text: str,
        expires_at: int,
        task_id: str = "",
        scope_hash: str = "",
    ) -> None:
        self._require_up()
        place = text_place(thread_id=thread_id, checkpoint_id=checkpoint_id, key=key, scope_hash=scope_hash)
        if self.texts.setdefault(place, text) != text:
            raise PauseConflict("another text is recorded for this thread, checkpoint and call; use a new call")

    async def read(self, *, thread_id: str, checkpoint_id: str, key: str, scope_hash: str = "") -> InMemoryText | None:
        self._require_up()
        text = self.texts.get(
            text_place(thread_id=thread_id, checkpoint_id=checkpoint_id, key=key, scope_hash=scope_hash)
        )
        return None if text is None else InMemoryText(text)

    def _require_up(self) -> None:
        if self.down:
            raise StoreUnavailable


def text_place(*, thread_id: str, checkpoint_id: str, key: str, scope_hash: str = "") -> tuple[str, ...]:
    """Return the key of a text among the texts in memory."""
    return (thread_id, checkpoint_id, key, scope_hash) if scope_hash else (thread_id, checkpoint_id, key)


class InMemoryAuditTrail:
    """The audit trail, a list."""

    def __init__(self) -> None:
        self.events: list[CrossScopeRedemption] = []

    async def record(self, event: CrossScopeRedemption) -> None:
        self.events.append(event)


class InMemoryWaitingTasks:
    """The tasks of executions: for each execution, until when each of its tasks is kept."""

    def __init__(self) -> None:
        self.kept_until: dict[str, dict[tuple[str, str], int]] = {}

    async def enter(self, execution: str, task: WaitingTask, *, expires_at: int) -> None:
        kept = self.kept_until.setdefault(execution, {})
        place = (task.jti, task.task)
        kept[place] = max(expires_at, kept.get(place, 0))

    async def of(self, execution: str) -> list[WaitingTask]:
        return [WaitingTask(jti=jti, task=task) for jti, task in self.kept_until.get(execution, {})]
