"""The fields of a good request of each route about a pause that is there."""

from collections.abc import Callable
from typing import Any

from tests.system.openapi.world import Known, World

Choose = Callable[[int], int]
"""Returns a number from 0 to one less than this."""
MINTING_TENANTS = 100
"""So many scopes are minted in, because each has a limit on open pauses."""


def named_fields(label: str, known: Known, world: World, choose: Choose) -> dict[str, Any]:
    """Return the fields of the body of a request; empty for a route that takes none."""
    if label == "POST /pauses":
        return world.body(known.kind, scope={"tenant_id": f"t{choose(MINTING_TENANTS)}"})
    of_operators: dict[str, dict[str, Any]] = {
        "POST /pauses/{jti}/clarifications": {"number": 1, "reply": "Invoice 117."} if choose(2) else {},
        "POST /pauses/{jti}/links/revoke": {"recipient": "bob@example.com"},
        "POST /pauses/{jti}/extend": {"extend_seconds": 7000},
        "POST /pauses/{jti}/reassign": {"from": "eve@example.com", "to": "zoe@example.com"},
    }
    if "{jti}" in label:
        return of_operators.get(label, {})
    return {**_which(label, known, choose), **_what(label, known, choose)}


def _which(label: str, known: Known, choose: Choose) -> dict[str, Any]:
    """Return the fields that say which pause it is."""
    if label == "POST /resume":
        return {"pause_token": known.pause_token, **known.place, "answerer": "ada"}
    if label.endswith(("/resume", "/outcomes")):
        return {"pause_token": known.pause_token, **known.place}
    if label.startswith("POST /user/"):
        return {"jti": known.jti}
    return {"answer_token": known.answer_tokens[choose(len(known.answer_tokens))]}


def _what(label: str, known: Known, choose: Choose) -> dict[str, Any]:
    """Return the fields that say what is to be done."""
    if label.endswith(("/resume", "/answers", "/batch")):
        return {"response": known.response, "request_hash": known.hashes[choose(2)]}
    if label.endswith("/clarifications"):
        return {"question": "Which invoice?"}
    if label.endswith("/delegations"):
        return {"to": "zoe@example.com"}
    return {"seen": known.hashes[0]} if label == "POST /questions" and choose(2) else {}
