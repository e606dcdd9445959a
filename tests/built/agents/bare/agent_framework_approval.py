"""Agent Framework alone: the session and the approvals are stored, and any process runs the agent with them."""

import asyncio
import json
from pathlib import Path
from typing import Any

from agent_framework import AgentSession, Content, Message


def ask(example: Any, state: Path) -> None:
    """Run the agent until it stops, and store its session with the person's yes."""

    async def run() -> None:
        session = AgentSession(session_id="run")
        result = await example.build_agent(state).run(example.PROMPT, session=session)
        approved = [request.to_function_approval_response(True).to_dict() for request in result.user_input_requests]
        (state / "stored.json").write_text(json.dumps({"session": session.to_dict(), "approved": approved}))

    asyncio.run(run())


def resume(example: Any, state: Path) -> None:
    """Continue from what is stored."""
    stored = json.loads((state / "stored.json").read_text())
    responses = [Content.from_dict(each) for each in stored["approved"]]
    # The tool of the example reads a key and the arguments; the provider here takes no key.
    approvals = {each.id: {"key": "", "arguments": {"amount": 49.9}} for each in responses}
    agent = example.build_agent(state)
    session = AgentSession.from_dict(stored["session"])
    message = Message("user", responses)
    asyncio.run(agent.run(message, session=session, function_invocation_kwargs={"approvals": approvals}))
