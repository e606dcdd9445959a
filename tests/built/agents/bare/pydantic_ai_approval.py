"""Pydantic AI alone: the messages and the approvals are stored, and any process continues the run with them."""

import asyncio
import json
from pathlib import Path
from typing import Any

from pydantic_ai import DeferredToolResults
from pydantic_ai.messages import ModelMessagesTypeAdapter


def ask(example: Any, state: Path) -> None:
    """Run the agent until it stops, and store its messages with the person's yes."""
    result = asyncio.run(example.build_agent().run(example.PROMPT, deps=state))
    (state / "messages.json").write_bytes(result.all_messages_json())
    (state / "approved.json").write_text(json.dumps([call.tool_call_id for call in result.output.approvals]))


def resume(example: Any, state: Path) -> None:
    """Continue from what is stored."""
    approved = json.loads((state / "approved.json").read_text())
    results = DeferredToolResults(approvals=dict.fromkeys(approved, True))
    # The tool of the example reads a key; the provider here takes none.
    results.metadata = {call_id: {"key": ""} for call_id in approved}
    messages = ModelMessagesTypeAdapter.validate_json((state / "messages.json").read_bytes())
    asyncio.run(example.build_agent().run(message_history=messages, deferred_tool_results=results, deps=state))
