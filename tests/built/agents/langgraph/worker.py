"""One step of a graph's life in a process of its own: `worker.py WHERE STEP`, with JSON in and JSON out.

Steps: `start` runs the graph until it stops, `go_on` continues it with outcomes, `answer` tries answers, one after the
other, `forget` deletes the thread. What a process knows of the others is in the saver, in askback's table, and in the
tokens and outcomes it is given.
"""

import asyncio
import json
import sys
from typing import Any, Final

from aws_lambda_powertools.logging import Logger

from askback.adapters.audit_log import LoggedAuditTrail
from askback.domain.errors import HumanInteractionError
from askback.domain.pause.scope import Scope
from askback.domain.resume.eight_steps import ResumeCommand
from askback.domain.tokens.scope_binder import Redeemer
from askback.edge.answer import resume_reply
from askback.langgraph.continuing import resume_command
from askback.langgraph.open_interrupts import open_interrupts
from askback.langgraph.saver_pauses import SaverPauses, over_saver
from askback.wiring import in_process
from askback.wiring.sources import new_attempt_id, now
from tests.built.agents.langgraph.graphs import REGISTRY, left_and_right
from tests.support.real_savers import opened

SCOPE: Final = Scope(tenant_id="acme", sub_tenant_id="eu", namespace="billing")
CONFIG: Final[Any] = {"configurable": {"thread_id": "thread-1"}}


async def start(graph: Any, pauses: SaverPauses, given: Any) -> dict[str, Any]:
    """Run the graph until it stops."""
    await graph.ainvoke({"got": []}, CONFIG)
    return await _stopped(graph, pauses)


async def go_on(graph: Any, pauses: SaverPauses, outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """Continue the graph with outcomes until it stops again."""
    try:
        command = resume_command(await graph.aget_state(CONFIG), *outcomes)
    except HumanInteractionError as error:
        return {"status": error.status, "code": error.code}
    await graph.ainvoke(command, CONFIG)
    return await _stopped(graph, pauses)


async def answer(graph: Any, pauses: SaverPauses, given: dict[str, Any]) -> list[dict[str, Any]]:
    """Try answers to one pause."""
    replies = []
    for response in given["responses"]:
        command = ResumeCommand(
            token=given["token"],
            redeemer=Redeemer(scope=SCOPE),
            response=response,
            answered_by="ada",
            at=now(),
            attempt_id=new_attempt_id(),
        )
        try:
            replies.append({"status": 200, **resume_reply(await pauses.resume.resume(command))})
        except HumanInteractionError as error:
            replies.append({"status": error.status, "code": error.code})
    return replies


async def forget(graph: Any, pauses: SaverPauses, given: Any) -> None:
    """Delete the thread."""
    await graph.checkpointer.adelete_thread(CONFIG["configurable"]["thread_id"])


async def _stopped(graph: Any, pauses: SaverPauses) -> dict[str, Any]:
    """Return what the graph has so far, and a token for each of its open questions."""
    state = await graph.aget_state(CONFIG)
    asked = {}
    for interrupt in open_interrupts(state):
        command = interrupt.mint_command(scope=SCOPE, run_id="run-1", ttl_seconds=3600, at=now())
        minted = await pauses.mint.mint(command)
        asked[interrupt.payload["text"]] = {"jti": minted.claims.jti, "token": minted.tokens.pause}
    return {"got": state.values["got"], "asked": asked}


async def main(where: str, step: str) -> None:
    """Do one step."""
    logger = Logger(service="worker", stream=sys.stderr)
    async with opened(where) as saver:
        graph = left_and_right().compile(checkpointer=saver)
        pauses = over_saver(saver, in_process.build(logger, registry=REGISTRY), audit=LoggedAuditTrail(logger))
        steps: Any = {"start": start, "go_on": go_on, "answer": answer, "forget": forget}
        print(json.dumps(await steps[step](graph, pauses, json.load(sys.stdin))))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
