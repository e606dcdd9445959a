"""The votes in a write of a ledger row: whether askback writes them so, and what the audit line of a vote says."""

from typing import Any

from askback.domain.errors import HumanInteractionError
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.quorum import Vote, counted


def votes_stay(before: LedgerRow, after: LedgerRow) -> bool:
    """Return whether the votes are those of before, or one more that was counted as askback counts it.

    Then an answer that is not the default answer stands only beside the vote that completed the quorum.
    """
    answered = after.answer if before.answer is None else None
    if before.quorum is None or after.votes == before.votes:
        return after.votes == before.votes and (before.quorum is None or answered is None or answered.by_policy)
    if before.status is not PauseStatus.ISSUED or len(after.votes) != len(before.votes) + 1:
        return False
    try:
        now = counted(before.quorum, before.answerers, before.votes, after.votes[-1], void=before.void_votes)
    except HumanInteractionError:
        return False
    ended = now.approved is not None
    written_by = None if answered is None else answered.attempt_id
    return (
        now.votes == after.votes
        and now.vote.delegated_for == before.delegated_for(now.vote.by)
        and written_by == (now.vote.attempt_id if ended else None)
        and (after.status is before.status) is not ended
    )


def facts_of_vote(vote: Vote) -> dict[str, Any]:
    """Return what the audit line of a vote says of it; it never has the comment."""
    return {
        "voted_by": vote.by,
        "for": vote.delegated_for or None,
        "vote": "approve" if vote.approves else "reject",
        "round": vote.round,
        "assurance": vote.assurance.value,
        "answered_via": vote.via.value,
        "answer_hash": vote.response_hash,
    }
