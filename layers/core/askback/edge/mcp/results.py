"""What a model reads about a question: its state, and the answer in the words of the tool that asked.

No result has a token or a link. A link answers, and what a model reads, it can also send. The id of a pause is enough:
only the principal that asked can read its answer. A question that has ended without an answer says so in each result,
because a model that reads only "done" would go on.
"""

from collections.abc import Mapping
from typing import Any

from askback.domain.errors import HumanInteractionError
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.resume.outcome import ResumeOutcome
from askback.domain.timestamps import rfc3339
from askback.edge.mcp.asking import argument_errors
from askback.edge.question import sign_in_link

NO_ANSWER = {
    PauseStatus.EXPIRED: "The time to answer is over. This is not an approval. Ask again if you still need an answer.",
    PauseStatus.REVOKED: "The question was revoked. This is not an approval, and it will get no answer.",
    PauseStatus.SUPERSEDED: "A newer question has replaced this one. This is not an approval.",
}
STILL_OPEN = (
    "The person has not answered yet. This is neither a yes nor a no. Do other work, or end your turn and say that you "
    "wait for an answer. Call get_answer later, also in another conversation. Do not ask again."
)
ANSWERED_BY_POLICY = "No person has answered in time. This is the default that was set when the question was asked."


def open_facts(row: LedgerRow, *, sign_in_url: str) -> dict[str, Any]:
    """Return what is known of an open question; the address for a person who signs in has only the id."""
    facts: dict[str, Any] = {
        "pause": row.claims.jti,
        "status": "open",
        "next": "get_answer",
        "expires_at": rfc3339(row.expires_at),
        "note": STILL_OPEN,
    }
    if row.quorum is not None:
        facts["votes"] = {"needed": row.quorum.needed, "so_far": len(row.votes)}
    if sign_in_url:
        facts["sign_in_to_answer"] = sign_in_link(sign_in_url, row.claims.jti)
    return facts


def ended_facts(row: LedgerRow) -> dict[str, Any]:
    """Return how a question ended without an answer."""
    facts = {"pause": row.claims.jti, "status": row.status.value, "answered": False, "note": NO_ANSWER[row.status]}
    if row.revocation is not None and row.revocation.reason:
        facts["reason"] = row.revocation.reason
    if row.superseded is not None:
        facts["superseded_by"] = row.superseded.by
    return facts


def answered_facts(outcome: ResumeOutcome) -> dict[str, Any]:
    """Return the accepted answer, who gave it, and how well this person is known."""
    facts = {
        "pause": outcome.jti,
        "status": "answered",
        "answered": True,
        **_answer(outcome),
        "answered_at": rfc3339(outcome.answered_at),
        "answered_by": outcome.answered_by,
        "assurance": outcome.assurance,
        "by_policy": outcome.by_policy,
    }
    if outcome.answered_for:
        facts["answered_for"] = outcome.answered_for
    if outcome.by_policy:
        facts["note"] = ANSWERED_BY_POLICY
    return facts


def refused_facts(error: HumanInteractionError) -> dict[str, Any]:
    """Return a refusal as a model reads it: its code, its text, and the arguments that are wrong."""
    facts: dict[str, Any] = {"error": error.code, "detail": error.detail, "retryable": error.retryable}
    if errors := argument_errors(error.errors):
        facts["arguments"] = errors
    return facts


def _answer(outcome: ResumeOutcome) -> dict[str, Any]:
    response = outcome.response
    if isinstance(response, Mapping):
        if outcome.name == "approval":
            return _decision(outcome, response)
        if outcome.name == "ask_user":
            return {"answers": [_choice(outcome, each) for each in response["answers"]]}
        if outcome.name == "form":
            return {"values": dict(response)}
    return {"response": response}


def _decision(outcome: ResumeOutcome, response: Mapping[str, Any]) -> dict[str, Any]:
    approved = response["decision"] == "approve"
    facts: dict[str, Any] = {"approved": approved, "comment": response["comment"]}
    if approved:
        # The arguments of the answer, not those of the question: a person can have changed them.
        action = {"name": outcome.payload["action"]["name"], "arguments": response["arguments"]}
        return {**facts, "run": action, "changed": sorted(response["edits"])}
    return {**facts, "note": "The person has rejected it. Do not run the action, also not in another way."}


def _choice(outcome: ResumeOutcome, answer: Mapping[str, Any]) -> dict[str, Any]:
    questions = {each["id"]: each["question"] for each in outcome.payload["questions"]}
    other = {"other": answer["other"]} if answer.get("other") is not None else {}
    return {"question": questions[answer["question_id"]], "selected": list(answer.get("selections", ())), **other}
