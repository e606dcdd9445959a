"""Requests as callers write them; every pause has a session, a run and a call of its own, so no test meets another."""

import itertools
from dataclasses import dataclass
from typing import Any

SCOPE = {"tenant_id": "acme", "sub_tenant_id": "eu", "namespace": "billing"}
PERSON = {**SCOPE, "sub": "ada", "iss": "https://login.example.com", "aud": "askback-app"}
"""The claims of somebody who signed in within the scope."""
OPTIONS = [{"label": "Approve", "description": "pay it out"}, {"label": "Reject", "description": "do nothing"}]

_numbers = itertools.count(1)


def a_scope() -> dict[str, str]:
    """Return the scope of a tenant that no other test has, with signs that a query has to escape."""
    return {"tenant_id": f"tenant-{next(_numbers)}", "namespace": "a b&c=d/é"}


def a_question(**over: Any) -> dict[str, Any]:
    """Return the refund question, with parts replaced."""
    return {"question": "Refund 49.90 EUR?", "header": "Refund", "options": OPTIONS, **over}


def a_mint(**over: Any) -> dict[str, Any]:
    """Return the body of a mint of its own run; a field of `...` is left out."""
    number = next(_numbers)
    call = f"call_{number}"
    body = {
        "name": "ask_user",
        "tool_call_id": call,
        "run_id": f"run-{number}",
        "session_id": f"sess-{number}",
        "scope": SCOPE,
        "ttl_seconds": 3600,
        "payload": {"questions": [a_question()]},
        "messages": [
            {"role": "user", "content": "Refund order A-1009"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": call, "type": "function", "function": {"name": "ask_user", "arguments": '{"n": 1.0}'}}
                ],
            },
        ],
        **over,
    }
    return without_gaps(body)


def without_gaps(body: dict[str, Any]) -> dict[str, Any]:
    """Return the body without the fields whose value is `...`."""
    return {name: value for name, value in body.items() if value is not ...}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A minted pause: what was asked for, and what came back."""

    request: dict[str, Any]
    minted: dict[str, Any]

    def response(self, *selections: str, **over: Any) -> dict[str, Any]:
        """Return the answer to the first question."""
        answer = {
            "question_id": self.minted["payload"]["questions"][0]["id"],
            "selections": list(selections or ("Approve",)),
            **over,
        }
        return {"answers": [without_gaps(answer)]}

    def resume(self, **over: Any) -> dict[str, Any]:
        """Return the body by which the pause's own backend resumes it."""
        body = {
            "pause_token": self.minted["pause_token"],
            "scope": self.request["scope"],
            "session_id": self.request["session_id"],
            "run_id": self.request["run_id"],
            "response": self.response() if self.minted["name"] == "ask_user" else None,
            **over,
        }
        return without_gaps(body)

    def answer(self, **over: Any) -> dict[str, Any]:
        """Return the body by which a person answers."""
        return without_gaps({"answer_token": self.minted["answer_token"], "response": self.response(), **over})
