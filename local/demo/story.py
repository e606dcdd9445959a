"""The requests of the example, for the demo and for curl: a refund that needs a person's decision.

An agent looked up an order, and it must not pay out more than 25 EUR without a person. One of its two
tool calls is answered. The other one asks a person, and the turn stops there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

SCOPE: Final = {"tenant_id": "acme", "sub_tenant_id": "eu", "namespace": "billing"}
RUN_ID: Final = "run-1"
SESSION_ID: Final = "sess-1"
_TRANSCRIPT: Final = Path(__file__).parent / "transcripts" / "refund.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A conversation in OpenAI's chat format that stopped at the call `paused_call_id`."""

    paused_call_id: str
    messages: list[dict[str, Any]]

    @classmethod
    def refund(cls) -> Transcript:
        """Return the conversation in `transcripts/refund.json`."""
        kept = json.loads(_TRANSCRIPT.read_text(encoding="utf-8"))
        return cls(paused_call_id=kept["paused_call_id"], messages=kept["messages"])

    def mint_request(self) -> dict[str, Any]:
        """Return the body of POST /pauses; its payload is the arguments of the model's call."""
        call = next(
            call
            for message in self.messages
            for call in message.get("tool_calls", [])
            if call["id"] == self.paused_call_id
        )
        return {
            "name": call["function"]["name"],
            "tool_call_id": self.paused_call_id,
            "run_id": RUN_ID,
            "session_id": SESSION_ID,
            "scope": SCOPE,
            "ttl_seconds": 3600,
            "payload": json.loads(call["function"]["arguments"]),
            "messages": self.messages,
        }


def resume_request(pause_token: str, question_id: str, label: str) -> dict[str, Any]:
    """Return the body of POST /resume that answers one question with one option."""
    return {
        "pause_token": pause_token,
        "scope": SCOPE,
        "session_id": SESSION_ID,
        "run_id": RUN_ID,
        "response": response_to(question_id, label),
    }


def response_to(question_id: str, label: str) -> dict[str, Any]:
    """Return the answer to one question with one option."""
    return {"answers": [{"question_id": question_id, "selections": [label]}]}
