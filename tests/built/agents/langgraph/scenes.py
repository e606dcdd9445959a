"""A real graph over a real saver, with askback beside it in memory."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph

from askback.domain.mint.pause_mint import MintedPause
from askback.domain.resume.eight_steps import ResumeCommand, ResumeOutcome
from askback.domain.tokens.scope_binder import Redeemer
from askback.langgraph.continuing import resume_command
from askback.langgraph.open_interrupts import OpenInterrupt, open_interrupts
from askback.langgraph.saver_pauses import SaverPauses, over_saver
from tests.built.agents.langgraph.graphs import REGISTRY
from tests.support.memory_deployment import NOW, SCOPE, InMemoryDeployment
from tests.support.memory_wiring import Wired
from tests.support.real_savers import opened

T = TypeVar("T")


@dataclass
class Scene:
    """One thread of a graph. `config` is what the graph is run with."""

    graph: CompiledStateGraph[Any, Any, Any, Any]
    deployment: InMemoryDeployment = field(default_factory=lambda: InMemoryDeployment(registry=REGISTRY))
    thread_id: str = "thread-1"
    attempts: Any = field(default_factory=lambda: itertools.count(1))

    @property
    def pauses(self) -> SaverPauses:
        saver: Any = self.graph.checkpointer
        return over_saver(saver, Wired(self.deployment), audit=self.deployment.audit)

    @property
    def config(self) -> Any:
        return {"configurable": {"thread_id": self.thread_id}}

    async def run(self, given: Any) -> Any:
        return await self.graph.ainvoke(given, self.config)

    async def open(self) -> tuple[OpenInterrupt, ...]:
        return open_interrupts(await self.graph.aget_state(self.config))

    async def mint(self, interrupt: OpenInterrupt) -> MintedPause:
        command = interrupt.mint_command(scope=SCOPE, run_id="run-1", ttl_seconds=3600, at=NOW)
        return await self.pauses.mint.mint(command)

    async def mint_all(self) -> dict[str, MintedPause]:
        """Mint every open interrupt; by the text of its question."""
        return {interrupt.payload["text"]: await self.mint(interrupt) for interrupt in await self.open()}

    async def answer(self, minted: MintedPause, response: Any) -> ResumeOutcome:
        command = ResumeCommand(
            token=minted.tokens.pause,
            redeemer=Redeemer(scope=SCOPE, run_id="run-1"),
            response=response,
            answered_by="ada",
            at=NOW + 60,
            attempt_id=f"attempt-{next(self.attempts)}",
        )
        return await self.pauses.resume.resume(command)

    async def go_on(self, *outcomes: ResumeOutcome | Mapping[str, Any]) -> Any:
        """Continue the graph and return its values."""
        await self.run(resume_command(await self.graph.aget_state(self.config), *outcomes))
        return (await self.graph.aget_state(self.config)).values["got"]


def played(where: str, graph: StateGraph[Any, Any, Any, Any], story: Callable[[Scene], Awaitable[T]]) -> T:
    """Run the graph over a saver until it stops, and then the story."""

    async def play() -> T:
        async with opened(where) as saver:
            scene = Scene(graph.compile(checkpointer=saver))
            await scene.run({"got": []})
            return await story(scene)

    return asyncio.run(play())
