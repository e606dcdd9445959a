"""An OpenAI Agents SDK run whose refund waits for a person. It uses the SDK's interruptions; askback stores the state.

A tool that needs approval interrupts the run. The `RunState` of the SDK has everything to continue, also the results of
calls that ran together with the interrupted one. It is recorded as the turn of the pause. A new process gets it
together with the answer.

    openai_agents_approval.py start    --api URL --state DIR
    openai_agents_approval.py answer   --api URL --state DIR --choose LABEL
    openai_agents_approval.py continue --api URL --state DIR

DIR takes the place of your database, and its name is the id of the run.
"""

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, RunResult, RunState, Usage, function_tool
from agents.tool_context import ToolContext
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from askback import AskbackClient, HttpTransport, NotAnswered, Scope

SCOPE = Scope(tenant_id="acme", sub_tenant_id="eu")
PROMPT = "Refund order A-1009, the box was crushed."
DAY_SECONDS = 24 * 3600
CONFIG = RunConfig(tracing_disabled=True)


def pay(provider: Path, key: str, order: str) -> None:
    """Stand for a payment provider, which pays once for each idempotency key. Its payments are files in a folder."""
    try:
        (provider / f"paid-{key}").touch(exist_ok=False)
        print("ran: pay_refund")
    except FileExistsError:
        print("had run: pay_refund")


def build_agent(state: Path, keys: Mapping[str, str]) -> Agent[Any]:
    """Build the agent; every process builds the same one. `keys` has the payment's key for each approved call."""

    @function_tool
    def get_order(order: str) -> str:
        """Look an order up."""
        print("ran: get_order")
        return f"{order}: 49.90 EUR, paid"

    @function_tool(needs_approval=True)
    def pay_refund(context: ToolContext[Any], order: str) -> str:
        """Pay a refund. The key is the id of the pause that approved it, so a run that is continued twice pays once."""
        pay(state, keys[context.tool_call_id], order)
        return f"paid 49.90 EUR for {order}"

    return Agent(name="refunds", model=ScriptedModel(), tools=[get_order, pay_refund])


# --- The program: one command, one process --------------------------------------------------------


async def start(askback: AskbackClient, state: Path) -> None:
    """Start the run. Repeated after a crash, it asks what it has stored, and calls no model."""
    if (state / "paused.json").exists():
        ask(askback, state)
        return
    finish_or_pause(await Runner.run(build_agent(state, keys={}), PROMPT, run_config=CONFIG), askback, state)


def finish_or_pause(result: RunResult, askback: AskbackClient, state: Path) -> None:
    """Print how the run ended, or store what it waits for, and ask that."""
    if not result.interruptions:
        print(f"done: {result.final_output}")
        return
    run_state = result.to_state().to_json()
    length = len(result.to_input_list())
    requests = {
        call.call_id or "": {
            "payload": question(f"Refund {json.loads(call.arguments or '{}')['order']}?"),
            "tool_call_id": call.call_id,
            "messages": [run_state],
            # Names the question. A provider may use an id of a call again in a later round; the transcript is longer
            # then.
            "idempotency_key": f"{state.name}/{length}/{call.call_id}",
        }
        for call in result.interruptions
    }
    # Before anything is asked: another run of the model would be another question.
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


async def go_on(askback: AskbackClient, state: Path) -> None:
    """Continue the run in a new process."""
    labels: dict[str, str] = {}
    keys: dict[str, str] = {}
    recorded: dict[str, Any] = {}
    paused = kept(state)
    if "requests" in paused:
        # An earlier process died before it had asked everything.
        ask(askback, state)
        return
    for call_id, token in paused["tokens"].items():
        try:
            outcome = askback.outcome(token["pause_token"], scope=SCOPE, run_id=state.name)
        except NotAnswered:
            print("waiting: not everything is answered")
            return
        assert outcome.turn is not None, "a turn this small comes with the outcome"
        recorded = dict(outcome.turn.messages[0])
        keys[call_id] = outcome.jti
        labels[call_id] = outcome.response["answers"][0]["selections"][0]
    agent = build_agent(state, keys)
    run_state = await RunState.from_json(agent, recorded)
    for call in run_state.get_interruptions():
        label = labels[call.call_id or ""]
        # A resume is not an approval: the call runs only after the answer "Approve".
        if label == "Approve":
            run_state.approve(call)
        else:
            run_state.reject(call, rejection_message=f"not run: the person said {label}")
    finish_or_pause(await Runner.run(agent, run_state, run_config=CONFIG), askback, state)


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

    async def get_response(
        self,
        system_instructions: str | None,
        input: Any,  # noqa: A002  its name
        *given: Any,
        **options: Any,
    ) -> ModelResponse:
        """Return the next items; refuse a transcript in which a call has not exactly one result."""
        results = results_in(input)
        if not results:
            calls = [
                ResponseFunctionToolCall(
                    type="function_call", call_id=f"call_{number}_{name}", name=name, arguments='{"order": "A-1009"}'
                )
                for number, name in enumerate(("get_order", "pay_refund"))
            ]
            return ModelResponse(output=[*calls], usage=Usage(), response_id=None)
        text = "The refund is on its way." if results["call_1_pay_refund"].startswith("paid") else "No refund was paid."
        said = ResponseOutputMessage(
            id="message_1",
            type="message",
            role="assistant",
            status="completed",
            content=[ResponseOutputText(type="output_text", text=text, annotations=[])],
        )
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *given: Any, **options: Any) -> AsyncIterator[Any]:
        """Refuse: the script does not stream."""
        raise NotImplementedError


def results_in(items: Any) -> dict[str, str]:
    """Return the result of each call, and print the results as the model gets them."""
    listed = items if isinstance(items, list) else []
    calls = [item["call_id"] for item in listed if item.get("type") == "function_call"]
    results = [item for item in listed if item.get("type") == "function_call_output"]
    if sorted(calls) != sorted(item["call_id"] for item in results):
        raise ValueError("every call must be followed by exactly one result")
    texts = {item["call_id"]: str(item["output"]) for item in results}
    for call_id, text in texts.items():
        print(f"model sees: {call_id} {text}")
    return texts


def main() -> None:
    """Run one command."""
    parser = argparse.ArgumentParser(description="An OpenAI Agents SDK run that waits for a person.")
    parser.add_argument("command", choices=["start", "answer", "continue"])
    parser.add_argument("--api", required=True)
    parser.add_argument("--state", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--choose", default="Approve")
    given = parser.parse_args()
    askback = AskbackClient(HttpTransport(given.api))
    if given.command == "start":
        asyncio.run(start(askback, given.state))
    elif given.command == "answer":
        answer(askback, given.state, given.choose)
    else:
        asyncio.run(go_on(askback, given.state))


if __name__ == "__main__":
    main()
