"""Reads the legacy engine's recorded requests from the LangGraph saver to which the engine wrote.

Any saver works: only `alist` is called. The engine records the text as a pending write of the checkpoint that the token
is bound to, under its own key. Savers that need an explicit namespace (PostgreSQL, SQLite) refuse that write, and the
engine ignores the error. In these savers the request is still part of the graph's interrupt. The engine hashed the
value of the interrupt, so this module can build the same text again.

In that case the checkpoint of the token is not known. It is the latest checkpoint that was saved when the engine minted
the token, and checkpoints are saved some time after the graph's step. So it can be the checkpoint of the interrupt, any
earlier one of the same run, or the last one of the run before. The text is exported for each of them.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from askback.cutover.interrupts import INTERRUPT_CHANNEL, recorded_text, requests_of
from askback.cutover.lines import epoch_seconds
from askback.cutover.recorded import RecordedRequest, is_frozen

MARGIN_SECONDS = 3600
"""A margin for the time between a checkpoint and the mint of its token; normally the mint follows at once."""


class ListingSaver(Protocol):
    """The part of a saver that the export uses."""

    def alist(self, config: Any, /) -> AsyncIterator[Any]:
        """Yield the checkpoint tuples of a thread, or of all threads for None, with their pending writes."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """The requests of one thread; `others` counts further texts under a key that already has another text."""

    requests: tuple[RecordedRequest, ...]
    others: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checkpoint:
    parent: str | None
    begins_run: bool
    recorded: tuple[tuple[str, str], ...]
    """Keys and texts that the engine recorded at this checkpoint."""
    interrupts: tuple[tuple[str, str], ...]
    """Keys and texts of the graph's interrupts at this checkpoint."""
    recent: bool


@dataclass(slots=True)
class _Thread:
    thread_id: str
    checkpoints: dict[str, _Checkpoint] = field(default_factory=dict)

    def exported(self) -> Exported:
        texts: dict[tuple[str, str], str] = {}
        others = 0
        for checkpoint_id, key, text in self._requests():
            others += texts.setdefault((checkpoint_id, key), text) != text
        requests = (
            RecordedRequest(thread_id=self.thread_id, checkpoint_id=checkpoint_id, key=key, text=text)
            for (checkpoint_id, key), text in texts.items()
        )
        return Exported(requests=tuple(requests), others=others)

    def _requests(self) -> Iterator[tuple[str, str, str]]:
        recent = {checkpoint_id: one for checkpoint_id, one in self.checkpoints.items() if one.recent}
        for checkpoint_id, one in recent.items():
            for key, text in one.recorded:
                yield checkpoint_id, key, text
        filed = {key for one in self.checkpoints.values() for key, _ in one.recorded}
        for checkpoint_id, one in recent.items():
            for key, text in one.interrupts:
                if key not in filed:
                    for bound in self._bound_to(checkpoint_id):
                        yield bound, key, text

    def _bound_to(self, checkpoint_id: str) -> Iterator[str]:
        """Yield the checkpoint of an interrupt, and the earlier ones that its token may be bound to."""
        yield checkpoint_id
        one = self.checkpoints[checkpoint_id]
        while one.parent is not None and one.parent in self.checkpoints:
            yield one.parent
            before = self.checkpoints[one.parent]
            if one.begins_run or before.interrupts:
                return
            one = before


async def exported(
    saver: ListingSaver, *, thread_ids: Sequence[str] | None, not_before: int
) -> AsyncIterator[Exported]:
    """Yield the requests of all threads, or of `thread_ids`, from checkpoints since `not_before` (epoch seconds).

    With `thread_ids` it lists one thread at a time. Without, it lists all threads before it yields the first result.
    """
    configs = [None] if thread_ids is None else [{"configurable": {"thread_id": thread_id}} for thread_id in thread_ids]
    for config in configs:
        threads: dict[str, _Thread] = {}
        async for found in saver.alist(config):
            where = found.config["configurable"]
            # Tokens are bound to checkpoints of the root graph; checkpoints of subgraphs have a namespace.
            if not where.get("checkpoint_ns"):
                thread = threads.setdefault(str(where["thread_id"]), _Thread(str(where["thread_id"])))
                thread.checkpoints[str(where["checkpoint_id"])] = _read(found, not_before)
        for thread in threads.values():
            yield thread.exported()


def _read(found: Any, not_before: int) -> _Checkpoint:
    writes = [(channel, value) for _, channel, value in found.pending_writes or ()]
    made_at = epoch_seconds(found.checkpoint.get("ts"))
    before = found.parent_config
    return _Checkpoint(
        parent=str(before["configurable"]["checkpoint_id"]) if before else None,
        begins_run=(found.metadata or {}).get("source") == "input",
        recorded=tuple((channel, recorded_text(value)) for channel, value in writes if is_frozen(channel)),
        interrupts=tuple(
            request for channel, value in writes if channel == INTERRUPT_CHANNEL for request in requests_of(value)
        ),
        recent=made_at is None or made_at >= not_before,
    )
