"""Decisions by several people: who votes, what a vote counts for, and which vote ends the pause.

A vote is one answer of one member of the roster, that is of an approver. It says yes or no. Yeses count together only
if they let the same thing run: a yes with other edits begins a new round, in which the votes before it count no more,
and their members can vote again. A reply of the asker to a question back does the same: the votes before it are void.
The vote that completes the quorum is the claim of the pause. So is a veto, and the no
after which the quorum cannot be reached any more. The end of the time is never a vote.

A yes ends a pause only as approved, and a no only as rejected: the last vote is also the recorded answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from askback.domain.errors import AlreadyVoted, AnswererNotAllowed, AnswerInvalid, FieldError, InvalidRequest
from askback.domain.json_text import canonical_text, read_json
from askback.domain.pause.answerers import PEOPLE_MAX, Answerers
from askback.domain.pause.assurance import AnsweredVia, Assurance
from askback.domain.pause.person_names import is_among, same_person

ROUNDS_MAX = 10
"""The most rounds of one pause. In each, the values to vote on are others."""
VOTE_MAX_BYTES = 6 * 1024
"""The limit of the answer in one vote, as a JSON text in the JSON text of all votes."""
VOTES_MAX_BYTES = 200 * 1024
"""The limit of all votes of a pause: they are in its row, which DynamoDB limits to 400 KB, and in its outcome."""
_VOTE_FRAME_BYTES = 350
"""What a vote has besides its answer and the name of its person: hashes, times and ids."""
_NAME_BYTES = 250
"""The room that is kept for the name of a person who has not voted yet."""


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
    round, from 1. `at` is in epoch seconds. The other fields are those of an accepted answer; `response_text` is None
    after the content of the pause was erased.
    """

    by: str
    approves: bool
    runs: str
    response_text: str | None
    response_hash: str
    at: int
    attempt_id: str
    via: AnsweredVia
    assurance: Assurance
    round: int = 1
    delegated_for: str = ""
    """The member for whom the person has voted, because the pause was passed on; empty for other votes."""

    @property
    def size(self) -> int:
        """How many bytes the vote takes of `VOTES_MAX_BYTES`."""
        texts = (self.by, self.delegated_for, self.response_text or "")
        return _VOTE_FRAME_BYTES + sum(map(escaped_size, texts))


def escaped_size(text: str) -> int:
    """Return the size of a text inside a JSON text."""
    return len(canonical_text(text)) - 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The votes with a new one in them, and what it did.

    `approved` is None while the pause stays open. `replayed` is True if the vote was there before. `weakest` says how
    well the least known member is known whose vote counts with this one.
    """

    votes: tuple[Vote, ...]
    vote: Vote
    weakest: Assurance
    approved: bool | None = None
    replayed: bool = False


def members(answerers: Answerers) -> tuple[str, ...]:
    """Return who may vote: the approvers, without a requester who may not answer."""
    return tuple(
        person
        for person in answerers.approvers
        if answerers.requester_may_answer or not same_person(person, answerers.requester)
    )


def round_of_next(votes: Sequence[Vote], void: int) -> int:
    """Return the number of the round of a vote that begins none; after `void` votes, the asker has begun one."""
    if not votes:
        return 1
    return votes[-1].round + (len(votes) == void)


def standing(votes: Sequence[Vote], answerers: Answerers, *, void: int = 0) -> tuple[Vote, ...]:
    """Return the votes that count: those of the last round whose members are in the roster still.

    The first `void` votes were given before a reply of the asker, so they count no more.
    """
    now, roster = round_of_next(votes, void), members(answerers)
    return tuple(vote for vote in votes if vote.round == now and is_among(vote.by, roster))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How far a decision is: how many must say yes, and how many members there are and have said yes and no."""

    needed: int
    members: int
    approved: int
    rejected: int


def tally_of(quorum: Quorum, answerers: Answerers, votes: Sequence[Vote], *, void: int = 0) -> Tally:
    """Return how far the decision is; only votes that count are in it. `void` is as in `standing`."""
    now = standing(votes, answerers, void=void)
    yeses = sum(vote.approves for vote in now)
    return Tally(needed=quorum.needed, members=len(members(answerers)), approved=yeses, rejected=len(now) - yeses)


def votes_said(votes: Sequence[Vote], answerers: Answerers, *, void: int = 0) -> list[dict[str, Any]]:
    """Return all votes for a reader of the outcome: who, what, how known, when, the comment, and whether it counts.

    The comment is that of an answer with a text of this name. `at` is in epoch seconds. `void` is as in `standing`.
    """
    now = standing(votes, answerers, void=void)
    return [
        {
            "by": vote.by,
            **({"for": vote.delegated_for} if vote.delegated_for else {}),
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
    response = read_json(vote.response_text or "null")
    comment = response.get("comment") if isinstance(response, dict) else None
    return comment if isinstance(comment, str) else None


def counted(quorum: Quorum, answerers: Answerers, votes: tuple[Vote, ...], vote: Vote, *, void: int = 0) -> Counted:
    """Return the votes with this one, and whether it ends the pause.

    The same vote again is not counted again. A yes that comes again after another round has begun does not begin one
    more round: it may be a request of before whose reply was lost. `void` is as in `standing`.

    Raises:
        AnswererNotAllowed: the person is not in the roster.
        AlreadyVoted: the member has given another vote in this round.
        AnswerInvalid: it would begin one round too many.
    """
    roster = members(answerers)
    if not is_among(vote.by, roster):
        raise AnswererNotAllowed("only the approvers of this question may answer it")
    now = standing(votes, answerers, void=void)
    if given := _given(votes, now, vote, void=void):
        return Counted(votes=votes, vote=given, weakest=given.assurance, replayed=given.attempt_id != vote.attempt_id)
    number = round_of_next(votes, void)
    if vote.approves and any(each.approves and each.runs != vote.runs for each in now):
        if not has_room(votes, rounds=number, people=len(roster)):
            text = "other values were voted on too often; vote on the present ones"
            raise AnswerInvalid(text, errors=(FieldError("response", text),))
        number, now = number + 1, ()
    new = replace(vote, round=number)
    alike = [*(each for each in now if each.approves is new.approves), new]
    return Counted(
        votes=(*votes, new),
        vote=new,
        weakest=min((each.assurance for each in alike), key=list(Assurance).index),
        approved=new.approves if _ends(quorum, len(roster), alike, new) else None,
    )


def _given(votes: tuple[Vote, ...], now: tuple[Vote, ...], vote: Vote, *, void: int) -> Vote | None:
    """Return the earlier vote of this person that this one repeats; raises AlreadyVoted if it says something else."""
    for each in votes:
        if each.attempt_id == vote.attempt_id:
            # The reply of the write was lost, and other votes may have followed.
            return each
    own = [each for each in votes[void:] if same_person(each.by, vote.by)]
    for each in own:
        if each in now:
            if each.response_hash != vote.response_hash:
                raise AlreadyVoted(voted_at=each.at)
            return each
    again = next((each for each in reversed(own) if each.response_hash == vote.response_hash), None)
    begins = vote.approves and any(each.approves and each.runs != vote.runs for each in now)
    return again if begins else None


def _ends(quorum: Quorum, people: int, alike: Sequence[Vote], vote: Vote) -> bool:
    """Return whether a vote ends the pause; `alike` are the votes that count and say what it says, with itself."""
    if vote.approves:
        return len(alike) >= quorum.needed
    return quorum.veto or people - len(alike) < quorum.needed


def has_room(votes: Sequence[Vote], *, rounds: int, people: int) -> bool:
    """Return whether every member can vote in one more round: a round must never end for want of room."""
    full = people * (VOTE_MAX_BYTES + _VOTE_FRAME_BYTES + _NAME_BYTES)
    return rounds < ROUNDS_MAX and sum(vote.size for vote in votes) + full <= VOTES_MAX_BYTES
