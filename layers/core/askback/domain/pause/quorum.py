"""Decisions by several people: who votes, what a vote counts for, and which vote ends the pause.

A vote is one answer of one member of the roster, that is of an approver. It says yes or no. Yeses count together only
if they let the same thing run: a yes with other edits begins a new round, in which the votes before it count no more,
and their members can vote again. The vote that completes the quorum is the claim of the pause. So is a veto, and the no
after which the quorum cannot be reached any more. The end of the time is never a vote.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from askback.domain.errors import AlreadyVoted, AnswerInvalid, FieldError, InvalidRequest
from askback.domain.json_text import read_json
from askback.domain.pause.answerers import PEOPLE_MAX, Answerers
from askback.domain.pause.assurance import AnsweredVia, Assurance
from askback.domain.pause.person_names import is_among, same_person

ROUNDS_MAX = 10
"""The most rounds of one pause. In each, the values to vote on are others."""
VOTE_MAX_BYTES = 8 * 1024
"""The limit of one vote: all votes of a pause are in its row, which DynamoDB limits to 400 KB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quorum:
    """How many members must say yes. With a `veto`, one no is enough to reject.

    With `hidden` votes, a member sees before the end only how many votes were given.
    """

    needed: int
    veto: bool = True
    hidden: bool = False

    def check(self, answerers: Answerers) -> None:
        """Require that the quorum can be reached; raises InvalidRequest with the wrong field."""
        if not 2 <= self.needed <= PEOPLE_MAX:
            raise InvalidRequest.of_field("quorum.needed", f"must be from 2 to {PEOPLE_MAX}")
        if self.needed > len(members(answerers)):
            raise InvalidRequest.of_field("quorum.needed", "must not be more than the approvers who may vote")


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One recorded vote.

    `runs` is the hash of what a yes lets run; two yeses count together if it is the same. `round` is the number of the
    round, from 1. `at` is in epoch seconds. The other fields are those of an accepted answer.
    """

    by: str
    approves: bool
    runs: str
    response_text: str
    response_hash: str
    at: int
    attempt_id: str
    via: AnsweredVia
    assurance: Assurance
    round: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The votes with a new one in them, and what it did.

    `approved` is None while the pause stays open. `replayed` is True if the vote was there before.
    """

    votes: tuple[Vote, ...]
    vote: Vote
    approved: bool | None
    replayed: bool = False

    @property
    def weakest(self) -> Assurance:
        """How well the least known of the members is known whose votes decided."""
        deciding = [each for each in of_round(self.votes) if each.approves is self.approved]
        return min((each.assurance for each in deciding), key=list(Assurance).index, default=self.vote.assurance)


def members(answerers: Answerers) -> tuple[str, ...]:
    """Return who may vote: the approvers, without a requester who may not answer."""
    return tuple(
        person
        for person in answerers.approvers
        if answerers.requester_may_answer or not same_person(person, answerers.requester)
    )


def of_round(votes: Sequence[Vote]) -> tuple[Vote, ...]:
    """Return the votes of the last round; those of earlier rounds count no more."""
    return tuple(vote for vote in votes if vote.round == votes[-1].round)


def standing(votes: Sequence[Vote], answerers: Answerers) -> tuple[Vote, ...]:
    """Return the votes that count: those of the last round whose members are in the roster still."""
    return tuple(vote for vote in of_round(votes) if is_among(vote.by, members(answerers)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How far a decision is: how many must say yes, and how many members there are and have said yes and no."""

    needed: int
    members: int
    approved: int
    rejected: int


def tally_of(quorum: Quorum, answerers: Answerers, votes: Sequence[Vote]) -> Tally:
    """Return how far the decision is; only votes that count are in it."""
    now = standing(votes, answerers)
    yeses = sum(vote.approves for vote in now)
    return Tally(needed=quorum.needed, members=len(members(answerers)), approved=yeses, rejected=len(now) - yeses)


def votes_said(votes: Sequence[Vote], answerers: Answerers) -> list[dict[str, Any]]:
    """Return all votes for a reader of the outcome: who, what, how known, when, the comment, and whether it counts.

    The comment is that of an answer with a text of this name. `at` is in epoch seconds.
    """
    now = standing(votes, answerers)
    return [
        {
            "by": vote.by,
            "decision": "approve" if vote.approves else "reject",
            "assurance": vote.assurance.value,
            "answered_via": vote.via.value,
            "at": vote.at,
            "comment": _comment(vote),
            "round": vote.round,
            "counts": vote in now,
        }
        for vote in votes
    ]


def _comment(vote: Vote) -> str | None:
    response = read_json(vote.response_text)
    comment = response.get("comment") if isinstance(response, dict) else None
    return comment if isinstance(comment, str) else None


def counted(quorum: Quorum, answerers: Answerers, votes: tuple[Vote, ...], vote: Vote) -> Counted:
    """Return the votes with this one, and whether it ends the pause.

    Raises:
        AlreadyVoted: the member has given another vote in this round.
        AnswerInvalid: it would begin one round too many.
    """
    now = standing(votes, answerers)
    earlier = next((each for each in now if same_person(each.by, vote.by)), None)
    if earlier is not None:
        if earlier.response_hash != vote.response_hash:
            raise AlreadyVoted(voted_at=earlier.at)
        return Counted(votes=votes, vote=earlier, approved=None, replayed=earlier.attempt_id != vote.attempt_id)
    number = votes[-1].round if votes else 1
    if vote.approves and any(each.approves and each.runs != vote.runs for each in now):
        number, now = number + 1, ()
    if number > ROUNDS_MAX:
        text = "other values were voted on too often; vote on the present ones"
        raise AnswerInvalid(text, errors=(FieldError("response", text),))
    new = replace(vote, round=number)
    yeses = sum(each.approves for each in (*now, new))
    noes = len(now) + 1 - yeses
    approved = None
    if yeses >= quorum.needed:
        approved = True
    elif noes and (quorum.veto or len(members(answerers)) - noes < quorum.needed):
        approved = False
    return Counted(votes=(*votes, new), vote=new, approved=approved)
