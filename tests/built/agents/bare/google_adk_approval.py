"""Google ADK alone: its own session service has the session, and any process answers the confirmation in it."""

import asyncio
import json
from pathlib import Path
from typing import Any

from google.adk.runners import Runner
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types


def ask(example: Any, state: Path) -> None:
    """Run the agent until it stops, and store the person's yes beside its session."""

    async def run() -> None:
        sessions = service(state)
        await sessions.create_session(app_name=example.APP, user_id=example.USER, session_id=state.name)
        await say(example, state, types.Content(role="user", parts=[types.Part(text=example.PROMPT)]))
        session = await sessions.get_session(app_name=example.APP, user_id=example.USER, session_id=state.name)
        assert session is not None
        ids = [call.id for call in session.events[-1].get_function_calls() if call.name == example.CONFIRMATION]
        (state / "stored.json").write_text(json.dumps(ids))

    asyncio.run(run())


def resume(example: Any, state: Path) -> None:
    """Continue from what is stored."""
    responses = [
        types.FunctionResponse(id=asked, name=example.CONFIRMATION, response={"confirmed": True})
        for asked in json.loads((state / "stored.json").read_text())
    ]
    parts = [types.Part(function_response=response) for response in responses]
    asyncio.run(say(example, state, types.Content(role="user", parts=parts)))


def service(state: Path) -> SqliteSessionService:
    """Return the service that stores sessions in a file."""
    return SqliteSessionService(str(state / "sessions.db"))


async def say(example: Any, state: Path, said: types.Content) -> None:
    """Run the agent on what the user said."""
    agent = example.build_agent(state, keys={"call_1_pay_refund": ""})
    runner = Runner(app_name=example.APP, agent=agent, session_service=service(state))
    async for _ in runner.run_async(user_id=example.USER, session_id=state.name, new_message=said):
        pass
    await runner.close()
