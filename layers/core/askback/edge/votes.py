"""The votes of a pause with a quorum in replies; replies about other pauses have none of these members."""

from typing import Any

from askback.domain.json_text import read_json
from askback.domain.pause.ledger import LedgerRow, PauseStatus, tally
from askback.domain.pause.person_names import same_person
from askback.domain.pause.quorum import standing, votes_said
from askback.domain.timestamps import rfc3339


def quorum_members(row: LedgerRow | None) -> dict[str, Any]:
    """Return how far the decision is; of hidden votes, before the end, only how many there are."""
    if row is None or row.quorum is None:
        return {}
    now = tally(row)
    hidden = _hides_votes(row)
    return {
        "quorum": {
            "needed": now.needed,
            "members": now.members,
            "veto": row.quorum.veto,
            "round": row.votes[-1].round if row.votes else 1,
            "voted": now.approved + now.rejected,
            "approved": None if hidden else now.approved,
            "rejected": None if hidden else now.rejected,
        }
    }


def vote_members(row: LedgerRow | None) -> dict[str, Any]:
    """Return how far the decision is, and every vote with its comment: for the asker and for operators."""
    if row is None or row.quorum is None:
        return {}
    votes = [{**vote, "at": rfc3339(vote["at"])} for vote in votes_said(row.votes, row.answerers)]
    return {**quorum_members(row), "votes": votes}


def member_view(row: LedgerRow | None, person: str) -> dict[str, Any]:
    """Return what a member sees: the votes, unless they are hidden, when this person voted, and what is voted on.

    `proposal` is the recorded answer of the first yes that counts, without its comment, or null: a yes to other values
    begins a new round.
    """
    if row is None or row.quorum is None:
        return {}
    now = standing(row.votes, row.answerers)
    own = next((vote for vote in now if person and same_person(vote.by, person)), None)
    first = next((vote for vote in now if vote.approves), None)
    return {
        **vote_members(row),
        **({"votes": []} if _hides_votes(row) else {}),
        "voted_at": None if own is None else rfc3339(own.at),
        "proposal": None if first is None else _without_comment(read_json(first.response_text)),
    }


def _hides_votes(row: LedgerRow) -> bool:
    return row.quorum is not None and row.quorum.hidden and row.status is PauseStatus.ISSUED


def _without_comment(response: Any) -> Any:
    return {**response, "comment": None} if isinstance(response, dict) and "comment" in response else response
