"""A Strands agent whose refund waits for a person. It uses interrupts and snapshots of Strands; askback stores them.

A hook interrupts the call that needs an approval. The session snapshot of Strands has everything to continue: messages,
state, and the results of calls that ran together with the interrupted one. The snapshot is recorded as the turn of the
pause. A new process gets it together with the answer.

    strands_approval.py start    --api URL --state DIR
    strands_approval.py answer   --api URL --state DIR --choose LABEL
    strands_approval.py continue --api URL --state DIR

DIR takes the place of your database, and its name is the id of the run.
"""

import argparse
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from strands import Agent, Snapshot, ToolContext, tool
from strands.agent import AgentResult
from strands.hooks import BeforeToolCallEvent, HookProvider, HookRegistry
from strands.models import Model
from strands.types.content import Message, Messages
from strands.types.streaming import StreamEvent

from askback import AskbackClient, HttpTransport, NotAnswered, Scope

SCOPE = Scope(tenant_id="acme", sub_tenant_id="eu")
PROMPT = "Refund order A-1009, the box was crushed."
DAY_SECONDS = 24 * 3600
GUARDED = frozenset({"pay_refund"})


class Approval(HookProvider):
    """Lets a guarded call run only after a person has approved it."""

    def register_hooks(self, registry: HookRegistry, **options: Any) -> None:
        """Register the check of every call before it runs."""
        registry.add_callback(BeforeToolCallEvent, self.ask)

    def ask(self, event: BeforeToolCallEvent) -> None:
        """Interrupt the call. With the answer, Strands calls this again and the interrupt returns the answer."""
        call = event.tool_use
        if call["name"] not in GUARDED:
            return
        choice = event.interrupt("approval", reason={"tool_call_id": call["toolUseId"], "input": call["input"]})
        # A resume is not an approval: the call runs only after the answer "Approve".
        if choice != "Approve":
            event.cancel_tool = f"not run: the person said {choice}"


def pay(provider: Path, key: str, order: str) -> None:
    """Stand for a payment provider, which pays once for each idempotency key. Its payments are files in a folder."""
    try:
        (provider / f"paid-{key}").touch(exist_ok=False)
        print("ran: pay_refund")
    except FileExistsError:
        print("had run: pay_refund")


def build_agent(state: Path, keys: Mapping[str, str]) -> Agent:
    """Build the agent; every process builds the same one. `keys` has the payment's key for each approved call."""

    @tool
    def get_order(order: str) -> str:
        """Look an order up."""
        print("ran: get_order")
        return f"{order}: 49.90 EUR, paid"

    @tool(context=True)
    def pay_refund(order: str, tool_context: ToolContext) -> str:
        """Pay a refund. The key is the id of the pause that approved it, so a run that is continued twice pays once."""
        pay(state, keys[tool_context.tool_use["toolUseId"]], order)
        return f"paid 49.90 EUR for {order}"

    return Agent(model=ScriptedModel(), tools=[get_order, pay_refund], hooks=[Approval()], callback_handler=None)


# --- The program: one command, one process --------------------------------------------------------


def start(askback: AskbackClient, state: Path) -> None:
    """Start the run. Repeated after a crash, it asks what it has stored, and calls no model."""
    if (state / "paused.json").exists():
        ask(askback, state)
        return
    agent = build_agent(state, keys={})
    finish_or_pause(agent, agent(PROMPT), askback, state)


def finish_or_pause(agent: Agent, result: AgentResult, askback: AskbackClient, state: Path) -> None:
    """Print how the run ended, or store what it waits for, and ask that."""
    if result.stop_reason != "interrupt":
        print(f"done: {str(result).strip()}")
        return
    snapshot = agent.take_snapshot(preset="session").to_dict()
    requests = {
        interrupt.id: {
            "payload": question(f"Refund {interrupt.reason['input']['order']}?"),
            "tool_call_id": interrupt.reason["tool_call_id"],
            "messages": [snapshot],
            # Names the question. A provider may use an id of a call again in a later round; the transcript is longer
            # then.
            "idempotency_key": f"{state.name}/{len(agent.messages)}/{interrupt.id}",
        }
        for interrupt in result.interrupts or []
    }
    # Before anything is asked: a snapshot has the time in it, so another one would be another question.
    keep({"requests": requests}, state)
    ask(askback, state)


def ask(askback: AskbackClient, state: Path) -> None:
    """Ask what is stored and not yet asked. The same request is the same pause, so a crash in between is no harm."""
    requests = kept(state).get("requests", {})
    tokens = {}
    for asked, request in requests.items():
        pause = askback.pause("ask_user", **request, run_id=state.name, scope=SCOPE, ttl_seconds=DAY_SECONDS)
        tokens[asked] = {"pause_token": pause.pause_token, "jti": pause.jti}
        print(f"paused: {pause.tool_call_id}")
    if tokens:
        keep({"tokens": tokens}, state)


def answer(askback: AskbackClient, state: Path, label: str) -> None:
    """Bring the links to the person, as a messenger with a role of its own does, and answer through them."""
    for token in kept(state)["tokens"].values():
        link = askback.links(token["jti"])
        asked = askback.question(link).payload["questions"][0]
        choice = {"question_id": asked["id"], "selections": [label]}
        askback.answer(link, {"answers": [choice]})
        print(f"answered: {asked['question']} {label}")


def go_on(askback: AskbackClient, state: Path) -> None:
    """Continue the run in a new process."""
    responses: list[Any] = []
    snapshot: dict[str, Any] = {}
    keys: dict[str, str] = {}
    paused = kept(state)
    if "requests" in paused:
        # An earlier process died before it had asked everything.
        ask(askback, state)
        return
    for interrupt_id, token in paused["tokens"].items():
        try:
            outcome = askback.outcome(token["pause_token"], scope=SCOPE, run_id=state.name)
        except NotAnswered:
            print("waiting: not everything is answered")
            return
        assert outcome.turn is not None, "a turn this small comes with the outcome"
        snapshot = dict(outcome.turn.messages[0])
        label = outcome.response["answers"][0]["selections"][0]
        keys[outcome.tool_call_id] = outcome.jti
        responses.append({"interruptResponse": {"interruptId": interrupt_id, "response": label}})
    agent = build_agent(state, keys)
    agent.load_snapshot(Snapshot.from_dict(snapshot))
    finish_or_pause(agent, agent(responses), askback, state)


def question(text: str) -> dict[str, Any]:
    """Return a question with two answers."""
    return {
        "questions": [{"question": text, "header": "Refund", "options": [{"label": "Approve"}, {"label": "Reject"}]}]
    }


def keep(paused: Mapping[str, Any], state: Path) -> None:
    """Store what the run waits for. It has the state of the run and the tokens, which are secrets."""
    written = state / "paused.new"
    written.touch(mode=0o600)
    written.write_text(json.dumps(paused))
    # In one step, so that a process that dies leaves the old or the new text.
    written.replace(state / "paused.json")


def kept(state: Path) -> dict[str, Any]:
    """Return what the run waits for: the requests of its pauses, or their tokens once all were asked."""
    paused: dict[str, Any] = json.loads((state / "paused.json").read_text())
    return paused


# --- The model: a script in place of a provider ---------------------------------------------------


class ScriptedModel(Model):
    """Calls both tools in one round, then says whether the refund was paid."""

    async def stream(self, messages: Messages, *given: Any, **options: Any) -> AsyncIterator[StreamEvent]:
        """Stream the next message; refuse a transcript in which a call has not exactly one result."""
        results = results_in(messages)
        yield {"messageStart": {"role": "assistant"}}
        if not results:
            for number, name in enumerate(("get_order", "pay_refund")):
                call = {"name": name, "toolUseId": f"call_{number}_{name}"}
                yield {"contentBlockStart": {"start": {"toolUse": call}}}  # type: ignore[typeddict-item]
                yield {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"order": "A-1009"}'}}}}
                yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "tool_use"}}
            return
        text = "The refund is on its way." if results["call_1_pay_refund"].startswith("paid") else "No refund was paid."
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": text}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}

    def get_config(self) -> dict[str, Any]:
        """Return nothing: a script has no settings."""
        return {}

    def update_config(self, **settings: Any) -> None:
        """Change nothing."""

    def structured_output(self, *given: Any, **options: Any) -> Any:
        """Refuse: the script has none."""
        raise NotImplementedError


def results_in(messages: Messages) -> dict[str, str]:
    """Return the result of each call, and print the results as the model gets them."""
    blocks = [block for message in messages for block in _content(message)]
    calls = [block["toolUse"]["toolUseId"] for block in blocks if "toolUse" in block]
    results = [block["toolResult"] for block in blocks if "toolResult" in block]
    if sorted(calls) != sorted(result["toolUseId"] for result in results):
        raise ValueError("every call must be followed by exactly one result")
    texts = {result["toolUseId"]: result["content"][0]["text"] for result in results}
    for call_id, text in texts.items():
        print(f"model sees: {call_id} {text}")
    return texts


def _content(message: Message) -> list[Any]:
    return list(message["content"])


def main() -> None:
    """Run one command."""
    parser = argparse.ArgumentParser(description="A Strands agent that waits for a person.")
    parser.add_argument("command", choices=["start", "answer", "continue"])
    parser.add_argument("--api", required=True)
    parser.add_argument("--state", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--choose", default="Approve")
    given = parser.parse_args()
    askback = AskbackClient(HttpTransport(given.api))
    if given.command == "start":
        start(askback, given.state)
    elif given.command == "answer":
        answer(askback, given.state, given.choose)
    else:
        go_on(askback, given.state)


if __name__ == "__main__":
    main()
