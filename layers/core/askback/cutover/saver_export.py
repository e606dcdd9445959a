"""Reading the legacy engine's recorded requests out of the LangGraph saver that it wrote to.

Any saver will do; it is known by `alist` alone. The engine files the text as a pending write of the checkpoint that the
token is bound to, under the frozen key. Savers that want a namespace by name (PostgreSQL, SQLite) refuse that write,
and the engine goes on without a word. There the request is still part of the graph's own interrupt, and the very text
that was hashed can be written down again, because the engine hashed what the interrupt carried.

Which checkpoint the token is bound to is then not known. It is the latest that was saved when the token was minted, and
checkpoints are saved behind the running graph: it can be that of the interrupt, or any before it in the same run, or
the last of the run before. The text is exported for each of them.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from askback.cutover.interrupts import INTERRUPT_CHANNEL, recorded_text, requests_of
from askback.cutover.lines import epoch_seconds
from askback.cutover.recorded import RecordedRequest, is_frozen

MARGIN_SECONDS = 3600
"""How long after its checkpoint a token may have been minted; in truth it is minted at once."""


class ListingSaver(Protocol):
    """What is asked of a saver."""

    def alist(self, config: Any, /) -> AsyncIterator[Any]:
        """Give the checkpoint tuples of a thread, or of all with None, with their pending writes."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was found in one thread; `others` counts different texts under a key that is given already."""

    requests: tuple[RecordedRequest, ...]
    others: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checkpoint:
    parent: str | None
    begins_run: bool
    recorded: tuple[tuple[str, str], ...]
    """Keys and texts that the engine filed here."""
    interrupts: tuple[tuple[str, str], ...]
    """Keys and texts of what the graph was interrupted with here."""
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
        """Give the checkpoint of an interrupt, and those before it that a token of it may be bound to."""
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
    """Give the requests of all threads, or of some, as far as their checkpoints are from `not_before` (epoch seconds).

    Thread by thread where their ids are given; without, everything is listed before the first is given.
    """
    configs = [None] if thread_ids is None else [{"configurable": {"thread_id": thread_id}} for thread_id in thread_ids]
    for config in configs:
        threads: dict[str, _Thread] = {}
        async for found in saver.alist(config):
            where = found.config["configurable"]
            # Tokens are bound to checkpoints of the root; those of subgraphs have a namespace.
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
