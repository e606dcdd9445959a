"""The checkpoint port on any LangGraph saver: a recorded text is a pending write of a checkpoint, under its key.

Only two methods of the saver are called, so every saver works. A text can be recorded only at a checkpoint that exists,
and it lives as long as that checkpoint: the saver's own retention decides, and `expires_at` is ignored.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from askback.domain.errors import InteractionConfigurationError, PauseConflict, StoreUnavailable
from askback.domain.pause.ids import digest

_TASK_PREFIX = "askback:"


class Saver(Protocol):
    """The part of a LangGraph saver that is used; every `BaseCheckpointSaver` with asynchronous methods has it."""

    async def aget_tuple(self, config: Any, /) -> Any:
        """Return the checkpoint tuple of a thread, or None; the latest one when the config has no checkpoint id."""
        ...

    async def aput_writes(self, config: Any, writes: Any, task_id: str, /) -> Any:
        """Store writes, each a channel and a value, under a task of a checkpoint."""
        ...


@dataclass(frozen=True, slots=True)
class SavedText:
    """A text that was found among a checkpoint's pending writes."""

    value: Any

    async def read(self) -> str:
        """Return the text; a value that the saver parsed becomes JSON again.

        Raises:
            ValueError: the value is neither text nor JSON.
        """
        if isinstance(self.value, str):
            return self.value
        try:
            return json.dumps(self.value, allow_nan=False)
        except TypeError:
            raise ValueError("not JSON") from None


class LangGraphCheckpoints:
    """The checkpoint port on a saver."""

    def __init__(self, saver: Saver) -> None:
        self._saver = saver

    async def checkpoint_for(self, thread_id: str, *, has_turn: bool) -> str | None:
        """Return the thread's latest checkpoint: the run continues from the graph's own state."""
        found = await self._tuple(_config(thread_id))
        return None if found is None else str(found.config["configurable"]["checkpoint_id"])

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
        """Write the text once, and check that it is there.

        Every record has a task of its own, and `task_id` is ignored: a saver keeps only the first write of a task, so a
        second record of the same task would be lost without an error. The text is read before the write, because some
        savers replace an existing value. It is read after the write, because some savers drop a second write, or accept
        writes for a checkpoint that does not exist.
        """
        place = {"thread_id": thread_id, "checkpoint_id": checkpoint_id, "key": key}
        if await self._recorded(**place) is None:
            config = _config(thread_id, checkpoint_id)
            try:
                await self._saver.aput_writes(config, [(key, text)], _task_id(**place))
            except Exception as error:
                raise _refusal(error) from error
        recorded = await self._recorded(**place)
        if recorded is None:
            raise StoreUnavailable(reason="the saver has no such checkpoint, or it did not keep the write")
        if recorded != text:
            raise PauseConflict("another text is recorded for this thread, checkpoint and call; use a new call")

    async def read(self, *, thread_id: str, checkpoint_id: str, key: str, scope_hash: str = "") -> SavedText | None:
        """Return the text recorded under the key; None when the text or the checkpoint does not exist."""
        found = await self._tuple(_config(thread_id, checkpoint_id))
        writes = () if found is None else getattr(found, "pending_writes", None) or ()
        own = _task_id(thread_id=thread_id, checkpoint_id=checkpoint_id, key=key)
        values = _values(writes, key=key, own=own)
        return SavedText(values[0]) if values else None

    async def _recorded(self, *, thread_id: str, checkpoint_id: str, key: str) -> str | None:
        found = await self.read(thread_id=thread_id, checkpoint_id=checkpoint_id, key=key)
        if found is None:
            return None
        try:
            return await found.read()
        except ValueError:
            raise PauseConflict("the text recorded for this call cannot be read; use a new call") from None

    async def _tuple(self, config: dict[str, Any]) -> Any:
        try:
            return await self._saver.aget_tuple(config)
        except Exception as error:
            raise _refusal(error) from error


def _config(thread_id: str, checkpoint_id: str | None = None) -> dict[str, Any]:
    # An explicit root namespace: some savers do not write without it.
    configurable = {"thread_id": thread_id, "checkpoint_ns": ""}
    return {"configurable": configurable if checkpoint_id is None else {**configurable, "checkpoint_id": checkpoint_id}}


def _task_id(*, thread_id: str, checkpoint_id: str, key: str) -> str:
    return _TASK_PREFIX + digest(thread_id, checkpoint_id, key)


def _values(writes: Iterable[tuple[str, str, Any]], *, key: str, own: str) -> list[Any]:
    """Return the values under the key that askback wrote, or the legacy engine, which uses its run id as the task.

    Our task id is a hash of the whole place: a saver that joins ids without escaping may return another place's writes.
    """
    return [
        value
        for task_id, channel, value in writes
        if channel == key and (task_id == own or not task_id.startswith(_TASK_PREFIX))
    ]


def _refusal(error: Exception) -> Exception:
    # A saver raises its driver's errors. The message may contain the text that was written, so only the type is used.
    if isinstance(error, NotImplementedError):
        return InteractionConfigurationError(
            "the saver cannot be used here", reason="the saver has no asynchronous methods: use an asynchronous saver"
        )
    return StoreUnavailable(reason=f"the saver raised {type(error).__name__}")
