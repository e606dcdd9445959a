"""LangGraph alone: the graph waits in its saver, and any process gives it the stored answer."""

import asyncio
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

YES = {"answers": [{"selections": ["Approve"]}]}


def ask(example: Any, state: Path) -> None:
    """Run the graph until it stops."""
    asyncio.run(_run(example, state, {"order": "A-1009"}))


def resume(example: Any, state: Path) -> None:
    """Continue with the person's yes."""
    asyncio.run(_run(example, state, Command(resume=YES)))


async def _run(example: Any, state: Path, given: Any) -> None:
    async with AsyncSqliteSaver.from_conn_string(str(state / "checkpoints.db")) as saver:
        await example.build_graph(saver, state).ainvoke(given, example.thread(state))
