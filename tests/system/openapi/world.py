"""Pauses of every kind in the running front, so that a request can be about one that is there."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import requests

from tests.support.request_bodies import a_mint

_PEOPLE = ["ada", "bob@example.com", "eve@example.com"]
_APPROVAL = {
    "title": "Refund order A-1009",
    "action": {"name": "pay_refund", "arguments": {"order": "A-1009", "amount": 49.9}},
    "editable": {"amount": {"type": "number", "minimum": 0, "maximum": 49.9}},
}
_FORM = {
    "title": "Where to?",
    "schema": {
        "type": "object",
        "properties": {"street": {"type": "string", "maxLength": 120}, "gift": {"type": "boolean"}},
        "required": ["street"],
    },
}
_APPROVE, _REJECT = {"decision": "approve", "edits": {"amount": 12.5}}, {"decision": "reject", "comment": "No"}
_KINDS: Mapping[str, dict[str, Any]] = {
    "choice": {"about": {"asker": "Refund agent", "takes_questions": True}, "max_ttl_seconds": 7200},
    "approval": {
        "name": "approval",
        "payload": _APPROVAL,
        "tool_call_id": "",
        "approvers": _PEOPLE,
        "recipients": _PEOPLE[1:],
        "delegates": ["*@example.com"],
        "about": {"takes_questions": True, "risk": "high"},
        "max_ttl_seconds": 7200,
        "escalation": [{"after_seconds": 600, "to": ["max@example.com"]}],
    },
    "form": {
        "name": "form",
        "payload": _FORM,
        "tool_call_id": "",
        "requester": "eve@example.com",
        "recipients": ["ada", "bob@example.com"],
        "on_expiry": {"policy": "default", "response": {"street": "Unter den Linden 1"}},
    },
    "votes": {
        "name": "approval",
        "payload": _APPROVAL,
        "tool_call_id": "",
        "approvers": _PEOPLE,
        "recipients": _PEOPLE,
        "delegates": ["*@example.com"],
        "quorum": {"needed": 2, "veto": False},
    },
    "event": {"waiter": {"kind": "event"}},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A pause that was minted, with what requests about it need."""

    kind: str
    jti: str
    pause_token: str
    answer_tokens: tuple[str, ...]
    response: Any
    hashes: tuple[str | None, ...]
    place: Mapping[str, Any]


class World:
    """Pauses in every state. One that a request may have ended is replaced by a new one of its kind."""

    def __init__(self, url: str) -> None:
        self.scope = {"tenant_id": "acme", "sub_tenant_id": "eu"}
        self.session = requests.Session()
        # The local gateway verifies no JWT, and no signature.
        self.session.headers["authorization"] = _bearer({"sub": "ada", **self.scope})
        self._url = url
        self.open = [self._minted(kind) for kind in _KINDS]
        self.ended = self._ended()

    def all(self) -> list[Known]:
        """Return every pause, the open ones first."""
        return [*self.open, *self.ended]

    def renew(self, *known: Known) -> None:
        """Put new pauses in the place of open ones, and end these: a person can have so many open pauses only."""
        for each in known:
            if each in self.open:
                self.session.delete(f"{self._url}/pauses/{each.jti}")
                self.open[self.open.index(each)] = self._minted(each.kind)

    def body(self, kind: str, **over: Any) -> dict[str, Any]:
        """Return the body of a mint of a kind, of its own run."""
        body = a_mint(**{"ttl_seconds": 3600, "scope": self.scope, **_KINDS[kind], **over})
        return body if body["tool_call_id"] else {**body, "idempotency_key": body["run_id"]}

    def post(self, path: str, body: Any) -> dict[str, Any]:
        """Send one request, which must be accepted."""
        reply = self.session.post(self._url + path, json=body)
        assert reply.status_code < 300, reply.text
        document: dict[str, Any] = reply.json()
        return document

    def _minted(self, kind: str, **over: Any) -> Known:
        body = self.body(kind, **over)
        pause = self.post("/pauses", body)
        tokens = (pause["answer_token"], *(each["answer_token"] for each in pause["recipients"]))
        shown = self.post("/questions", {"answer_token": tokens[-1]})
        place = {name: pause[name] for name in ("run_id", "session_id", "tool_call_id")}
        return Known(
            kind=kind,
            jti=pause["jti"],
            pause_token=pause.get("pause_token", "none"),
            answer_tokens=tokens,
            response=_response(pause),
            hashes=(shown["request_hash"], None),
            place={**place, "scope": self.scope},
        )

    def _ended(self) -> list[Known]:
        answered, revoked, replaced = (self._minted(kind) for kind in ("choice", "approval", "choice"))
        self.post("/resume", {"pause_token": answered.pause_token, "response": answered.response, "scope": self.scope})
        self.post(f"/pauses/{revoked.jti}/revoke", {"reason": "No longer needed."})
        self._minted("choice", supersedes=replaced.jti)
        unlinked = self._minted("approval")
        self.post(f"/pauses/{unlinked.jti}/links/revoke", {"recipient": _PEOPLE[1]})
        return [answered, revoked, replaced, unlinked, *self._expired()]

    def _expired(self) -> list[Known]:
        """Return pauses whose time is over: with and without a default answer, and one whose run is gone."""
        over = [self._minted(kind, ttl_seconds=601, max_ttl_seconds=601) for kind in ("choice", "form")]
        self.post("/local/clock", {"advance_seconds": 700})
        return over


def _bearer(claims: Mapping[str, Any]) -> str:
    parts = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({}, claims, {}))
    return f"Bearer {'.'.join(parts)}"


def _response(pause: Mapping[str, Any]) -> Any:
    match pause["name"]:
        case "approval":
            return _APPROVE
        case "form":
            return {"street": "Unter den Linden 1", "gift": True}
    questions = pause["payload"]["questions"]
    return {"answers": [{"question_id": each["id"], "selections": ["Approve"]} for each in questions]}
