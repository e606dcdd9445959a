"""A LangGraph graph whose refund waits for a person. It uses LangGraph's interrupt and saver; askback has the question.

The graph's state stays in LangGraph's saver. askback stores the question and checks who may answer it, until when, and
that it is answered once. A new process reads the answer and continues the graph at the interrupt that asked.

    langgraph_approval.py start    --api URL --state DIR
    langgraph_approval.py answer   --api URL --state DIR --choose LABEL
    langgraph_approval.py continue --api URL --state DIR

DIR takes the place of your database, and its name is the id of the run and of the graph's thread.
"""

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any, Literal, TypedDict

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import interrupt

from askback import AskbackClient, HttpTransport, NotAnswered, Scope
from askback.langgraph.continuing import resume_command
from askback.langgraph.open_interrupts import open_interrupts
from askback.langgraph.questions import question

SCOPE = Scope(tenant_id="acme", sub_tenant_id="eu")
DAY_SECONDS = 24 * 3600

Graph = CompiledStateGraph[Any, Any, Any, Any]


# --- The graph ------------------------------------------------------------------------------------


class Refund(TypedDict, total=False):
    """The state of the graph."""

    order: str
    total: str
    choice: str
    result: str


def pay(provider: Path, key: str, order: str) -> None:
    """Stand for a payment provider, which pays once for each idempotency key. Its payments are files in a folder."""
    try:
        (provider / f"paid-{key}").touch(exist_ok=False)
        print("ran: pay")
    except FileExistsError:
        print("had run: pay")


def build_graph(saver: AsyncSqliteSaver, payments: Path) -> Graph:
    """Build the graph; every process builds the same one. The payments are files in `payments`."""

    def look_up(state: Refund) -> Refund:
        print("ran: look_up")
        return {"total": "49.90 EUR"}

    def ask(state: Refund) -> Refund:
        # A resumed node starts from its beginning, so there is no effect before the interrupt.
        answer = interrupt(question("ask_user", choice(f"Refund {state['total']} for {state['order']}?")))
        return {"choice": answer["answers"][0]["selections"][0]}

    def decided(state: Refund) -> Literal["pay_refund", "refuse"]:
        # A resume is not an approval: the payment needs the answer "Approve".
        return "pay_refund" if state["choice"] == "Approve" else "refuse"

    def pay_refund(state: Refund) -> Refund:
        # An order is refunded once, so its number is the key: a run that is continued twice pays once.
        pay(payments, state["order"], state["order"])
        return {"result": f"paid {state['total']} for {state['order']}"}

    def refuse(state: Refund) -> Refund:
        return {"result": f"not paid: the person said {state['choice']}"}

    graph = StateGraph(Refund)
    graph.add_node(look_up)
    graph.add_node(ask)
    graph.add_node(pay_refund)
    graph.add_node(refuse)
    graph.add_edge(START, "look_up")
    graph.add_edge("look_up", "ask")
    graph.add_conditional_edges("ask", decided)
    graph.add_edge("pay_refund", END)
    graph.add_edge("refuse", END)
    return graph.compile(checkpointer=saver)


def choice(text: str) -> dict[str, Any]:
    """Return a question with two answers."""
    return {
        "questions": [{"question": text, "header": "Refund", "options": [{"label": "Approve"}, {"label": "Reject"}]}]
    }


# --- The program: one command, one process --------------------------------------------------------


async def start(graph: Graph, askback: AskbackClient, state: Path) -> None:
    """Start the run. Repeated after a crash, it goes on with what the saver has, and asks the same question again."""
    begun = (await graph.aget_state(thread(state))).created_at is not None
    if not begun:
        await graph.ainvoke({"order": "A-1009"}, thread(state))
    await finish_or_pause(graph, askback, state)


async def finish_or_pause(graph: Graph, askback: AskbackClient, state: Path) -> None:
    """Print how the run ended, or mint a pause for each open interrupt."""
    stopped = await graph.aget_state(thread(state))
    tokens = {}
    for asked in open_interrupts(stopped):
        pause = askback.pause(**asked.mint_fields(), run_id=state.name, scope=SCOPE, ttl_seconds=DAY_SECONDS)
        tokens[asked.id] = {"pause_token": pause.pause_token, "jti": pause.jti}
        print(f"paused: {asked.payload['questions'][0]['question']}")
    if tokens:
        keep(tokens, state)
    else:
        print(f"done: {stopped.values['result']}")


def answer(askback: AskbackClient, state: Path, label: str) -> None:
    """Bring the links to the person, as a messenger with a role of its own does, and answer through them."""
    for token in kept(state).values():
        link = askback.links(token["jti"])
        asked = askback.question(link).payload["questions"][0]
        selected = {"question_id": asked["id"], "selections": [label]}
        askback.answer(link, {"answers": [selected]})
        print(f"answered: {asked['question']} {label}")


async def go_on(graph: Graph, askback: AskbackClient, state: Path) -> None:
    """Continue the graph in a new process."""
    stopped = await graph.aget_state(thread(state))
    asked = open_interrupts(stopped)
    outcomes = []
    for interrupted in asked:
        try:
            token = kept(state)[interrupted.id]["pause_token"]
            outcomes.append(askback.outcome(token, scope=SCOPE, run_id=state.name))
        except NotAnswered:
            print(f"waiting: {interrupted.payload['questions'][0]['question']}")
    if asked and not outcomes:
        return
    # Without an open interrupt, no answer is needed: the graph has ended, or an earlier process died after the
    # interrupt, and the graph continues from that process's last step.
    command = resume_command(stopped, *outcomes) if outcomes else None
    await graph.ainvoke(command, thread(state))
    await finish_or_pause(graph, askback, state)


def thread(state: Path) -> Any:
    """Return the graph's config for this run."""
    return {"configurable": {"thread_id": state.name}}


def keep(tokens: dict[str, Any], state: Path) -> None:
    """Store the tokens. They are secrets."""
    path = state / "paused.json"
    path.touch(mode=0o600)
    path.write_text(json.dumps(tokens))


def kept(state: Path) -> dict[str, Any]:
    """Return the tokens of each interrupt that stopped the run."""
    tokens: dict[str, Any] = json.loads((state / "paused.json").read_text())
    return tokens


async def main() -> None:
    """Run one command."""
    parser = argparse.ArgumentParser(description="A LangGraph graph that waits for a person.")
    parser.add_argument("command", choices=["start", "answer", "continue"])
    parser.add_argument("--api", required=True)
    parser.add_argument("--state", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--choose", default="Approve")
    given = parser.parse_args()
    askback = AskbackClient(HttpTransport(given.api))
    if given.command == "answer":
        answer(askback, given.state, given.choose)
        return
    async with AsyncSqliteSaver.from_conn_string(str(given.state / "checkpoints.db")) as saver:
        graph = build_graph(saver, given.state)
        await (start if given.command == "start" else go_on)(graph, askback, given.state)


if __name__ == "__main__":
    asyncio.run(main())
