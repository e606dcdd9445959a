"""A CrewAI flow whose refund waits for a person. It uses CrewAI's pending feedback; askback stores the flow's state.

A step with `@human_feedback` and a provider that raises `HumanFeedbackPending` stops the flow. Its state is recorded as
the turn of the pause. A new process gets it together with the answer, and resumes the flow with the decision as JSON.

    crewai_approval.py start    --api URL --state DIR
    crewai_approval.py answer   --api URL --state DIR --choose LABEL
    crewai_approval.py continue --api URL --state DIR

DIR takes the place of your database, and its name is the id of the run.
"""

import argparse
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# CrewAI reads these when it is imported. Without them it sends telemetry.
os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_DISABLE_VERSION_CHECK": "true"}
os.environ |= {"CREWAI_TRACING_ENABLED": "false", "OTEL_SDK_DISABLED": "true"}

from crewai.flow.async_feedback import HumanFeedbackPending, HumanFeedbackProvider, PendingFeedbackContext
from crewai.flow.flow import Flow, listen, start as first
from crewai.flow.human_feedback import HumanFeedbackResult, human_feedback
from crewai.flow.persistence.base import FlowPersistence
from crewai.llms.base_llm import BaseLLM
from pydantic import BaseModel, Field

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
# With a default answer, the state of the flow comes back also when no person decides.
REJECT_ON_EXPIRY = {"policy": "default", "response": reject()}


def pay(provider: Path, key: str, order: str) -> None:
    """Stand for a payment provider, which pays once for each idempotency key. Its payments are files in a folder."""
    try:
        (provider / f"paid-{key}").touch(exist_ok=False)
        print("ran: pay_refund")
    except FileExistsError:
        print("had run: pay_refund")


# --- The flow -------------------------------------------------------------------------------------


class Later(HumanFeedbackProvider):
    """Stops the flow: the answer comes later, to another process."""

    def request_feedback(self, context: PendingFeedbackContext, flow: Flow[Any]) -> str:
        """Raise what stops the flow."""
        raise HumanFeedbackPending(context=context)


class Refund(BaseModel):
    """The state of the flow. `provider` is the folder of the payments."""

    id: str = ""
    provider: str = ""
    order: str = ""


class RefundFlow(Flow[Refund]):
    """Looks the order up, proposes a call, and makes it only after a person has approved it."""

    @first()
    def look_up(self) -> str:
        """Look the order up."""
        print("ran: get_order")
        return f"{self.state.order}: 49.90 EUR, paid"

    @listen(look_up)
    # Without `emit`: with it, a model would read the feedback and choose the way. An approval is no matter for a model.
    @human_feedback(message="Refund?", provider=Later())
    def propose(self, order: str) -> dict[str, Any]:
        """Let the model propose a call."""
        proposed: dict[str, Any] = json.loads(str(ScriptedModel(model="scripted").call(f"{PROMPT}\n{order}")))
        return proposed

    @listen(propose)
    def decide(self, given: HumanFeedbackResult) -> str:
        """Make the call if it was approved. The feedback is JSON that this program has written."""
        decided = json.loads(given.feedback)
        if decided["decision"] == "approve":
            # The key is the id of the pause that approved it, so a flow that is resumed twice pays once.
            pay(Path(self.state.provider), decided["jti"], self.state.order)
            result = f"paid 49.90 EUR for {self.state.order}"
        else:
            result = "not run: the person said Reject"
        print(f"model sees: {given.output['id']} {result}")
        return str(ScriptedModel(model="scripted").call(result))


class RecordedState(FlowPersistence):
    """Has the pending state of one flow, to record it in a pause and to restore it from there."""

    pending: dict[str, Any] = Field(default_factory=dict)

    def init_db(self) -> None:
        """Do nothing: there is no database."""

    def save_state(self, flow_uuid: str, method_name: str, state_data: dict[str, Any] | BaseModel) -> None:
        """Do nothing: a flow that does not wait is not restored."""

    def load_state(self, flow_uuid: str) -> dict[str, Any] | None:
        """Return None: a flow starts without a state."""
        return None

    def save_pending_feedback(
        self, flow_uuid: str, context: PendingFeedbackContext, state_data: dict[str, Any] | BaseModel
    ) -> None:
        """Keep what CrewAI needs to go on."""
        state = state_data.model_dump(mode="json") if isinstance(state_data, BaseModel) else state_data
        self.pending = {"state": state, "context": context.to_dict()}

    def load_pending_feedback(self, flow_uuid: str) -> tuple[dict[str, Any], PendingFeedbackContext] | None:
        """Return what was kept. CrewAI clears it before the next step runs; here it stays in the recorded turn."""
        return self.pending["state"], PendingFeedbackContext.from_dict(self.pending["context"])


# --- The program: one command, one process --------------------------------------------------------


def start(askback: AskbackClient, state: Path) -> None:
    """Start the flow. Repeated after a crash, it asks what it has stored, and calls no model."""
    if (state / "paused.json").exists():
        ask(askback, state)
        return
    stored = RecordedState()
    flow = RefundFlow(persistence=stored, suppress_flow_events=True)
    result = flow.kickoff(inputs={"id": state.name, "provider": str(state), "order": "A-1009"})
    finish_or_pause(result, stored, askback, state)


def finish_or_pause(result: Any, stored: RecordedState, askback: AskbackClient, state: Path) -> None:
    """Print how the flow ended, or store what it waits for, and ask that."""
    if not isinstance(result, HumanFeedbackPending):
        print(f"done: {result}")
        return
    call = result.context.method_output
    name, payload = approval(f"Refund {call['arguments']['order']}?", action=call["name"], arguments=call["arguments"])
    request = {
        "name": name,
        "payload": payload,
        "tool_call_id": call["id"],
        "messages": [stored.pending],
        # Names the question. A flow that comes to a step again has another call there.
        "idempotency_key": f"{state.name}/{result.context.method_name}/{call['id']}",
    }
    # Before anything is asked: the state has times in it, so another one would be another question.
    keep({"request": request}, state)
    ask(askback, state)


def ask(askback: AskbackClient, state: Path) -> None:
    """Ask what is stored and not yet asked. The same request is the same pause, so a crash in between is no harm."""
    if "request" not in kept(state):
        return
    request = kept(state)["request"]
    pause = askback.pause(
        **request, run_id=state.name, scope=SCOPE, ttl_seconds=DAY_SECONDS, on_expiry=REJECT_ON_EXPIRY
    )
    print(f"paused: {pause.tool_call_id}")
    keep({"tokens": {pause.tool_call_id: {"pause_token": pause.pause_token, "jti": pause.jti}}}, state)


def answer(askback: AskbackClient, state: Path, label: str) -> None:
    """Bring the link to the person, as a messenger with a role of its own does, and answer through it."""
    for token in kept(state)["tokens"].values():
        link = askback.links(token["jti"])
        title = askback.question(link).payload["title"]
        askback.answer(link, {"decision": label.lower()})
        print(f"answered: {title} {label}")


def go_on(askback: AskbackClient, state: Path) -> None:
    """Continue the flow in a new process."""
    paused = kept(state)
    if "request" in paused:
        # An earlier process died before it had asked.
        ask(askback, state)
        return
    for token in paused["tokens"].values():
        try:
            outcome = askback.outcome(token["pause_token"], scope=SCOPE, run_id=state.name)
        except NotAnswered:
            print("waiting: not everything is answered")
            return
        except (PauseExpired, PauseRevoked, PauseSuperseded):
            # A question that ended without an answer is not an approval.
            print("stopped: the question was revoked")
            return
        assert outcome.turn is not None, "a turn this small comes with the outcome"
        stored = RecordedState(pending=dict(outcome.turn.messages[0]))
        flow = RefundFlow.from_pending(state.name, stored, suppress_flow_events=True)
        # A resume is not an approval: the flow makes the call only after a person's decision "approve".
        decision = "reject" if outcome.by_policy else outcome.response["decision"]
        decided = {"decision": decision, "jti": outcome.jti}
        finish_or_pause(flow.resume(json.dumps(decided)), stored, askback, state)


def keep(paused: Mapping[str, Any], state: Path) -> None:
    """Store what the flow waits for. It has the flow's state and the token, which is a secret."""
    written = state / "paused.new"
    written.touch(mode=0o600)
    written.write_text(json.dumps(paused))
    # In one step, so that a process that dies leaves the old or the new text.
    written.replace(state / "paused.json")


def kept(state: Path) -> dict[str, Any]:
    """Return what the flow waits for: the request of its pause, or its token once it was asked."""
    paused: dict[str, Any] = json.loads((state / "paused.json").read_text())
    return paused


# --- The model: a script in place of a provider ---------------------------------------------------


class ScriptedModel(BaseLLM):
    """Proposes a call, then says whether the refund was paid."""

    def call(self, messages: Any, *given: Any, **options: Any) -> str:
        """Return the next text."""
        if PROMPT in messages:
            return json.dumps({"id": "call_1_pay_refund", "name": "pay_refund", "arguments": {"order": "A-1009"}})
        return "The refund is on its way." if messages.startswith("paid") else "No refund was paid."

    async def acall(self, messages: Any, *given: Any, **options: Any) -> str:
        """Return the next text."""
        return self.call(messages)


def main() -> None:
    """Run one command."""
    parser = argparse.ArgumentParser(description="A CrewAI flow that waits for a person.")
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
