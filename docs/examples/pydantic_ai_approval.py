"""A Pydantic AI agent whose refunds wait for a person. It uses deferred tools; askback has the questions and the turn.

Each call of a tool that requires approval becomes a pause of its own. A person approves it, approves it with another
amount, or rejects it with a reason. A new process gets the messages of the run together with the answers.

    pydantic_ai_approval.py start    --api URL --state DIR
    pydantic_ai_approval.py answer   --api URL --state DIR --choose CHOICES
    pydantic_ai_approval.py continue --api URL --state DIR

CHOICES is Approve, Edit or Reject; `Approve,Reject` is one for each question. DIR takes the place of your database, and
its name is the id of the run.
"""

import argparse
import asyncio
import json
from collections.abc import Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

from pydantic_ai import (
    Agent,
    AgentRunResult,
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
    ToolApproved,
    ToolDenied,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from askback import (
    AlreadyAnswered,
    AskbackClient,
    HttpTransport,
    NotAnswered,
    PauseExpired,
    PauseRevoked,
    PauseSuperseded,
    ResumedPause,
    Scope,
    approval,
    approve,
    reject,
)

SCOPE = Scope(tenant_id="acme", sub_tenant_id="eu")
PROMPT = "Refund orders A-1009 and A-1010, the boxes were crushed."
DAY_SECONDS = 24 * 3600
# Without an answer in time, the question ends as rejected. So the run always gets its turn back.
REJECT_ON_EXPIRY = {"policy": "default", "response": reject()}
CHOICES = {
    "Approve": approve(),
    "Edit": approve(edits={"amount": 40}),
    "Reject": reject(comment="The box was not crushed."),
}

Refunds = Agent[Path, str | DeferredToolRequests]
Result = AgentRunResult[str | DeferredToolRequests]


def pay(provider: Path, key: str, order: str) -> None:
    """Stand for a payment provider, which pays once for each idempotency key. Its payments are files in a folder."""
    try:
        (provider / f"paid-{key}").touch(exist_ok=False)
        print(f"ran: pay_refund {order}")
    except FileExistsError:
        print(f"had run: pay_refund {order}")


def build_agent() -> Refunds:
    """Build the agent; every process builds the same one. The payments are files in the folder of its `deps`."""
    agent = Agent(FunctionModel(scripted), deps_type=Path, output_type=[str, DeferredToolRequests])

    @agent.tool_plain
    def get_customer() -> str:
        print("ran: get_customer")
        return "Ada, since 2019"

    @agent.tool(requires_approval=True)
    def pay_refund(context: RunContext[Path], order: str, amount: float) -> str:
        # The key is the id of the pause that approved the call, so a run that is continued twice pays once.
        pay(context.deps, context.tool_call_metadata["key"], order)
        return f"paid {amount:.2f} EUR for {order}"

    return agent


# --- The program: one command, one process --------------------------------------------------------


async def start(askback: AskbackClient, state: Path) -> None:
    """Start the run. Repeated after a crash, it asks what it has stored, and calls no model."""
    if (state / "paused.json").exists():
        ask(askback, state)
        return
    finish_or_pause(await build_agent().run(PROMPT, deps=state), askback, state)


def finish_or_pause(result: Result, askback: AskbackClient, state: Path) -> None:
    """Print how the run ended, or store what it waits for, and ask that."""
    if not isinstance(result.output, DeferredToolRequests):
        print(f"done: {result.output}")
        return
    messages = ModelMessagesTypeAdapter.dump_python(result.all_messages(), mode="json")
    requests = {}
    for call in result.output.approvals:
        arguments = call.args_as_dict()
        name, payload = approval(
            f"Refund {arguments['order']}?",
            action=call.tool_name,
            arguments=arguments,
            editable={"amount": {"type": "number", "minimum": 0, "maximum": arguments["amount"]}},
        )
        requests[call.tool_call_id] = {
            "name": name,
            "payload": payload,
            "tool_call_id": call.tool_call_id,
            "messages": messages,
            # Names the question. A provider may use an id of a call again in a later round; the transcript is longer
            # then.
            "idempotency_key": f"{state.name}/{len(messages)}/{call.tool_call_id}",
        }
    # Before anything is asked: another run of the model would be another question.
    keep({"requests": requests}, state)
    ask(askback, state)


def ask(askback: AskbackClient, state: Path) -> None:
    """Ask what is stored and not yet asked. The same request is the same pause, so a crash in between is no harm."""
    tokens = {}
    for call_id, request in kept(state).get("requests", {}).items():
        pause = askback.pause(
            **request, run_id=state.name, scope=SCOPE, ttl_seconds=DAY_SECONDS, on_expiry=REJECT_ON_EXPIRY
        )
        tokens[call_id] = {"pause_token": pause.pause_token, "jti": pause.jti}
        print(f"paused: {pause.payload['title']}")
    if tokens:
        keep({"tokens": tokens}, state)


def answer(askback: AskbackClient, state: Path, choices: str) -> None:
    """Bring the links to the person, as a messenger with a role of its own does, and answer through them."""
    for token, choice in zip(kept(state)["tokens"].values(), cycle(choices.split(",")), strict=False):
        try:
            link = askback.links(token["jti"])
        except AlreadyAnswered:
            print("was answered: one question")
            continue
        asked = askback.question(link).payload["title"]
        askback.answer(link, CHOICES[choice])
        print(f"answered: {asked} {choice}")


async def go_on(askback: AskbackClient, state: Path) -> None:
    """Continue the run in a new process, once every question has an answer or has ended."""
    paused = kept(state)
    if "requests" in paused:
        # An earlier process died before it had asked everything.
        ask(askback, state)
        return
    results = DeferredToolResults()
    recorded: list[ModelMessage] = []
    for call_id, token in paused["tokens"].items():
        try:
            outcome = askback.outcome(token["pause_token"], scope=SCOPE, run_id=state.name)
        except NotAnswered:
            print("waiting: not everything is answered")
            return
        except (PauseExpired, PauseRevoked, PauseSuperseded) as ended:
            # A question that ended without an answer is not an approval.
            results.approvals[call_id] = ToolDenied(f"not run: the question ended without an answer ({ended.code})")
            continue
        results.approvals[call_id] = decision(outcome)
        results.metadata[call_id] = {"key": outcome.jti}
        assert outcome.turn is not None, "a turn this small comes with the outcome"
        recorded = ModelMessagesTypeAdapter.validate_python(outcome.turn.messages)
    if not recorded:
        print("stopped: every question was revoked")
        return
    result = await build_agent().run(message_history=recorded, deferred_tool_results=results, deps=state)
    finish_or_pause(result, askback, state)


def decision(outcome: ResumedPause) -> ToolApproved | ToolDenied:
    """Return what the answer says about its call. A resume is not an approval: the call needs a person's yes."""
    if outcome.by_policy:
        return ToolDenied("not run: no person decided in time")
    if outcome.response["decision"] != "approve":
        return ToolDenied(f"not run: the person rejected it: {outcome.response['comment']}")
    # As the person has approved them, with the edits.
    return ToolApproved(override_args=outcome.response["arguments"])


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


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Call three tools in one round, then say what was paid; refuse a transcript with a call without one result."""
    parts = [part for message in messages for part in message.parts]
    calls = [part.tool_call_id for part in parts if isinstance(part, ToolCallPart)]
    results = {part.tool_call_id: str(part.content) for part in parts if isinstance(part, ToolReturnPart)}
    if sorted(calls) != sorted(part.tool_call_id for part in parts if isinstance(part, ToolReturnPart)):
        raise ValueError("every call must be followed by exactly one result")
    if not calls:
        return ModelResponse(
            parts=[
                ToolCallPart("get_customer", {}, tool_call_id="call_0"),
                ToolCallPart("pay_refund", {"order": "A-1009", "amount": 49.9}, tool_call_id="call_1"),
                ToolCallPart("pay_refund", {"order": "A-1010", "amount": 49.9}, tool_call_id="call_2"),
            ]
        )
    for call_id in calls:
        print(f"model sees: {call_id} {results[call_id]}")
    paid = [result for result in results.values() if result.startswith("paid")]
    return ModelResponse(parts=[TextPart(f"{len(paid)} of 2 refunds are on their way.")])


def main() -> None:
    """Run one command."""
    parser = argparse.ArgumentParser(description="A Pydantic AI agent that waits for a person.")
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
