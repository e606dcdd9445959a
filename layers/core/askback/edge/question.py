"""The requests and replies of the routes that show a question: to the holder of a token, or to a person who signed in.

After the end, the holder of a link that names no person gets how and when the pause ended, and nothing of its question.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from askback.domain.json_text import read_json
from askback.domain.limits import require_identifier
from askback.domain.pause.assurance import AnsweredVia, Assurance, assurance_of
from askback.domain.pause.changes import ChangeKind, steps_done
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.scope import Scope
from askback.domain.pause.step_up import is_stepped_up
from askback.domain.records.about import NO_ABOUT
from askback.domain.resume.outcome import EndedPause, PausedQuestion, Reader
from askback.domain.timestamps import rfc3339
from askback.edge.answer import AnswerToken, read_with_one_token, signed_in
from askback.edge.body import Body, read_body
from askback.edge.clarifications import clarifications_said
from askback.edge.lambda_events import RouteRequest
from askback.edge.votes import member_view, quorum_members
from askback.settings import ClaimNames


class UserQuestionBody(Body):
    """The body of `POST /user/questions`: the id of a pause, for a person who has signed in."""

    jti: str


class QuestionBody(Body):
    """The body of `POST /questions`; `seen` is the hash of the open question that the caller has already."""

    HALVES_ALLOWED = frozenset({"answer_token", "seen"})

    answer_token: AnswerToken
    seen: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserQuestion:
    """A request for a question by a person who has signed in."""

    jti: str
    scope: Scope
    reader: Reader


def user_question_request(request: RouteRequest, *, claim_names: ClaimNames, at: int) -> UserQuestion:
    """Return the checked request; scope and name come from the JWT.

    Raises:
        InvalidRequest: with each wrong field.
        Unauthenticated: the JWT has no claim for the tenant or the person, or a claim that is not a text.
    """
    body = read_body(UserQuestionBody, request)
    scope, person = signed_in(request.caller, claim_names)
    stepped_up = is_stepped_up(request.caller.jwt_claims or {}, claim_names.step_up, at=at)
    known_as = assurance_of(AnsweredVia.JWT, personal=False, stepped_up=stepped_up)
    jti = require_identifier(body.jti, field="jti")
    return UserQuestion(jti=jti, scope=scope, reader=Reader(name=person, known_as=known_as))


def question_request(request: RouteRequest) -> tuple[str, str | None]:
    """Return the token of a question request, and the hash of the question that its caller has, if there is one."""
    body = read_with_one_token(QuestionBody, request)
    return body.answer_token, body.seen


def unchanged_reply(row: LedgerRow) -> dict[str, Any]:
    """Return what a caller gets who has the open question already: its status and times, and what people ask back."""
    asked = clarifications_said(row)
    return {"unchanged": True, **_end(row), **quorum_members(row), **({"clarifications": asked} if asked else {})}


def question_reply(question: PausedQuestion | EndedPause, *, sign_in_url: str = "") -> dict[str, Any]:
    """Return a question for display, or how its pause ended. A legacy pause has no row before its answer.

    `sign_in_url` is the address at which people sign in to answer; the reply has it if the token is not enough.
    """
    if isinstance(question, EndedPause):
        return _end(question.row)
    row = question.row
    reader, may_answer = question.reader, question.may_answer
    reply = {
        **(_OPEN if row is None else _end(row)),
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
        "about": None if question.about == NO_ABOUT else question.about.recorded(),
        "on_expiry": _on_expiry(row),
        "asked_people": question.asked_people,
        **_escalation(question),
        "clarifications": clarifications_said(row),
        "may_delegate": question.may_delegate,
        "waits": row is not None and row.waiter is not None,
        "answered_by_you": question.answered_by_reader,
        **member_view(row, reader.name),
        "least_assurance": (row.answerers.least_of(reader.name) if row else Assurance.STATED).value,
    }
    if question.next_token:
        reply["next_answer_token"] = question.next_token
    if reader.signed_in:
        return {**reply, "answer_as": reader.name, "may_answer": may_answer}
    # A pause without a row is one of the legacy engine, which no person finds by its id.
    leads = sign_in_url and row is not None and row.status is PauseStatus.ISSUED and not may_answer
    sign_in = sign_in_link(sign_in_url, question.jti) if leads else None
    return {**reply, "recipient": reader.name, "link_may_answer": may_answer, "sign_in_url": sign_in}


def sign_in_link(url: str, jti: str) -> str:
    """Return the address at which a person signs in to answer: with the id of the pause, which is no secret."""
    return f"{url}{'&' if '?' in url else '?'}pause={quote(jti, safe='')}"


_OPEN = {"status": PauseStatus.ISSUED.value, "answered_at": None, "ended_at": None, "by_policy": False}
"""What is said of a pause of the legacy engine, which has no row before its answer."""


def _on_expiry(row: LedgerRow | None) -> dict[str, Any]:
    """Return what happens without an answer, in the form of the mint's field."""
    if row is None or row.default_response_text is None:
        return {"policy": "fail"}
    return {"policy": "default", "response": read_json(row.default_response_text)}


def _escalation(question: PausedQuestion) -> dict[str, Any]:
    """Return how many steps were done, and why this reader is asked only now; other pauses have neither."""
    row, because = question.row, question.asked_because
    if row is None or not (row.escalation or row.changes):
        return {}
    by = {"delegated_by": because.by} if because and because.kind is ChangeKind.DELEGATED else {}
    return {"escalated": steps_done(row.changes), "asked_because": because.kind.value if because else None, **by}


def _end(row: LedgerRow) -> dict[str, Any]:
    """Return the status of a pause, how and when it ended, and nothing of its question."""
    answer = row.answer
    return {
        "jti": row.claims.jti,
        "status": row.status.value,
        "expires_at": rfc3339(row.expires_at),
        "answered_at": rfc3339(answer.answered_at) if answer else None,
        "ended_at": None if row.status is PauseStatus.ISSUED else rfc3339(row.ended_at),
        "by_policy": answer.by_policy if answer else False,
        **_taken_back(row),
    }


def _taken_back(row: LedgerRow) -> dict[str, Any]:
    """Return why the program that asked has revoked the pause, or which pause has replaced it; each only if known."""
    why = {"reason": row.revocation.reason} if row.revocation and row.revocation.reason else {}
    return why if row.superseded is None else {**why, "superseded_by": row.superseded.by}
