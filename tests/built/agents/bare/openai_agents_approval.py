"""The OpenAI Agents SDK alone: the approved `RunState` is stored, and any process runs it."""

import asyncio
import json
from pathlib import Path
from typing import Any

from agents import Runner, RunState


def ask(example: Any, state: Path) -> None:
    """Run the agent until it stops, and store its state with the person's yes."""
    agent = example.build_agent(state, keys={"call_1_pay_refund": ""})
    result = asyncio.run(Runner.run(agent, example.PROMPT, run_config=example.CONFIG))
    run_state = result.to_state()
    for call in result.interruptions:
        run_state.approve(call)
    (state / "stored.json").write_text(json.dumps(run_state.to_json()))


def resume(example: Any, state: Path) -> None:
    """Continue from what is stored."""

    async def run() -> None:
        agent = example.build_agent(state, keys={"call_1_pay_refund": ""})
        run_state = await RunState.from_json(agent, json.loads((state / "stored.json").read_text()))
        await Runner.run(agent, run_state, run_config=example.CONFIG)

    asyncio.run(run())
