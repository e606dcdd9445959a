"""A Google ADK agent whose refund waits for a person. It uses ADK's tool confirmation; askback stores the session.

A tool with `require_confirmation` does not run. ADK adds the call `adk_request_confirmation` to the session, and the
run ends. The session is recorded as the turn of the pause. A new process gets it together with the answer, and gives
ADK the response of that call.

    google_adk_approval.py start    --api URL --state DIR
    google_adk_approval.py answer   --api URL --state DIR --choose LABEL
    google_adk_approval.py continue --api URL --state DIR

DIR takes the place of your database, and its name is the id of the run.
"""

import argparse
import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from askback import (
    AskbackClient,
    HttpTransport,
    NotAnswered,
    PauseExpired,
    PauseRevoked,
    PauseSuperseded,
    Scope,
    approval,
    reject,
)

SCOPE = Scope(tenant_id="acme", sub_tenant_id="eu")
PROMPT = "Refund order A-1009, the box was crushed."
DAY_SECONDS = 24 * 3600
# With a default answer, the session comes back also when no person decides.
REJECT_ON_EXPIRY = {"policy": "default", "response": reject()}
APP, USER = "refunds", "buyer"
CONFIRMATION = "adk_request_confirmation"


def pay(provider: Path, key: str, order: str) -> None:
    """Stand for a payment provider, which pays once for each idempotency key. Its payments are files in a folder."""
    try:
        (provider / f"paid-{key}").touch(exist_ok=False)
        print("ran: pay_refund")
    except FileExistsError:
        print("had run: pay_refund")


def build_agent(state: Path, keys: Mapping[str, str]) -> LlmAgent:
    """Build the agent; every process builds the same one. `keys` has the payment's key for each approved call."""

    def get_order(order: str) -> str:
        """Look an order up."""
        print("ran: get_order")
        return f"{order}: 49.90 EUR, paid"

    def pay_refund(order: str, tool_context: ToolContext) -> str:
        """Pay a refund. The key is the id of the pause that approved it, so a run that is continued twice pays once."""
        pay(state, keys[tool_context.function_call_id or ""], order)
        return f"paid 49.90 EUR for {order}"

    tools = [FunctionTool(get_order), FunctionTool(pay_refund, require_confirmation=True)]
    return LlmAgent(name=APP, model=ScriptedModel(model="scripted"), tools=[*tools])


# --- The program: one command, one process --------------------------------------------------------


async def start(askback: AskbackClient, state: Path) -> None:
    """Start the run. Repeated after a crash, it asks what it has stored, and calls no model."""
    if (state / "paused.json").exists():
        ask(askback, state)
        return
    session = Session(id=state.name, app_name=APP, user_id=USER)
    said = types.Content(role="user", parts=[types.Part(text=PROMPT)])
    finish_or_pause(await run(build_agent(state, keys={}), session, said), askback, state)


async def run(agent: LlmAgent, session: Session, said: types.Content) -> Session:
    """Run the agent on what the user said, and return the session. ADK's own services can store it elsewhere."""
    sessions = InMemorySessionService()
    stored = await sessions.create_session(app_name=APP, user_id=USER, session_id=session.id, state=session.state)
    for event in session.events:
        await sessions.append_event(stored, event)
    runner = Runner(app_name=APP, agent=agent, session_service=sessions)
    async for _ in runner.run_async(user_id=USER, session_id=session.id, new_message=said):
        pass
    await runner.close()
    ended = await sessions.get_session(app_name=APP, user_id=USER, session_id=session.id)
    assert ended is not None
    return ended


def finish_or_pause(session: Session, askback: AskbackClient, state: Path) -> None:
    """Print how the run ended, or store what it waits for, and ask that."""
    last = session.events[-1]
    confirmations = [call for call in last.get_function_calls() if call.name == CONFIRMATION]
    if not confirmations:
        print(f"done: {''.join(part.text or '' for part in (last.content and last.content.parts) or [])}")
        return
    turn = session.model_dump(mode="json", by_alias=True, exclude_none=True)
    requests = {}
    for confirmation in confirmations:
        assert confirmation.id is not None
        assert confirmation.args is not None
        call = confirmation.args["originalFunctionCall"]
        title = f"Refund {call['args']['order']}?"
        name, payload = approval(title, action=call["name"], arguments=call["args"])
        requests[confirmation.id] = {
            "name": name,
            "payload": payload,
            "tool_call_id": call["id"],
            # The id of the call that ADK waits for: the response must have it.
            "interrupt_id": confirmation.id,
            "messages": [turn],
            # Names the question. A provider may use an id of a call again in a later round; the session is longer then.
            "idempotency_key": f"{state.name}/{len(session.events)}/{call['id']}",
        }
    # Before anything is asked: a session has times in it, so another one would be another question.
    keep({"requests": requests}, state)
    ask(askback, state)


def ask(askback: AskbackClient, state: Path) -> None:
    """Ask what is stored and not yet asked. The same request is the same pause, so a crash in between is no harm."""
    tokens = {}
    for asked, request in kept(state).get("requests", {}).items():
        pause = askback.pause(
            **request, run_id=state.name, scope=SCOPE, ttl_seconds=DAY_SECONDS, on_expiry=REJECT_ON_EXPIRY
        )
        tokens[asked] = {"pause_token": pause.pause_token, "jti": pause.jti}
        print(f"paused: {pause.tool_call_id}")
    if tokens:
        keep({"tokens": tokens}, state)


def answer(askback: AskbackClient, state: Path, label: str) -> None:
    """Bring the links to the person, as a messenger with a role of its own does, and answer through them."""
    for token in kept(state)["tokens"].values():
        link = askback.links(token["jti"])
        title = askback.question(link).payload["title"]
        askback.answer(link, {"decision": label.lower()})
        print(f"answered: {title} {label}")


async def go_on(askback: AskbackClient, state: Path) -> None:
    """Continue the run in a new process."""
    paused = kept(state)
    if "requests" in paused:
        # An earlier process died before it had asked everything.
        ask(askback, state)
        return
    parts: list[types.Part] = []
    keys: dict[str, str] = {}
    turn: dict[str, Any] = {}
    for asked, token in paused["tokens"].items():
        try:
            outcome = askback.outcome(token["pause_token"], scope=SCOPE, run_id=state.name)
        except NotAnswered:
            print("waiting: not everything is answered")
            return
        except (PauseExpired, PauseRevoked, PauseSuperseded):
            # A question that ended without an answer is not an approval.
            parts.append(confirmation_response(asked, confirmed=False))
            continue
        assert outcome.turn is not None, "a turn this small comes with the outcome"
        turn = dict(outcome.turn.messages[0])
        # A resume is not an approval: the call runs only after a person's decision "approve".
        confirmed = outcome.response["decision"] == "approve" and not outcome.by_policy
        if confirmed:
            keys[outcome.tool_call_id] = outcome.jti
        parts.append(confirmation_response(outcome.interrupt_id, confirmed=confirmed))
    if not turn:
        print("stopped: every question was revoked")
        return
    agent = build_agent(state, keys)
    said = types.Content(role="user", parts=parts)
    finish_or_pause(await run(agent, Session.model_validate(turn), said), askback, state)


def confirmation_response(asked: str, *, confirmed: bool) -> types.Part:
    """Return the response of the call that ADK waits for."""
    response = types.FunctionResponse(id=asked, name=CONFIRMATION, response={"confirmed": confirmed, "payload": None})
    return types.Part(function_response=response)


def keep(paused: Mapping[str, Any], state: Path) -> None:
    """Store what the run waits for. It has the session and the tokens, which are secrets."""
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


class ScriptedModel(BaseLlm):
    """Calls both tools in one round, then says whether the refund was paid."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Return the next content; refuse a transcript in which a call has not exactly one result."""
        results = results_in(llm_request.contents)
        if not results:
            calls = [
                types.Part(
                    function_call=types.FunctionCall(id=f"call_{number}_{name}", name=name, args={"order": "A-1009"})
                )
                for number, name in enumerate(("get_order", "pay_refund"))
            ]
            yield LlmResponse(content=types.Content(role="model", parts=calls))
            return
        text = "The refund is on its way." if results["call_1_pay_refund"].startswith("paid") else "No refund was paid."
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


def results_in(contents: list[types.Content]) -> dict[str, str]:
    """Return the result of each call, and print the results as the model gets them."""
    parts = [part for content in contents for part in content.parts or []]
    calls = [part.function_call.id for part in parts if part.function_call]
    results = [part.function_response for part in parts if part.function_response]
    if sorted(map(str, calls)) != sorted(str(result.id) for result in results):
        raise ValueError("every call must be followed by exactly one result")
    texts = {}
    for result in results:
        given = result.response or {}
        texts[str(result.id)] = str(given.get("result", given.get("error")))
    for call_id, text in texts.items():
        print(f"model sees: {call_id} {text}")
    return texts


def main() -> None:
    """Run one command."""
    parser = argparse.ArgumentParser(description="A Google ADK agent that waits for a person.")
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
