"""What a vote counts for: whatever the order of votes, the pause ends once, at the vote that completes it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, strategies as some

from askback.domain.errors import AlreadyVoted, AnswererNotAllowed, AnswerInvalid, InvalidRequest
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.assurance import Assurance
from askback.domain.pause.person_names import person_key
from askback.domain.pause.quorum import (
    ROUNDS_MAX,
    VOTE_MAX_BYTES,
    VOTES_MAX_BYTES,
    Counted,
    Quorum,
    Vote,
    counted,
    members,
    standing,
)
from tests.support.voting import FIVE, ROSTER, TWO_OF_FIVE, a_vote

REFUSED = (AlreadyVoted, AnswererNotAllowed, AnswerInvalid)
Cast = tuple[str, bool, str]
casts = some.lists(
    some.tuples(
        some.sampled_from([*FIVE, "ADA", " bob ", "mallory", "", "link", "policy"]),
        some.booleans(),
        some.sampled_from(["10", "9"]),
    ),
    max_size=20,
)
quorums = some.builds(Quorum, needed=some.integers(2, 5), veto=some.booleans(), hidden=some.booleans())


def played(quorum: Quorum, votes: Sequence[Cast], answerers: Answerers = ROSTER) -> tuple[list[Counted], int]:
    """Return what each accepted vote did, until the pause ended, and how many votes came after its end."""
    accepted: list[Counted] = []
    for number, (by, approves, runs) in enumerate(votes):
        try:
            now = counted(
                quorum,
                answerers,
                accepted[-1].votes if accepted else (),
                a_vote(by, approves, runs, attempt_id=str(number)),
            )
        except REFUSED:
            continue
        accepted.append(now)
        if now.approved is not None:
            return accepted, len(votes) - number - 1
    return accepted, 0


@given(quorums, casts)
def test_a_pause_is_approved_exactly_when_enough_members_said_yes_to_the_same(
    quorum: Quorum, votes: list[Cast]
) -> None:
    accepted, _ = played(quorum, votes)
    for now in accepted:
        yeses = [each for each in standing(now.votes, ROSTER) if each.approves]
        people = {person_key(each.by) for each in yeses}
        assert len(people) == len(yeses)
        assert people <= set(FIVE)
        assert len({each.runs for each in yeses}) <= 1
        assert (now.approved is True) == (len(yeses) >= quorum.needed)


@given(quorums, casts)
def test_a_pause_is_rejected_exactly_by_a_veto_or_when_the_quorum_cannot_be_reached(
    quorum: Quorum, votes: list[Cast]
) -> None:
    accepted, _ = played(quorum, votes)
    for now in accepted:
        noes = sum(not each.approves for each in standing(now.votes, ROSTER))
        out_of_reach = len(FIVE) - noes < quorum.needed
        assert (now.approved is False) == bool(noes and (quorum.veto or out_of_reach))


@given(quorums, casts)
def test_the_vote_that_ends_a_pause_says_what_the_pause_ends_as(quorum: Quorum, votes: list[Cast]) -> None:
    accepted, _ = played(quorum, votes)
    for now in accepted:
        assert now.approved in (None, now.vote.approves)
        assert now.replayed or now.votes[-1] == now.vote


@given(quorums, casts)
def test_no_vote_is_lost_and_none_is_changed(quorum: Quorum, votes: list[Cast]) -> None:
    accepted, _ = played(quorum, votes)
    before: tuple[Vote, ...] = ()
    for now in accepted:
        assert now.votes[: len(before)] == before
        assert len(now.votes) - len(before) == (0 if now.replayed else 1)
        before = now.votes


@given(some.permutations(FIVE), some.integers(2, 5))
def test_in_every_order_of_yeses_the_pause_ends_at_the_last_one_that_is_needed(order: list[str], needed: int) -> None:
    accepted, after = played(Quorum(needed=needed), [(person, True, "10") for person in order])
    assert [now.approved for now in accepted] == [None] * (needed - 1) + [True]
    assert after == len(FIVE) - needed


@given(some.permutations(FIVE))
def test_an_even_split_ends_without_a_veto(order: list[str]) -> None:
    people = Answerers(approvers=FIVE[:4])
    order = [person for person in order if person in people.approvers]
    votes = [(person, number % 2 == 0, "10") for number, person in enumerate(order)]
    accepted, _ = played(Quorum(needed=3, veto=False), votes, people)
    assert accepted[-1].approved is False


@pytest.mark.parametrize("name", ["ADA", " ada ", "A\u0064a"])
def test_other_spellings_of_a_name_are_one_person(name: str) -> None:
    first = counted(TWO_OF_FIVE, ROSTER, (), a_vote("ada"))
    again = counted(TWO_OF_FIVE, ROSTER, first.votes, replace(first.vote, by=name, attempt_id="another"))
    assert (again.replayed, again.votes) == (True, first.votes)
    with pytest.raises(AlreadyVoted):
        counted(TWO_OF_FIVE, ROSTER, first.votes, a_vote(name, approves=False))


def test_an_empty_group_approves_nothing() -> None:
    for needed in (0, 1, 2):
        with pytest.raises(AnswererNotAllowed):
            counted(Quorum(needed=needed), Answerers(), (), a_vote("ada"))


def test_a_requester_who_may_not_answer_is_no_member() -> None:
    people = Answerers(approvers=FIVE, requester="ADA", requester_may_answer=False)
    assert members(people) == FIVE[1:]
    with pytest.raises(AnswererNotAllowed):
        counted(TWO_OF_FIVE, people, (), a_vote("ada"))
    with pytest.raises(InvalidRequest):
        Quorum(needed=5).check(people)


def test_a_vote_of_a_person_who_left_the_roster_counts_no_more() -> None:
    first = counted(TWO_OF_FIVE, ROSTER, (), a_vote("ada"))
    now = counted(TWO_OF_FIVE, replace(ROSTER, approvers=FIVE[1:]), first.votes, a_vote("bob"))
    assert now.approved is None


def test_a_yes_never_ends_a_pause_as_rejected() -> None:
    """The no of a person came first, and then others left the roster: the quorum is out of reach."""
    first = counted(Quorum(needed=3, veto=False), ROSTER, (), a_vote("ada", approves=False))
    now = counted(
        Quorum(needed=3, veto=False), replace(ROSTER, approvers=("ada", "bob", "cyd")), first.votes, a_vote("bob")
    )
    assert now.approved is None


def test_a_yes_of_an_earlier_round_that_comes_again_begins_no_round() -> None:
    """The reply to ada was lost; meanwhile bob proposed other values, and her program sends the same request again."""
    first = counted(TWO_OF_FIVE, ROSTER, (), a_vote("ada", runs="10"))
    other = counted(TWO_OF_FIVE, ROSTER, first.votes, a_vote("bob", runs="9"))
    again = counted(TWO_OF_FIVE, ROSTER, other.votes, a_vote("ada", runs="10", attempt_id="again"))
    assert (again.votes, again.vote, again.replayed) == (other.votes, first.vote, True)


def test_a_vote_whose_reply_was_lost_is_not_counted_in_the_next_round() -> None:
    quorum = Quorum(needed=2, veto=False)
    yes = counted(quorum, ROSTER, (), a_vote("ada", runs="10"))
    no = counted(quorum, ROSTER, yes.votes, a_vote("cyd", approves=False))
    other = counted(quorum, ROSTER, no.votes, a_vote("bob", runs="9"))
    found = counted(quorum, ROSTER, other.votes, a_vote("cyd", approves=False))
    assert (found.votes, found.replayed) == (other.votes, False)


def test_how_well_a_decision_is_known_is_how_well_its_least_known_vote_is() -> None:
    first = counted(TWO_OF_FIVE, ROSTER, (), a_vote("ada", assurance=Assurance.STATED))
    last = counted(TWO_OF_FIVE, ROSTER, first.votes, a_vote("bob", assurance=Assurance.SIGNED_IN))
    assert (last.approved, last.weakest) == (True, Assurance.STATED)


def test_rounds_end() -> None:
    votes: tuple[Vote, ...] = ()
    for number in range(ROUNDS_MAX):
        votes = counted(Quorum(needed=3), ROSTER, votes, a_vote(FIVE[number % 2], runs=str(number))).votes
    assert votes[-1].round == ROUNDS_MAX
    with pytest.raises(AnswerInvalid):
        counted(Quorum(needed=3), ROSTER, votes, a_vote(FIVE[ROUNDS_MAX % 2], runs="one more"))


def test_large_votes_leave_room_for_every_member_of_the_last_round() -> None:
    people = Answerers(approvers=tuple(f"person-{number}" for number in range(20)))
    quorum = Quorum(needed=20)
    votes: tuple[Vote, ...] = ()
    largest = "x" * VOTE_MAX_BYTES

    def cast(number: int, runs: str) -> tuple[Vote, ...]:
        return counted(quorum, people, votes, a_vote(f"person-{number}", runs=runs, response_text=largest)).votes

    begun = 0
    while begun < ROUNDS_MAX:
        try:
            votes = cast(begun, str(begun))
        except AnswerInvalid:
            break
        votes = cast(19 - begun, str(begun))
        begun += 1
    assert 1 < begun < ROUNDS_MAX
    voted = {vote.by for vote in standing(votes, people)}
    for number in range(20):
        if f"person-{number}" not in voted:
            votes = cast(number, votes[-1].runs)
    assert len(standing(votes, people)) == 20
    assert sum(vote.size for vote in votes) <= VOTES_MAX_BYTES


def test_votes_before_a_reply_of_the_asker_are_void_and_the_same_vote_counts_again() -> None:
    first = counted(TWO_OF_FIVE, ROSTER, (), a_vote("ada"))
    again = counted(TWO_OF_FIVE, ROSTER, first.votes, a_vote("ada", attempt_id="again"), void=1)
    assert (again.replayed, again.approved, [vote.round for vote in again.votes]) == (False, None, [1, 2])
    last = counted(TWO_OF_FIVE, ROSTER, again.votes, a_vote("bob"), void=1)
    assert (last.approved, last.vote.round) == (True, 2)
    assert [vote.by for vote in standing(last.votes, ROSTER, void=1)] == ["ada", "bob"]


def test_a_no_before_a_reply_does_not_stand_against_a_yes_after_it() -> None:
    quorum = Quorum(needed=2, veto=False)
    no = counted(quorum, ROSTER, (), a_vote("ada", approves=False))
    yes = counted(quorum, ROSTER, no.votes, a_vote("ada"), void=1)
    assert [vote.approves for vote in standing(yes.votes, ROSTER, void=1)] == [True]
    with pytest.raises(AlreadyVoted):
        counted(quorum, ROSTER, yes.votes, a_vote("ada", approves=False, attempt_id="third"), void=1)


def test_a_reply_that_made_no_vote_void_begins_no_round() -> None:
    assert counted(TWO_OF_FIVE, ROSTER, (), a_vote("ada"), void=0).vote.round == 1
