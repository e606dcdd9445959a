"""A saver that lists what it was given, as LangGraph's savers do: newest first, with pending writes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

Write = tuple[str, str, Any]


def a_checkpoint(checkpoint_id: str, *writes: tuple[str, Any], **over: Any) -> Any:
    """Return a checkpoint tuple of the thread `t`; `parent`, `thread`, `ns`, `source` and `ts` may be given."""
    where = {"thread_id": over.get("thread", "t"), "checkpoint_ns": over.get("ns", ""), "checkpoint_id": checkpoint_id}
    parent = over.get("parent")
    return SimpleNamespace(
        config={"configurable": where},
        parent_config={"configurable": {**where, "checkpoint_id": parent}} if parent else None,
        checkpoint={"ts": over["ts"]} if "ts" in over else {},
        metadata={"source": over.get("source", "loop")},
        pending_writes=[("task", channel, value) for channel, value in writes],
    )


def interrupt(value: object) -> tuple[str, Any]:
    """Return the write of an interrupt."""
    return "__interrupt__", (SimpleNamespace(value=value, id="an-interrupt"),)


def asking(call: str, question: str = "Sure?") -> tuple[str, Any]:
    """Return the write of the engine's own interrupt for a call of `ask_user`."""
    return interrupt({"type": "ask_user", "tool_call_id": call, "request": {"questions": [{"question": question}]}})


@dataclass(frozen=True)
class ListedSaver:
    """Lists these checkpoints."""

    checkpoints: tuple[Any, ...]

    async def alist(self, config: Any, /) -> AsyncIterator[Any]:
        for found in self.checkpoints:
            if config is None or config["configurable"]["thread_id"] == found.config["configurable"]["thread_id"]:
                yield found


ONE = ListedSaver((a_checkpoint("c-1", ("ask_user_request:call_1", '{"questions": ["é"]}')),))


def saver() -> Any:
    return ONE


@asynccontextmanager
async def held() -> AsyncIterator[Any]:
    yield ONE


def nothing() -> None:
    return None
