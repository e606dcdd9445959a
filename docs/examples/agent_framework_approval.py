"""A Microsoft Agent Framework agent whose refunds wait for a person. It uses tool approvals; askback has the questions.

Each call of a tool that requires approval becomes a pause of its own. A person approves it, approves it with another
amount, or rejects it with a reason. A new process gets the session of the agent together with the answers.

    agent_framework_approval.py start    --api URL --state DIR
    agent_framework_approval.py answer   --api URL --state DIR --choose CHOICES
    agent_framework_approval.py continue --api URL --state DIR

CHOICES is Approve, Edit or Reject; `Approve,Reject` is one for each question. DIR takes the place of your database, and
its name is the id of the run.
"""

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

from agent_framework import (
    Agent,
    AgentResponse,
    AgentSession,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationContext,
    FunctionInvocationLayer,
    FunctionMiddleware,
    Message,
    tool,
)

from askback import (
    AlreadyAnswered,
    AskbackClient,
    HttpTransport,
    NotAnswered,
    PauseExpired,
    PauseRevoked,
    PauseSuperseded,
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


def pay(provider: Path, key: str, order: str) -> None:
    """Stand for a payment provider, which pays once for each idempotency key. Its payments are files in a folder."""
    try:
        (provider / f"paid-{key}").touch(exist_ok=False)
        print(f"ran: pay_refund {order}")
    except FileExistsError:
        print(f"had run: pay_refund {order}")


class ApprovedCall(FunctionMiddleware):
    """Gives a tool what the person approved of its call.

    Agent Framework does not run a call whose arguments were changed after its approval. So edited arguments go beside
    the call, together with the key of the payment.
    """

    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Find the approval of this call."""
        approvals = context.kwargs.get("approvals", {})
        context.kwargs["approved"] = approvals.get(context.metadata.get("function_call_occurrence_id"))
        await call_next()


def build_agent(state: Path) -> Agent[Any]:
    """Build the agent; every process builds the same one. The payments are files in `state`."""

    @tool
    def get_customer() -> str:
        print("ran: get_customer")
        return "Ada, since 2019"

    @tool(approval_mode="always_require")
    def pay_refund(order: str, amount: float, context: FunctionInvocationContext) -> str:
        approved = context.kwargs["approved"]
        # The key is the id of the pause that approved the call, so a run that is continued twice pays once.
        pay(state, approved["key"], order)
        return f"paid {approved['arguments']['amount']:.2f} EUR for {order}"

    return Agent(ScriptedClient(), tools=[get_customer, pay_refund], middleware=[ApprovedCall()])


# --- The program: one command, one process --------------------------------------------------------


async def start(askback: AskbackClient, state: Path) -> None:
    """Start the run. Repeated after a crash, it asks what it has stored, and calls no model."""
    if (state / "paused.json").exists():
        ask(askback, state)
        return
    session = AgentSession(session_id=state.name)
    finish_or_pause(await build_agent(state).run(PROMPT, session=session), session, askback, state)


def finish_or_pause(result: AgentResponse[Any], session: AgentSession, askback: AskbackClient, state: Path) -> None:
    """Print how the run ended, or store what it waits for, and ask that."""
    if not result.user_input_requests:
        print(f"done: {result.text}")
        return
    turn = {
        "session": session.to_dict(),
        "requests": {str(request.id): request.to_dict() for request in result.user_input_requests},
    }
    requests = {}
    for request in result.user_input_requests:
        call = request.function_call
        assert call is not None, "a request for an approval has its call"
        arguments = call.parse_arguments() or {}
        name, payload = approval(
            f"Refund {arguments['order']}?",
            action=str(call.name),
            arguments=arguments,
            editable={"amount": {"type": "number", "minimum": 0, "maximum": arguments["amount"]}},
        )
        requests[str(request.id)] = {
            "name": name,
            "payload": payload,
            "tool_call_id": call.call_id,
            "messages": [turn],
            # Names the question: Agent Framework makes a new id for each call, whatever the provider calls it.
            "idempotency_key": f"{state.name}/{request.id}",
        }
    # Before anything is asked: another run of the model would be another question.
    keep({"requests": requests}, state)
    ask(askback, state)


def ask(askback: AskbackClient, state: Path) -> None:
    """Ask what is stored and not yet asked. The same request is the same pause, so a crash in between is no harm."""
    tokens = {}
    for request_id, request in kept(state).get("requests", {}).items():
        pause = askback.pause(
            **request, run_id=state.name, scope=SCOPE, ttl_seconds=DAY_SECONDS, on_expiry=REJECT_ON_EXPIRY
        )
        tokens[request_id] = {"pause_token": pause.pause_token, "jti": pause.jti}
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
    approvals: dict[str, Any] = {}
    refusals: dict[str, str] = {}
    recorded: Mapping[str, Any] = {}
    for request_id, token in paused["tokens"].items():
        try:
            outcome = askback.outcome(token["pause_token"], scope=SCOPE, run_id=state.name)
        except NotAnswered:
            print("waiting: not everything is answered")
            return
        except (PauseExpired, PauseRevoked, PauseSuperseded) as ended:
            # A question that ended without an answer is not an approval.
            refusals[request_id] = f"the question ended without an answer ({ended.code})"
            continue
        # A resume is not an approval: the call needs a person's yes.
        if outcome.by_policy:
            refusals[request_id] = "no person decided in time"
        elif outcome.response["decision"] != "approve":
            refusals[request_id] = f"the person rejected it: {outcome.response['comment']}"
        else:
            # The arguments as the person has approved them, with the edits.
            approvals[request_id] = {"key": outcome.jti, "arguments": outcome.response["arguments"]}
        assert outcome.turn is not None, "a turn this small comes with the outcome"
        recorded = outcome.turn.messages[0]
    if not recorded:
        print("stopped: every question was revoked")
        return
    contents: list[Content | str] = []
    for request_id, stored in recorded["requests"].items():
        request = Content.from_dict(stored)
        contents.append(request.to_function_approval_response(request_id in approvals))
    # The framework's own text of a rejection has no reason in it.
    for request_id, reason in refusals.items():
        call = recorded["requests"][request_id]["function_call"]
        contents.append(f"{call['call_id']} was not run: {reason}")
    session = AgentSession.from_dict(dict(recorded["session"]))
    result = await build_agent(state).run(
        Message("user", contents), session=session, function_invocation_kwargs={"approvals": approvals}
    )
    finish_or_pause(result, session, askback, state)


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


class ScriptedClient(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """Calls three tools in one round, then says what was paid."""

    async def _inner_get_response(self, *, messages: Sequence[Message], **options: Any) -> ChatResponse[Any]:
        """Return the next message; refuse a transcript in which a call has not exactly one result."""
        contents = [content for message in messages for content in message.contents]
        calls = [content.call_id for content in contents if content.type == "function_call"]
        results = {content.call_id: str(content.result) for content in contents if content.type == "function_result"}
        if sorted(map(str, calls)) != sorted(str(each.call_id) for each in contents if each.type == "function_result"):
            raise ValueError("every call must be followed by exactly one result")
        if not calls:
            made = [
                Content.from_function_call("call_0", "get_customer", arguments={}),
                Content.from_function_call("call_1", "pay_refund", arguments={"order": "A-1009", "amount": 49.9}),
                Content.from_function_call("call_2", "pay_refund", arguments={"order": "A-1010", "amount": 49.9}),
            ]
            return ChatResponse(messages=[Message("assistant", made)])
        for call_id, result in results.items():
            print(f"model sees: {call_id} {result}")
        for content in contents:
            if content.type == "text" and content.text != PROMPT:
                print(f"model sees: {content.text}")
        paid = [result for result in results.values() if result.startswith("paid")]
        return ChatResponse(messages=[Message("assistant", [f"{len(paid)} of 2 refunds are on their way."])])


def main() -> None:
    """Run one command."""
    parser = argparse.ArgumentParser(description="A Microsoft Agent Framework agent that waits for a person.")
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
