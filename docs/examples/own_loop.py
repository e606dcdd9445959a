"""A tool-calling loop of your own that can wait for a person: for days, and across processes.

The model looks up an order, then calls the tools for a note, a question and a payment in one round. The note is written
at once, the question pauses the run, and the payment waits for the answer. A person answers through a link. A new
process fetches the answer and continues from the recorded turn.

    own_loop.py start    --api URL --state DIR
    own_loop.py answer   --api URL --state DIR --choose LABEL
    own_loop.py continue --api URL --state DIR

`start` and `continue` are the agent, `answer` is a messenger and a person. The loop mints the pause in its own process,
so it has the environment and the permissions of the mint function. These include the keys, which can sign what answers.
An agent that must not be able to answer mints through the API, under the stack's policy for agents. DIR takes the place
of your database, and its name is the id of the run.
"""

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askback import AskbackClient, HttpTransport, NotAnswered, PausedTurn, ResumedPause, Scope
from askback.domain.agent.capability import HumanInteractionCapability
from askback.domain.agent.pausing import pause_handler
from askback.domain.agent.turn import AgentTurn, InvocationPaused, PendingInterrupt, ReservedCall, captured_messages
from askback.domain.pause.binding import PauseBinding
from askback.wiring import mint
from askback.wiring.observers import observers

Message = Mapping[str, Any]

SCOPE = Scope(tenant_id="acme", sub_tenant_id="eu")
PROMPT = "Refund order A-1009, the box was crushed."
DAY_SECONDS = 24 * 3600


# --- The model: a script in place of a provider ---------------------------------------------------


def call(call_id: str, name: str, **arguments: Any) -> ReservedCall:
    """Return a call of the model."""
    return ReservedCall(call_id=call_id, name=name, arguments=arguments)


def ask(call_id: str, text: str, *labels: str) -> ReservedCall:
    """Return a call that asks a person to choose."""
    options = [{"label": label} for label in labels]
    return call(call_id, "ask_user", questions=[{"question": text, "header": "Refund", "options": options}])


def model(messages: Sequence[Message]) -> tuple[str, list[ReservedCall]]:
    """Return the model's next text and calls; refuse a transcript that a provider would refuse.

    Raises:
        ValueError: a call has no result, or more than one.
    """
    calls = [made["id"] for message in messages for made in message.get("tool_calls", [])]
    results = {message["tool_call_id"]: message["content"] for message in messages if message["role"] == "tool"}
    if sorted(calls) != sorted(message["tool_call_id"] for message in messages if message["role"] == "tool"):
        raise ValueError("every call must be followed by exactly one result")
    if "call_order" not in results:
        return "", [call("call_order", "get_order", order="A-1009")]
    if "call_ask" not in results:
        return "I need a decision before I pay.", [
            call("call_note", "add_note", text="asked for a refund"),
            ask("call_ask", "Refund 49.90 EUR?", "Approve", "Reject"),
            call("call_pay", "pay_refund", order="A-1009"),
        ]
    if results["call_pay"].startswith("paid"):
        return "The refund of 49.90 EUR is on its way.", []
    if "call_instead" not in results:
        return "", [ask("call_instead", "Offer a voucher instead?", "Yes", "No")]
    return f"No refund. A voucher instead: {results['call_instead']}.", []


# --- The tools ------------------------------------------------------------------------------------


class Tools:
    """The tools of the model, besides the question. The payments are files in `state`."""

    GUARDED = frozenset({"pay_refund"})
    """These tools run only after a person approved; a resume alone is not an approval."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self.run_id = state.name

    def run(self, made: ReservedCall, key: str = "") -> str:
        """Run a call and return its result as text. `key` is the id of the pause that approved it."""
        if made.name == "get_order":
            return '{"order": "A-1009", "total": 49.90, "currency": "EUR"}'
        if made.name == "add_note":
            print("ran: add_note")
            return "noted"
        if made.name == "pay_refund":
            # If two processes continue the run, both pay under one key.
            pay(self._state, key, made.arguments["order"])
            return "paid 49.90 EUR"
        return f"there is no tool {made.name}"


def pay(provider: Path, key: str, order: str) -> None:
    """Stand for a payment provider, which pays once for each idempotency key. Its payments are files in a folder."""
    try:
        (provider / f"paid-{key}").touch(exist_ok=False)
        print("ran: pay_refund")
    except FileExistsError:
        print("had run: pay_refund")


# --- The loop -------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Run:
    """The current run; `length` is the number of its messages."""

    run_id: str
    length: int


def binding(run: Run) -> PauseBinding:
    """Return the place that a pause of this run is bound to.

    The name of the checkpoint comes from the turn. So a process that repeats the turn of a dead process finds the same
    pause, and does not make a second one.
    """
    return PauseBinding(scope=SCOPE, run_id=run.run_id, checkpoint_id=f"{run.run_id}-{run.length}")


async def loop(messages: Sequence[Message], tools: Tools) -> str:
    """Run until the model calls no more tools, and return its last text.

    Raises:
        InvocationPaused: the model asked a person.
    """
    services = mint.build(observers("own-loop")[0])
    capability = HumanInteractionCapability(
        registry=services.registry, mint=services.mint, clock=services.clock, ttl_seconds=DAY_SECONDS
    )
    handle = pause_handler(capability, binding)
    while True:
        show(messages)
        text, calls = model(messages)
        if not calls:
            return text
        # Calls that need no person run first. Their results are recorded with the turn, so they do not run again.
        free = [made for made in calls if made.name not in Tools.GUARDED and not capability.handles(made.name)]
        results = [result(made.call_id, tools.run(made)) for made in free]
        turn = AgentTurn(
            run=Run(run_id=tools.run_id, length=len(messages)),
            transcript=tuple(messages),
            text=text,
            requests=tuple(calls),
            prompt=PROMPT,
            results=tuple(results),
        )
        declined = await handle(turn)
        # The question was not asked. Every call must still get exactly one result.
        refused = {declined.call_id: declined.reason or ""}
        waiting = [made.call_id for made in calls if made not in free]
        results += [result(call_id, refused.get(call_id, "not run: it was not approved")) for call_id in waiting]
        messages = [*captured_messages(messages, text, calls), *results]


def answered(outcome: ResumedPause, turn: PausedTurn, tools: Tools) -> list[Message]:
    """Return the transcript with one result for the answered call, and one for each call that waited."""
    choice = outcome.response["answers"][0]["selections"][0]
    results = [result(outcome.tool_call_id, choice)]
    for made in reserved(turn.messages):
        if made.call_id in (turn.open_tool_call_ids or ()):
            # A resume is not an approval: the action runs only after the answer "Approve".
            allowed = choice == "Approve"
            done = tools.run(made, outcome.jti) if allowed else f"not run: the person said {choice}"
            results.append(result(made.call_id, done))
    return [*turn.messages, *results]


def reserved(messages: Sequence[Message]) -> list[ReservedCall]:
    """Return the calls of the round that asked."""
    made = next(message for message in reversed(messages) if message["role"] == "assistant")["tool_calls"]
    return [call(each["id"], each["function"]["name"], **json.loads(each["function"]["arguments"])) for each in made]


def result(call_id: str, content: str) -> Message:
    """Return the message with the result of a call."""
    return {"role": "tool", "tool_call_id": call_id, "content": content}


# --- The program: one command, one process --------------------------------------------------------


def start(state: Path) -> None:
    """Start the run."""
    finish_or_pause([{"role": "user", "content": PROMPT}], state)


def answer(askback: AskbackClient, state: Path, label: str) -> None:
    """Bring the link to the person, as a messenger with a role of its own does, and answer through it."""
    link = askback.links(kept(state)["jti"])
    asked = askback.question(link).payload["questions"][0]
    print(f"question: {asked['question']}  {' / '.join(option['label'] for option in asked['options'])}")
    choice = {"answers": [{"question_id": asked["id"], "selections": [label]}]}
    askback.answer(link, choice)
    print(f"answered: {label}")


def go_on(askback: AskbackClient, state: Path) -> None:
    """Continue the run in a new process, with the answer and the recorded turn."""
    try:
        outcome = askback.outcome(kept(state)["pause_token"], scope=SCOPE, run_id=state.name)
    except NotAnswered:
        print("waiting: the question is not answered")
        return
    assert outcome.turn is not None, "a turn this small comes with the outcome"
    finish_or_pause(answered(outcome, outcome.turn, Tools(state)), state)


def finish_or_pause(messages: Sequence[Message], state: Path) -> None:
    """Run the loop until it ends or pauses."""
    try:
        print(f"done: {asyncio.run(loop(messages, Tools(state)))}")
    except InvocationPaused as paused:
        keep(paused.pending, state)
        print(f"paused: {paused.pending.tool_call_id}")


def keep(pending: PendingInterrupt, state: Path) -> None:
    """Store the token for the process that continues. The token is a secret."""
    path = state / "paused.json"
    path.touch(mode=0o600)
    path.write_text(json.dumps({"pause_token": pending.pause_token, "jti": pending.jti}))


def kept(state: Path) -> dict[str, str]:
    """Return the token and the id of the pause that stopped the run."""
    paused: dict[str, str] = json.loads((state / "paused.json").read_text())
    return paused


def show(messages: Sequence[Message]) -> None:
    """Print the messages that the model gets."""
    for message in messages:
        calls = ", ".join(f"{made['id']} {made['function']['name']}" for made in message.get("tool_calls", []))
        whose = message.get("tool_call_id", "")
        print("model sees:", *filter(None, (message["role"], whose, message["content"], calls and f"[{calls}]")))


def main() -> None:
    """Run one command."""
    parser = argparse.ArgumentParser(description="A loop of its own that waits for a person.")
    parser.add_argument("command", choices=["start", "answer", "continue"])
    parser.add_argument("--api", required=True)
    parser.add_argument("--state", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--choose", default="Approve")
    given = parser.parse_args()
    if given.command == "start":
        start(given.state)
    elif given.command == "answer":
        answer(AskbackClient(HttpTransport(given.api)), given.state, given.choose)
    else:
        go_on(AskbackClient(HttpTransport(given.api)), given.state)


if __name__ == "__main__":
    main()
