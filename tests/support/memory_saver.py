"""A LangGraph saver in memory: the two methods that askback knows a saver by, and the ways savers differ."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any


@dataclass
class InMemorySaver:
    """One write stays for each task and index: the first, or with `replaces` the last.

    With `drops` none does, and `raises` is what the driver says instead of anything.
    """

    threads: dict[str, list[str]] = field(default_factory=dict)
    writes: dict[tuple[str, str], dict[tuple[str, int], tuple[str, Any]]] = field(default_factory=dict)
    replaces: bool = False
    drops: bool = False
    raises: Exception | None = None

    def save(self, thread_id: str, checkpoint_id: str) -> None:
        """Save a checkpoint, which is then the thread's latest."""
        self.threads.setdefault(thread_id, []).append(checkpoint_id)

    async def aget_tuple(self, config: Any) -> Any:
        if self.raises:
            raise self.raises
        where = config["configurable"]
        saved = self.threads.get(where["thread_id"], [])
        checkpoint_id = where.get("checkpoint_id", saved[-1] if saved else None)
        if checkpoint_id not in saved:
            return None
        writes = self.writes.get((where["thread_id"], checkpoint_id), {})
        return SimpleNamespace(
            config={"configurable": {**where, "checkpoint_id": checkpoint_id}},
            pending_writes=[(task, channel, value) for (task, _), (channel, value) in writes.items()],
        )

    async def aput_writes(self, config: Any, writes: Any, task_id: str) -> None:
        if self.raises:
            raise self.raises
        where = config["configurable"]
        assert where["checkpoint_ns"] == "", "some savers do not write without the namespace"
        kept = self.writes.setdefault((where["thread_id"], where["checkpoint_id"]), {})
        for index, write in enumerate(() if self.drops else writes):
            if self.replaces:
                kept[task_id, index] = write
            else:
                kept.setdefault((task_id, index), write)
