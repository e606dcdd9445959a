"""Whether enough people can vote on a new question in this deployment."""

import pytest

from askback.domain.mint.votable import why_too_few
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.assurance import Assurance
from askback.domain.pause.quorum import Quorum

FIVE = ("ada", "bob", "cyd", "dan", "eve")
LINKS_ONLY = Answerers(approvers=FIVE, recipients=("ADA", "bob"), least_assurance=Assurance.PERSONAL_LINK)


@pytest.mark.parametrize("needed", [2, 3])
def test_as_many_members_as_are_needed_must_have_a_link_where_only_links_vote(needed: int) -> None:
    why = why_too_few(Quorum(needed=needed), LINKS_ONLY, takes_links=True, best_sign_in=None)
    assert bool(why) == (needed == 3)


@pytest.mark.parametrize(
    ("people", "best_sign_in"),
    [(LINKS_ONLY, Assurance.SIGNED_IN), (Answerers(approvers=FIVE), None)],
    ids=["people sign in", "a backend says who votes"],
)
def test_without_links_people_vote_in_other_ways(people: Answerers, best_sign_in: Assurance | None) -> None:
    assert why_too_few(Quorum(needed=5), people, takes_links=True, best_sign_in=best_sign_in) == ""


def test_an_ordinary_question_needs_no_votes() -> None:
    assert why_too_few(None, LINKS_ONLY, takes_links=True, best_sign_in=None) == ""
