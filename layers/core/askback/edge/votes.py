"""The votes of a pause with a quorum in replies; replies about other pauses have none of these members."""

from typing import Any

from askback.domain.json_text import read_json
from askback.domain.pause.ledger import LedgerRow, hides_votes, quorum_said
from askback.domain.pause.person_names import same_person
from askback.domain.pause.quorum import standing, votes_said
from askback.domain.timestamps import rfc3339


def quorum_members(row: LedgerRow | None) -> dict[str, Any]:
    """Return how far the decision is; of hidden votes, before the end, only how many there are."""
    return {} if row is None or row.quorum is None else {"quorum": quorum_said(row)}


def votes_for_operators(row: LedgerRow) -> dict[str, Any]:
    """Return how far the decision is, and every vote, also hidden ones."""
    if row.quorum is None:
        return {}
    return {"quorum": {**quorum_said(row, to_operators=True), "hidden": row.quorum.hidden}, "votes": _votes(row)}


def member_view(row: LedgerRow | None, person: str) -> dict[str, Any]:
    """Return what a member sees: the votes, unless they are hidden, when this person voted, and what is voted on.

    `proposal` is the recorded answer of the first yes that counts, without its comment, or null: a yes to other values
    begins a new round. Of hidden votes it is null in the first round, in which it would show that a member said yes.
    """
    if row is None or row.quorum is None:
        return {}
    now = standing(row.votes, row.answerers, void=row.void_votes)
    own = next((vote for vote in now if person and same_person(vote.by, person)), None)
    first = next((vote for vote in now if vote.approves), None)
    if first is None or (hides_votes(row) and first.round == 1):
        proposal = None
    else:
        proposal = _without_comment(read_json(first.response_text or "null"))
    return {
        **quorum_members(row),
        "votes": [] if hides_votes(row) else _votes(row),
        "voted_at": None if own is None else rfc3339(own.at),
        "proposal": proposal,
    }


def _votes(row: LedgerRow) -> list[dict[str, Any]]:
    return [{**vote, "at": rfc3339(vote["at"])} for vote in votes_said(row.votes, row.answerers, void=row.void_votes)]


def _without_comment(response: Any) -> Any:
    return {**response, "comment": None} if isinstance(response, dict) and "comment" in response else response
