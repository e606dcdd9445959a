"""What callers are sent back, as JSON objects."""

import json
from typing import TYPE_CHECKING, Any

from askback.domain.pause.answerers import answer_link
from askback.domain.pause.ledger import PauseStatus
from askback.domain.records.open_calls import open_tool_call_ids
from askback.domain.records.turns import TurnCheckpoint, turn_reference
from askback.domain.timestamps import rfc3339

if TYPE_CHECKING:
    # Each function loads the service that it replies for, and not the other's.
    from askback.domain.mint.pause_mint import MintedPause
    from askback.domain.resume.outcome import PausedQuestion, ResumeOutcome

REPLY_MAX_BYTES = 6_200_000
"""A reply that its turn would make larger carries a reference to the turn; Lambda returns at most 6,291,556 bytes."""


def mint_reply(minted: "MintedPause", *, answer_url: str) -> dict[str, Any]:
    """Return the reply to a mint.

    The answer token stands in the link's fragment, which no server and no log ever sees.
    """
    claims = minted.claims
    return {
        "jti": claims.jti,
        "name": claims.name,
        "status": minted.status.value,
        "tool_call_id": claims.tool_call_id,
        "interrupt_id": claims.interrupt_id,
        "run_id": claims.run_id,
        "session_id": claims.session_id,
        "thread_id": claims.thread_id,
        "checkpoint_id": claims.checkpoint_id,
        "payload": minted.payload,
        "pause_token": minted.tokens.resume,
        "answer_token": minted.tokens.answer,
        "answer_link": _link(minted.tokens.answer, answer_url),
        "recipients": [
            {"recipient": recipient, "answer_token": token, "answer_link": _link(token, answer_url)}
            for recipient, token in minted.tokens.links.items()
        ],
        "issued_at": rfc3339(claims.issued_at or 0),
        "expires_at": rfc3339(claims.exp),
        "resumable": minted.resumable,
        "recorded": minted.recorded,
    }


def _link(token: str, answer_url: str) -> str | None:
    return answer_link(answer_url, token) if answer_url else None


def answer_reply(outcome: "ResumeOutcome") -> dict[str, Any]:
    """Return the receipt of an accepted answer, without anything of the turn."""
    return {
        "jti": outcome.jti,
        "name": outcome.name,
        "response": outcome.response,
        "answered_at": rfc3339(outcome.answered_at),
        "answered_by": outcome.answered_by,
        "answered_via": outcome.answered_via.value if outcome.answered_via else None,
        "replayed": outcome.replayed,
        "delivery": outcome.delivery.value,
    }


def resume_reply(outcome: "ResumeOutcome") -> dict[str, Any]:
    """Return the receipt with everything the run goes on from."""
    reply = {
        **answer_reply(outcome),
        "payload": outcome.payload,
        "thread_id": outcome.thread_id,
        "checkpoint_id": outcome.checkpoint_id,
        "run_id": outcome.run_id,
        "session_id": outcome.session_id,
        "tool_call_id": outcome.tool_call_id,
        "interrupt_id": outcome.interrupt_id,
        "cross_scope": outcome.cross_scope,
        "time_to_resolve_seconds": outcome.time_to_resolve_seconds,
        "turn": None,
    }
    if outcome.turn is None:
        return reply
    whole = {**reply, "turn": _turn(outcome.turn)}
    if _size_as_sent(whole) > REPLY_MAX_BYTES:
        return {**reply, "turn_reference": turn_reference(outcome.turn).to_dict()}
    return whole


def question_reply(question: "PausedQuestion") -> dict[str, Any]:
    """Return a question for display. A pause of the legacy engine has no row before it is answered."""
    row = question.row
    answer = row.answer if row else None
    return {
        "jti": question.jti,
        "name": question.name,
        "payload": question.payload,
        "request_hash": question.request_hash,
        "expires_at": rfc3339(question.expires_at),
        "presentation": question.presentation.value,
        "answer_schema": question.answer_schema,
        "scope_label": row.scope_label if row else "",
        "run_id": question.run_id,
        "requester": row.answerers.requester if row else "",
        "link_may_answer": question.link_may_answer,
        "waits": row is not None and row.waiter is not None,
        "status": (row.status if row else PauseStatus.ISSUED).value,
        "answered_at": rfc3339(answer.answered_at) if answer else None,
        "answered_by_you": question.answered_by_reader,
        "by_policy": answer.by_policy if answer else False,
    }


def _turn(turn: TurnCheckpoint) -> dict[str, Any]:
    return {
        "prompt": turn.prompt,
        "messages": list(turn.messages),
        "open_tool_call_ids": list(open_tool_call_ids(turn.messages, answered=turn.tool_call_id)),
    }


def _size_as_sent(reply: dict[str, Any]) -> int:
    # Spaces included. An HTTP body is JSON text inside the function's JSON response, so its quotes and backslashes are
    # escaped once more.
    text = json.dumps(reply)
    return len(text) + text.count('"') + text.count("\\")
