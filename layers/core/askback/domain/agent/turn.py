"""The values between an agent's loop and the capability: the turn of the round, and the pending interrupt."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedCall:
    """A tool call of the current round; the resumed transcript finds its result by the call id."""

    call_id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTurn:
    """The current round: the messages before it, the model's text, and the tool calls of the model.

    `results` are the messages of calls of this round that have already run. They are recorded with the turn, so the
    process that continues the run does not run them again. `run` is the loop's own run object; only the callable that
    returns the binding gets it.
    """

    run: Any
    transcript: tuple[Mapping[str, Any], ...]
    text: str
    requests: tuple[ReservedCall, ...]
    prompt: str = ""
    results: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingInterrupt:
    """An issued pause that waits for its answer.

    `jti` is its id, by which a messenger gets the links. `pause_token` can resume the run. `answer_token` can only
    answer. It is empty unless the mint returns links: a person gets the link from the notifier or from `AnswerLinks`.
    `expires_at` is in epoch seconds. `resumable` is True only if the store confirmed that the turn was written.
    """

    jti: str
    name: str
    kind: Literal["ask_user", "interrupt"]
    payload: Mapping[str, Any]
    pause_token: str
    answer_token: str
    tool_call_id: str
    interrupt_id: str
    run_id: str
    session_id: str
    expires_at: int
    resumable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptEvent:
    """The event in a graph's stream for a named interrupt that has got its token.

    `interrupt_id` is `i-` and 12 hex digits; `expires_at` is in epoch seconds. `pause_token` is empty for a pause whose
    waiter gets the answer.
    """

    name: str
    pause_token: str
    payload: Mapping[str, Any]
    expires_at: int
    interrupt_id: str
    run_id: str
    session_id: str


class InvocationPaused(Exception):
    """Stops the run that paused. It has the pending interrupt; its text has no token."""

    def __init__(self, pending: PendingInterrupt) -> None:
        super().__init__(f"the run paused on {pending.name!r} until a person answers")
        self.pending = pending


def captured_messages(
    transcript: Sequence[Mapping[str, Any]], turn: str, requests: Sequence[ReservedCall]
) -> tuple[Mapping[str, Any], ...]:
    """Return the messages that a resumed run continues from: the transcript, then the round that asked.

    The round that asked is not yet in the transcript. So this function builds its assistant message from the text and
    the calls, in the OpenAI Chat format. Without it, a provider would get a tool result without its call.
    """
    asking = {
        "role": "assistant",
        "content": turn,
        "tool_calls": [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
            }
            for call in requests
        ],
    }
    return (*transcript, asking)
