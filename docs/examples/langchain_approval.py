"""A LangChain agent whose calls wait for a person. It uses the human-in-the-loop middleware; askback has the questions.

One interrupt of the middleware can have several actions. Each becomes a pause of its own, and the middleware gets one
decision for each, in its order: approve, edit, reject, or respond. The state of the agent stays in LangGraph's saver.

    langchain_approval.py start    --api URL --state DIR
    langchain_approval.py answer   --api URL --state DIR --choose CHOICES
    langchain_approval.py continue --api URL --state DIR

CHOICES is Approve, Edit or Reject; `Approve,Reject` is one for each refund. DIR takes the place of your database, and
its name is the id of the run and of the agent's thread.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, Final, Literal

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, InterruptOnConfig
from langchain.tools import ToolRuntime, tool
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command, StateSnapshot

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
    form,
    reject,
)

SCOPE = Scope(tenant_id="acme", sub_tenant_id="eu")
PROMPT = "Refund orders A-1009 and A-1010, the boxes were crushed. Ask the team what to do with the boxes."
DAY_SECONDS = 24 * 3600
CHOICES = {
    "Approve": approve(),
    "Edit": approve(edits={"amount": 40}),
    "Reject": reject(comment="The box was not crushed."),
}
TEXT = {"text": "Keep them for the carrier."}

# Every tool allows `reject`: that is what becomes of a question that ends without an answer.
REVIEWED: Final[dict[str, bool | InterruptOnConfig]] = {
    "pay_refund": InterruptOnConfig(allowed_decisions=["approve", "edit", "reject"]),
    "ask_team": InterruptOnConfig(allowed_decisions=["respond", "reject"]),
}
MODE: Literal["batched", "per_call"] = "batched"
"""One interrupt for all calls of a round, or one for each call. The rest of this program is the same for both."""


@dataclass(frozen=True)
class Keys:
    """The key of the payment for each approved call."""

    of_call: Mapping[str, str]


def pay(provider: Path, key: str, order: str) -> None:
    """Stand for a payment provider, which pays once for each idempotency key. Its payments are files in a folder."""
    try:
        (provider / f"paid-{key}").touch(exist_ok=False)
        print(f"ran: pay_refund {order}")
    except FileExistsError:
        print(f"had run: pay_refund {order}")


def build_agent(saver: SqliteSaver, payments: Path) -> Any:
    """Build the agent; every process builds the same one. The payments are files in `payments`."""

    @tool
    def get_customer() -> str:
        """Look the customer up."""
        print("ran: get_customer")
        return "Ada, since 2019"

    @tool
    def pay_refund(order: str, amount: float, runtime: ToolRuntime[Keys]) -> str:
        """Pay a refund."""
        # The key is the id of the pause that approved the call, so a run that is continued twice pays once.
        pay(payments, runtime.context.of_call[str(runtime.tool_call_id)], order)
        return f"paid {amount:.2f} EUR for {order}"

    @tool
    def ask_team(question: str) -> str:
        """Ask the team. The answer of a person is the result, so this never runs."""
        raise NotImplementedError

    return create_agent(
        ScriptedModel(),
        [get_customer, pay_refund, ask_team],
        middleware=[HumanInTheLoopMiddleware(REVIEWED, interrupt_mode=MODE)],
        context_schema=Keys,
        checkpointer=saver,
    )


# --- Interrupts to questions, answers to decisions ------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Action:
    """One call that waits for a decision; `place` is its place in the interrupt."""

    interrupt_id: str
    place: int
    call_id: str
    name: str
    arguments: dict[str, Any]

    @property
    def id(self) -> str:
        """Names the action within the run."""
        return f"{self.interrupt_id}/{self.place}"

    def question(self) -> tuple[str, dict[str, Any]]:
        """Return the interaction and its payload."""
        if self.name == "ask_team":
            return form(self.arguments["question"], {"text": {"type": "string", "minLength": 1}}, required=["text"])
        return approval(
            f"Refund {self.arguments['order']}?",
            action=self.name,
            arguments=self.arguments,
            editable={"amount": {"type": "number", "minimum": 0, "maximum": self.arguments["amount"]}},
        )

    def decision(self, outcome: ResumedPause) -> dict[str, Any]:
        """Return what an answer decides. A resume is not an approval: the call needs a person's yes."""
        answer = outcome.response
        if outcome.by_policy:
            return {"type": "reject", "message": "no person decided in time"}
        if self.name == "ask_team":
            return {"type": "respond", "message": answer["text"]}
        if answer["decision"] != "approve":
            return {"type": "reject", "message": answer["comment"]}
        if answer["edits"]:
            return {"type": "edit", "edited_action": {"name": self.name, "args": answer["arguments"]}}
        return {"type": "approve"}


def open_actions(state: StateSnapshot) -> Iterator[Action]:
    """Return the actions that the agent waits for, in the order of their interrupts."""
    # An interrupt of the mode `batched` does not name its calls. They are those of the last message, in its order.
    calls = [call for call in getattr(state.values["messages"][-1], "tool_calls", ()) if call["name"] in REVIEWED]
    for interrupt in state.interrupts:
        asked = [interrupt.value] if MODE == "per_call" else interrupt.value["action_requests"]
        for place, action in enumerate(asked):
            yield Action(
                interrupt_id=interrupt.id,
                place=place,
                call_id=action["tool_call_id"] if MODE == "per_call" else calls[place]["id"],
                name=action["name"],
                arguments=action["args"],
            )


def resumed(actions: Sequence[Action], decisions: Mapping[str, dict[str, Any]]) -> Command[Any]:
    """Return the command with all decisions, by interrupt and in the order of its actions."""
    answers: dict[str, Any] = {}
    for action in actions:
        if MODE == "per_call":
            answers[action.interrupt_id] = decisions[action.id]
        else:
            answers.setdefault(action.interrupt_id, {"decisions": []})["decisions"].append(decisions[action.id])
    return Command(resume=answers)


# --- The program: one command, one process --------------------------------------------------------


def start(agent: Any, askback: AskbackClient, state: Path) -> None:
    """Start the run. Repeated after a crash, it goes on with what the saver has, and asks the same questions again."""
    if agent.get_state(thread(state)).created_at is None:
        agent.invoke({"messages": [("user", PROMPT)]}, thread(state), context=Keys({}))
    finish_or_pause(agent, askback, state)


def finish_or_pause(agent: Any, askback: AskbackClient, state: Path) -> None:
    """Print how the run ended, or ask for each action that it waits for."""
    stopped = agent.get_state(thread(state))
    tokens = {}
    for action in open_actions(stopped):
        pause = askback.pause(
            *action.question(),
            run_id=state.name,
            scope=SCOPE,
            ttl_seconds=DAY_SECONDS,
            tool_call_id=action.call_id,
            # LangGraph makes a new id for every interrupt, and the saver keeps it. So a repetition is the same pause.
            idempotency_key=f"{state.name}/{action.id}",
        )
        tokens[action.id] = {"pause_token": pause.pause_token, "jti": pause.jti}
        print(f"paused: {pause.payload['title']}")
    if tokens:
        keep(tokens, state)
    else:
        print(f"done: {stopped.values['messages'][-1].text}")


def answer(askback: AskbackClient, state: Path, choices: str) -> None:
    """Bring the links to the person, as a messenger with a role of its own does, and answer through them."""
    given = cycle(choices.split(","))
    for token in kept(state).values():
        try:
            link = askback.links(token["jti"])
        except AlreadyAnswered:
            print("was answered: one question")
            continue
        asked = askback.question(link)
        response = TEXT if asked.name == "form" else CHOICES[next(given)]
        askback.answer(link, response)
        print(f"answered: {asked.payload['title']} {response.get('text') or response['decision']}")


def go_on(agent: Any, askback: AskbackClient, state: Path) -> None:
    """Continue the agent in a new process, once every question has an answer or has ended."""
    actions = list(open_actions(agent.get_state(thread(state))))
    waiting = {action.id: action for action in actions}
    tokens = kept(state)
    if not waiting.keys() <= tokens.keys():
        # An earlier process died before it had asked everything.
        finish_or_pause(agent, askback, state)
        return
    decisions: dict[str, dict[str, Any]] = {}
    keys: dict[str, str] = {}
    for action_id, token in tokens.items():
        try:
            outcome = askback.outcome(token["pause_token"], scope=SCOPE, run_id=state.name)
        except NotAnswered:
            print("waiting: not everything is answered")
            return
        except (PauseExpired, PauseRevoked, PauseSuperseded) as ended:
            # A question that ended without an answer is not an approval.
            decisions[action_id] = {"type": "reject", "message": f"it ended without an answer ({ended.code})"}
            continue
        keys[outcome.tool_call_id] = outcome.jti
        if action_id in waiting:
            decisions[action_id] = waiting[action_id].decision(outcome)
    # Without an open interrupt the agent has its decisions: it has ended, or an earlier process died behind them.
    agent.invoke(resumed(actions, decisions) if actions else None, thread(state), context=Keys(keys))
    finish_or_pause(agent, askback, state)


def thread(state: Path) -> Any:
    """Return the agent's config for this run."""
    return {"configurable": {"thread_id": state.name}}


def keep(tokens: Mapping[str, Any], state: Path) -> None:
    """Store the tokens, which are secrets."""
    written = state / "paused.new"
    written.touch(mode=0o600)
    written.write_text(json.dumps(tokens))
    # In one step, so that a process that dies leaves the old or the new text.
    written.replace(state / "paused.json")


def kept(state: Path) -> dict[str, Any]:
    """Return the tokens of each action that the run waits for; none, if a process died before it had asked."""
    path = state / "paused.json"
    tokens: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return tokens


# --- The model: a script in place of a provider ---------------------------------------------------


class ScriptedModel(BaseChatModel):
    """Calls four tools in one round, then says what was paid."""

    def _generate(self, messages: list[BaseMessage], *given: Any, **options: Any) -> ChatResult:
        results = {each.tool_call_id: str(each.content) for each in messages if isinstance(each, ToolMessage)}
        calls = [str(call["id"]) for each in messages if isinstance(each, AIMessage) for call in each.tool_calls]
        if sorted(calls) != sorted(each.tool_call_id for each in messages if isinstance(each, ToolMessage)):
            raise ValueError("every call must be followed by exactly one result")
        for call_id in sorted(results):
            print(f"model sees: {call_id} {results[call_id]}")
        paid = [text for text in results.values() if "paid " in text]
        said = AIMessage(f"{len(paid)} of 2 refunds are on their way.") if calls else self._calls()
        return ChatResult(generations=[ChatGeneration(message=said)])

    def _calls(self) -> AIMessage:
        made: list[tuple[str, dict[str, Any]]] = [
            ("get_customer", {}),
            ("pay_refund", {"order": "A-1009", "amount": 49.9}),
            ("pay_refund", {"order": "A-1010", "amount": 49.9}),
            ("ask_team", {"question": "What shall we do with the boxes?"}),
        ]
        return AIMessage(
            "", tool_calls=[{"name": name, "args": args, "id": f"call_{at}"} for at, (name, args) in enumerate(made)]
        )

    def bind_tools(self, *given: Any, **options: Any) -> Any:
        """Return the model: the script knows its tools."""
        return self

    @property
    def _llm_type(self) -> str:
        return "scripted"


def main() -> None:
    """Run one command."""
    parser = argparse.ArgumentParser(description="A LangChain agent that waits for a person.")
    parser.add_argument("command", choices=["start", "answer", "continue"])
    parser.add_argument("--api", required=True)
    parser.add_argument("--state", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--choose", default="Approve")
    given = parser.parse_args()
    askback = AskbackClient(HttpTransport(given.api))
    if given.command == "answer":
        answer(askback, given.state, given.choose)
        return
    with SqliteSaver.from_conn_string(str(given.state / "checkpoints.db")) as saver:
        agent = build_agent(saver, given.state)
        (start if given.command == "start" else go_on)(agent, askback, given.state)


if __name__ == "__main__":
    main()
