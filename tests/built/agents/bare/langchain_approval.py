"""LangChain alone: the agent waits in its saver, and any process gives it the stored decisions."""

from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

DECISIONS = [{"type": "approve"}, {"type": "approve"}, {"type": "respond", "message": "Keep them."}]
# The tool of the example reads a key; the provider here takes none.
KEYS = {"call_1": "", "call_2": ""}


def ask(example: Any, state: Path) -> None:
    """Run the agent until it stops."""
    _run(example, state, {"messages": [("user", example.PROMPT)]})


def resume(example: Any, state: Path) -> None:
    """Continue with the person's yes."""
    _run(example, state, Command(resume={"decisions": DECISIONS}))


def _run(example: Any, state: Path, given: Any) -> None:
    with SqliteSaver.from_conn_string(str(state / "checkpoints.db")) as saver:
        example.build_agent(saver, state).invoke(given, example.thread(state), context=example.Keys(KEYS))
