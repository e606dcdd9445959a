"""The questions back of a pause in replies, and the request of `POST /pauses/{jti}/clarifications`."""

from dataclasses import dataclass
from typing import Any

from askback.domain.errors import InvalidRequest
from askback.domain.limits import require_identifier
from askback.domain.pause.answerers import LINK_HOLDER
from askback.domain.pause.changes import Clarification, clarifications
from askback.domain.pause.ledger import LedgerRow
from askback.domain.timestamps import rfc3339
from askback.edge.body import Body, read_body
from askback.edge.lambda_events import RouteRequest


class ClarificationBody(Body):
    """The fields of `POST /pauses/{jti}/clarifications`: the id alone, or a reply to a question too."""

    HALVES_ALLOWED = frozenset({"reply"})

    jti: str
    number: int | None = None
    reply: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The reply of the asker to the question with this number."""

    number: int
    text: str


def clarification_request(request: RouteRequest) -> tuple[str, Reply | None]:
    """Return the id of the pause, and the reply of the asker if there is one; raises InvalidRequest."""
    body = read_body(ClarificationBody, request)
    jti = require_identifier(body.jti, field="jti")
    if body.number is None and body.reply is None:
        return jti, None
    if body.number is None or body.reply is None:
        missing = "number" if body.number is None else "reply"
        raise InvalidRequest.of_field(missing, "must be given; without both, the request only reads the questions")
    return jti, Reply(number=body.number, text=body.reply)


def clarification_reply(row: LedgerRow, *, replayed: bool | None = None) -> dict[str, Any]:
    """Return the questions back of a pause for the program that asked."""
    reply = {"jti": row.claims.jti, "status": row.status.value, "clarifications": clarifications_said(row)}
    return reply if replayed is None else {**reply, "replayed": replayed}


def clarifications_said(row: LedgerRow | None) -> list[dict[str, Any]]:
    """Return the questions back, each with its reply or null; `by` is null for a link that names no person."""
    return [_said(each) for each in clarifications(row.changes)] if row else []


def _said(each: Clarification) -> dict[str, Any]:
    return {
        "number": each.number,
        "by": None if each.asked.by == LINK_HOLDER else each.asked.by,
        "question": each.asked.text,
        "asked_at": rfc3339(each.asked.at),
        "reply": each.reply.text if each.reply else None,
        "replied_at": rfc3339(each.reply.at if each.reply else None),
    }
