"""The outcome of a pause that a waiter gets: one JSON object, the same in every delivery.

It contains the answer and a reference to the turn, but no messages: a transcript can be larger than the limit of every
waiter. The layer can load the turn (`TurnReference` in `askback.domain.records.turns`). `delivery_id` is the id of the
pause. A consumer can be called more than once, so it must do its work once for each `delivery_id`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from askback.domain.json_text import canonical_text, read_json
from askback.domain.pause.changes import Clarification
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ledger import AcceptedAnswer, Revocation, Supersession
from askback.domain.records.turns import turn_reference
from askback.domain.written_numbers import written_text

EXPIRED_ERROR = "Askback.PauseExpired"
"""The error of a waiter whose pause expired without an answer."""
FAILURE_MAX_CHARACTERS = 32_768
"""The longest cause that Step Functions takes for a failed task."""
REVOKED_ERROR = "Askback.PauseRevoked"
"""The error of a waiter whose pause was revoked."""
SUPERSEDED_ERROR = "Askback.PauseSuperseded"
"""The error of a waiter whose question was replaced by a newer one, for which another run waits."""


def outcome_text(
    claims: PauseClaims,
    answer: AcceptedAnswer,
    *,
    response_text: str,
    turn_recorded: bool,
    votes: Sequence[Mapping[str, Any]] = (),
    answered_for: str = "",
) -> str:
    """Return the outcome of an answered pause as ASCII JSON; with the votes of a pause with a quorum.

    `answered_for` is the member for whom the person has answered, because the pause was passed on.
    """
    return written_text(
        {
            **({"votes": list(votes)} if votes else {}),
            **({"for": answered_for} if answered_for else {}),
            **_identity(claims, turn_recorded=turn_recorded),
            "outcome": "answered",
            "response": read_json(response_text, digits=True),
            "answered_at": answer.answered_at,
            "answered_by": answer.answered_by,
            "by_policy": answer.by_policy,
            "assurance": answer.known_as,
        },
        sort_keys=True,
    )


def expired_text(
    claims: PauseClaims, *, expired_at: int, turn_recorded: bool, votes: Sequence[Mapping[str, Any]] = ()
) -> str:
    """Return the outcome of an expired pause as ASCII JSON; with the votes that were given until then.

    Votes that are too long for a failure lose their comments, or are left out. The operator's view has them all.
    """
    expired = {**_identity(claims, turn_recorded=turn_recorded), "outcome": "expired", "expired_at": expired_at}
    for given in (list(votes), [{**vote, "comment": None} for vote in votes]):
        text = canonical_text({**expired, "votes": given} if given else expired)
        if len(text) <= FAILURE_MAX_CHARACTERS:
            return text
    return canonical_text(expired)


def revoked_text(claims: PauseClaims, revocation: Revocation, *, turn_recorded: bool) -> str:
    """Return the outcome of a revoked pause as ASCII JSON; it does not say who revoked it."""
    return canonical_text(
        {**_identity(claims, turn_recorded=turn_recorded), "outcome": "revoked", "revoked_at": revocation.at}
    )


def superseded_text(claims: PauseClaims, superseded: Supersession, *, turn_recorded: bool) -> str:
    """Return the outcome of a superseded pause as ASCII JSON, with the id of the newer pause."""
    return canonical_text(
        {
            **_identity(claims, turn_recorded=turn_recorded),
            "outcome": "superseded",
            "superseded_at": superseded.at,
            "superseded_by": superseded.by,
        }
    )


def questioned_text(claims: PauseClaims, question: Clarification, *, turn_recorded: bool) -> str:
    """Return what a waiter gets when a person asks back, as ASCII JSON. It is no outcome: the pause is still open."""
    return canonical_text(
        {
            **_identity(claims, turn_recorded=turn_recorded),
            "delivery_id": f"{claims.jti}/questions/{question.number}",
            "jti": claims.jti,
            "outcome": "questioned",
            "number": question.number,
            "question": question.asked.text,
            "asked_by": question.asked.by,
            "asked_at": question.asked.at,
        }
    )


def _identity(claims: PauseClaims, *, turn_recorded: bool) -> dict[str, Any]:
    return {
        "delivery_id": claims.jti,
        "name": claims.name,
        "run_id": claims.run_id,
        "session_id": claims.session_id,
        "tool_call_id": claims.tool_call_id,
        "interrupt_id": claims.interrupt_id,
        "turn_reference": turn_reference(claims).to_dict() if turn_recorded else None,
    }
