"""What an agent's loop hands over when it pauses, and what it gets back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedCall:
    """A tool call the model made in the round at hand; its id is what the resumed transcript joins on."""

    call_id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTurn:
    """The round at hand: the closed rounds before it, the model's text, and the calls it reserved.

    `results` are the messages of calls of this round that have run already; recorded with the turn, they are not run
    again by whoever goes on. `run` is the loop's own run object; it is only ever given to the callable that resolves
    the binding.
    """

    run: Any
    transcript: tuple[Mapping[str, Any], ...]
    text: str
    requests: tuple[ReservedCall, ...]
    prompt: str = ""
    results: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingInterrupt:
    """A pause that was issued and waits for its answer.

    `pause_token` resumes the run; `answer_token` can only answer. `expires_at` is in epoch seconds. `resumable` is
    earned: True only when the turn was written and the store said so.
    """

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
    """What a stream of a graph's events says of a named interrupt that got its token.

    `interrupt_id` is `i-` and 12 hex digits; `expires_at` is in epoch seconds.
    """

    name: str
    pause_token: str
    payload: Mapping[str, Any]
    expires_at: int
    interrupt_id: str
    run_id: str
    session_id: str


class InvocationPaused(Exception):
    """Unwinds the run that paused; carries the pending interrupt and never its token in the text."""

    def __init__(self, pending: PendingInterrupt) -> None:
        super().__init__(f"the run paused on {pending.name!r} until a person answers")
        self.pending = pending


def captured_messages(
    transcript: Sequence[Mapping[str, Any]], turn: str, requests: Sequence[ReservedCall]
) -> tuple[Mapping[str, Any], ...]:
    """Return the messages a resumed run goes on from: the closed rounds, then the round that asked.

    The asking round is not in the transcript yet, so its assistant message is built here from the text of the turn and
    its reserved calls, in the OpenAI Chat shape. Without it a provider would receive a tool result for a call it cannot
    see.
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
