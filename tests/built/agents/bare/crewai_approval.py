"""CrewAI alone: its own persistence has the pending flow, and any process resumes it with the person's yes."""

import json
from pathlib import Path
from typing import Any

from crewai.flow.persistence.sqlite import SQLiteFlowPersistence


def ask(example: Any, state: Path) -> None:
    """Run the flow until it stops; CrewAI stores it."""
    flow = example.RefundFlow(persistence=stored(state), suppress_flow_events=True)
    flow.kickoff(inputs={"id": state.name, "provider": str(state), "order": "A-1009"})


def resume(example: Any, state: Path) -> None:
    """Continue from what is stored."""
    flow = example.RefundFlow.from_pending(state.name, stored(state), suppress_flow_events=True)
    flow.resume(json.dumps({"decision": "approve", "jti": ""}))


def stored(state: Path) -> SQLiteFlowPersistence:
    """Return the persistence in a file."""
    return SQLiteFlowPersistence(str(state / "flows.db"))
