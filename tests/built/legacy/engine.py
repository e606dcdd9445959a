"""The legacy engine at work, in an environment of its own: `engine.py SAVER [STORE]`.

A real agent asks and a real graph pauses on a named interrupt, several times; a line of JSON is printed for each pause,
then what the engine itself left in its saver. With a PostgreSQL address as the store, the engine also redeems two of
its tokens, one into that and one into a MongoDB collection. With a saver in memory, askback's exporter comes last.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
from langgraph.graph import START, StateGraph
from pydantic import BaseModel
from symfonic.agent import FrameworkConfig, SymfonicAgent
from symfonic.agent.checkpointer import (
    MemoryCheckpointerFactory,
    PostgresCheckpointerFactory,
    SqliteCheckpointerFactory,
)
from symfonic.agent.middleware.interrupt_minter import mint_interrupt_token
from symfonic.agent.middleware.pause_token_store import MongoPauseTokenStore, PostgresPauseTokenStore
from symfonic.agent.types import FrameworkTenantScope
from symfonic.core.contracts.elicitation import AskUserResponse
from symfonic.core.contracts.interrupt import InterruptRegistration
from symfonic.core.nodes.interrupt import build_interrupt_marker, create_interrupt_node
from symfonic.core.testing import MockModelProvider

SCOPE = FrameworkTenantScope(tenant_id="acme", sub_tenant_id="eu")
QUESTION = {
    "question": 'Refund 49.90 EUR to Café Zürich? 📦\nBox: "crushed"',
    "header": "Refund",
    "options": [
        {"label": "Approve", "description": "Pay it out"},
        {"label": "Reject", "description": "Do nothing"},
    ],
}
PAYLOAD = {"reason": "Café Zürich", "amount": 49.9, "lines": [{"sku": "b", "count": 1}], "note": None}
TTL_SECONDS = 86_400
LABELS = ("open", "scope", "expired", "tampered", "replayed")


class Approval(BaseModel):
    """What the named interrupt asks."""

    reason: str
    amount: float
    lines: list[dict[str, Any]]
    note: str | None


class Decision(BaseModel):
    """What it is answered with."""

    approved: bool


@asynccontextmanager
async def held(name: str) -> AsyncIterator[Any]:
    """Hold the saver that a name stands for: `memory`, `sqlite:PATH` or a PostgreSQL address."""
    if name == "memory":
        factory: Any = MemoryCheckpointerFactory()
    elif name.startswith("sqlite:"):
        factory = SqliteCheckpointerFactory(name.removeprefix("sqlite:"))
    else:
        factory = PostgresCheckpointerFactory(name)
    yield await factory.build()
    await factory.close()


def saver() -> Any:
    """Return what `--saver engine:saver` needs."""
    return held(os.environ["LEGACY_SAVER"])


class Agent(SymfonicAgent):  # type: ignore[misc]
    """An agent over the saver that it is given; its own choice needs a memory backend of the same database."""

    given: Any = None

    def _make_checkpointer(self) -> Any:
        return self.given


def an_agent(over: Any, label: str) -> Agent:
    call = {"id": f"call_{label}", "name": "ask_user", "args": {"request": {"questions": [QUESTION]}}}
    config = FrameworkConfig(ask_user_enabled=True, experimental_interrupt=True, ask_user_pause_ttl_seconds=TTL_SECONDS)
    agent_over = type("AgentOver", (Agent,), {"given": over})
    agent: Agent = agent_over(MockModelProvider(tool_calls=[call]), config=config)
    return agent


async def asked(agent: Agent, label: str) -> dict[str, Any]:
    """Have the agent ask, and return the event's token with what it asked."""
    async for event in agent.stream_typed("A refund, please", scope=SCOPE, session_id=f"sess-{label}"):
        if type(event).__name__ == "AskUserQuestionEvent":
            found = event
    return {
        "label": label,
        "name": "ask_user",
        "token": found.pause_token,
        "payload": found.request.model_dump(),
        "text": found.request.model_dump_json(),
    }


async def interrupted(over: Any, label: str) -> dict[str, Any]:
    """Have a graph with the engine's own node pause on a named interrupt, and have its minter mint the token."""
    workflow = StateGraph(dict)
    workflow.add_node("interrupt", create_interrupt_node())
    workflow.add_edge(START, "interrupt")
    session = f"named-{label}"
    interrupt_id = "i-" + label.encode().hex().ljust(12, "0")[:12]
    marker = build_interrupt_marker(name="approval_required", interrupt_id=interrupt_id, payload=PAYLOAD)
    config = {"configurable": {"thread_id": f"acme:eu:{session}"}}
    out = await workflow.compile(checkpointer=over).ainvoke(marker, config)
    event = await mint_interrupt_token(
        run_id=f"run-{session}",
        session_id=session,
        scope=SCOPE,
        interrupt_data=out["__interrupt__"][0].value,
        registration=InterruptRegistration(name="approval_required", payload_schema=Approval, response_schema=Decision),
        config=FrameworkConfig(),
        checkpointer=over,
        ttl_seconds=TTL_SECONDS,
    )
    return {
        "label": label,
        "name": "approval_required",
        "token": event.pause_token,
        "payload": event.payload,
        "text": json.dumps(event.payload),
    }


async def recorded(over: Any) -> list[dict[str, Any]]:
    """Return what the engine itself filed under its keys."""
    keys = ("ask_user_request:", "interrupt_payload:")
    return [
        {"recorded": channel, "text": value}
        async for found in over.alist(None)
        for _, channel, value in found.pending_writes or ()
        if channel.startswith(keys)
    ]


async def consumed(agent: Agent, pause: dict[str, Any], store: Any) -> None:
    """Redeem a token as the engine does: checks, then its store, then the graph goes on."""
    agent._pause_token_manager.set_store(store)  # noqa: SLF001 - it offers no other way in
    answer = {"question_id": pause["payload"]["questions"][0]["id"], "selections": ["Approve"]}
    response = AskUserResponse.model_validate({"answers": [answer]})
    async for event in agent.resume(pause["token"], response, scope=SCOPE):
        if type(event).__name__ == "AskUserAnsweredEvent":
            return
    raise AssertionError("the engine did not redeem its own token")


class Collection:
    """A MongoDB collection, as far as the store uses it."""

    def __init__(self) -> None:
        self.documents: dict[str, Any] = {}

    def __getitem__(self, name: str) -> "Collection":
        self.name = name
        return self

    async def insert_one(self, document: dict[str, Any]) -> None:
        from pymongo.errors import DuplicateKeyError

        if document["_id"] in self.documents:
            raise DuplicateKeyError("E11000")
        self.documents[document["_id"]] = document


async def main(over: Any, dsn: str) -> list[dict[str, Any]]:
    lines = []
    for label in LABELS:
        lines += [await asked(an_agent(over, label), label), await interrupted(over, label)]
    if dsn:
        async with asyncpg.create_pool(dsn, min_size=1, max_size=1) as pool:
            agent = an_agent(over, "consumed")
            lines.append(await asked(agent, "consumed"))
            await consumed(agent, lines[-1], PostgresPauseTokenStore(pool))
        collection = Collection()
        agent = an_agent(over, "mongo")
        lines.append(await asked(agent, "mongo"))
        await consumed(agent, lines[-1], MongoPauseTokenStore(collection))
        lines += [{"collection": collection.name, "document": value} for value in collection.documents.values()]
    return lines + await recorded(over)


async def mint(name: str, dsn: str) -> None:
    async with held(name) as over:
        for line in await main(over, dsn):
            print(json.dumps(line))
        if name == "memory":
            from askback.cutover.saver_export import exported

            async for found in exported(over, thread_ids=None, not_before=0):
                for request in found.requests:
                    print(json.dumps({"export": request.to_record()}))


if __name__ == "__main__":
    saver_name, *consuming = sys.argv[1:]
    asyncio.run(mint(saver_name, consuming[0] if consuming else ""))
    sys.stdout.flush()
    # The engine leaves threads behind that nobody joins.
    os._exit(0)
