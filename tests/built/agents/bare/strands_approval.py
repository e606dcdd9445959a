"""Strands alone: the session snapshot and the response are stored, and any process answers the interrupt with them."""

import json
from pathlib import Path
from typing import Any

from strands import Snapshot


def ask(example: Any, state: Path) -> None:
    """Run the agent until it stops, and store its snapshot with the person's yes."""
    agent = example.build_agent(state, keys={"call_1_pay_refund": ""})
    result = agent(example.PROMPT)
    approved = [{"interruptResponse": {"interruptId": each.id, "response": "Approve"}} for each in result.interrupts]
    stored = {"snapshot": agent.take_snapshot(preset="session").to_dict(), "responses": approved}
    (state / "stored.json").write_text(json.dumps(stored))


def resume(example: Any, state: Path) -> None:
    """Continue from what is stored."""
    stored = json.loads((state / "stored.json").read_text())
    agent = example.build_agent(state, keys={"call_1_pay_refund": ""})
    agent.load_snapshot(Snapshot.from_dict(stored["snapshot"]))
    agent(stored["responses"])
