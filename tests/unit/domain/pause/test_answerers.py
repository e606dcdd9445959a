"""Whom a pause is for and who may answer it: facts of the pause, never of what is sent with an answer."""

import asyncio

import pytest

from askback.domain.errors import AlreadyAnswered, AnswererNotAllowed, InvalidRequest, PauseConflict
from askback.domain.pause.answerers import NO_RESTRICTION, PEOPLE_MAX, Answerers
from askback.domain.pause.assurance import AnsweredVia
from askback.domain.pause.claims import Audience
from askback.domain.resume.outcome import PausedQuestion
from askback.domain.tokens.scope_binder import Redeemer
from tests.support.memory_deployment import NOW, InMemoryDeployment, an_answer

BOTH = Answerers(approvers=("ada", "bob"))
LINK = {
    "redeemer": Redeemer(scope=None),
    "answered_via": AnsweredVia.LINK,
    "answered_by": "link",
    "audiences": frozenset({Audience.ANSWER}),
}


def _shown(deployment: InMemoryDeployment, token: str) -> PausedQuestion:
    question = asyncio.run(deployment.resuming.question(token, at=NOW + 90))
    assert isinstance(question, PausedQuestion)
    return question


def test_without_approvers_everybody_may_answer_whom_the_interaction_lets() -> None:
    deployment = InMemoryDeployment()
    assert deployment.resume(deployment.mint(), answered_by="anybody").answered_by == "anybody"


def test_only_an_approver_answers_and_a_refusal_leaves_the_token_redeemable() -> None:
    """Case A-48."""
    deployment = InMemoryDeployment()
    minted = deployment.mint(answerers=BOTH)
    with pytest.raises(AnswererNotAllowed):
        deployment.resume(minted, answered_by="eve")
    outcome = deployment.resume(minted, answered_by="ada", answered_via=AnsweredVia.JWT)
    assert (outcome.answered_by, outcome.answered_via) == ("ada", AnsweredVia.JWT)


def test_the_requester_can_be_kept_from_answering() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(answerers=Answerers(requester="ada", requester_may_answer=False))
    with pytest.raises(AnswererNotAllowed):
        deployment.resume(minted, answered_by="ada", answered_via=AnsweredVia.JWT)
    assert deployment.resume(minted, answered_by="bob", answered_via=AnsweredVia.JWT).answered_by == "bob"


def test_a_requester_who_may_answer_does() -> None:
    deployment = InMemoryDeployment()
    outcome = deployment.resume(deployment.mint(answerers=Answerers(requester="ada")), answered_by="ada")
    assert outcome.answered_by == "ada"


def test_each_recipient_has_a_link_of_their_own_and_the_record_says_who_answered_by_it() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(answerers=Answerers(recipients=("ada", "bob")))
    assert list(minted.tokens.links) == ["ada", "bob"]
    outcome = deployment.resume(minted, require_turn=False, token=minted.tokens.links["bob"], **LINK)
    assert (outcome.answered_by, outcome.answered_via) == ("bob", AnsweredVia.LINK)


def test_of_two_recipients_the_first_answer_wins_and_the_refusal_of_the_other_says_when() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(answerers=Answerers(recipients=("ada", "bob")))
    first = deployment.resume(minted, require_turn=False, token=minted.tokens.links["ada"], **LINK)
    bob = minted.tokens.links["bob"]
    with pytest.raises(AlreadyAnswered) as refusal:
        deployment.resume(minted, require_turn=False, token=bob, attempt_id="attempt-2", **LINK)
    assert refusal.value.answered_at == first.answered_at
    for recipient, by_reader in (("ada", True), ("bob", False)):
        assert _shown(deployment, minted.tokens.links[recipient]).answered_by_reader is by_reader
    assert _shown(deployment, minted.tokens.pause).answered_by_reader is None


def test_a_link_without_a_recipient_does_not_answer_for_an_approver() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(answerers=Answerers(approvers=("ada",), recipients=("ada",)))
    with pytest.raises(AnswererNotAllowed):
        deployment.resume(minted, require_turn=False, token=minted.tokens.answer, **LINK)
    outcome = deployment.resume(minted, require_turn=False, token=minted.tokens.links["ada"], **LINK)
    assert outcome.answered_by == "ada"


def test_a_recipients_name_counts_on_a_link_only() -> None:
    """Somebody who signed in is who they signed in as, whoever's link they opened."""
    deployment = InMemoryDeployment()
    minted = deployment.mint(answerers=Answerers(recipients=("ada",)))
    audiences = frozenset({Audience.ANSWER})
    outcome = deployment.resume(
        minted,
        require_turn=False,
        token=minted.tokens.links["ada"],
        answered_by="bob",
        answered_via=AnsweredVia.JWT,
        audiences=audiences,
    )
    assert outcome.answered_by == "bob"


def test_a_repeated_mint_gives_the_same_links_and_one_for_other_people_is_a_conflict() -> None:
    deployment = InMemoryDeployment()
    for_ada = Answerers(recipients=("ada",))
    first, again = (deployment.mint(answerers=for_ada, idempotency_key="refund-1") for _ in range(2))
    assert again.tokens == first.tokens
    with pytest.raises(PauseConflict):
        deployment.mint(answerers=NO_RESTRICTION, idempotency_key="refund-1")


@pytest.mark.parametrize(
    ("answerers", "field"),
    [
        (Answerers(approvers=("ada", "ada")), "approvers"),
        (Answerers(approvers=tuple(f"p{n}" for n in range(PEOPLE_MAX + 1))), "approvers"),
        (Answerers(approvers=("",)), "approvers[0]"),
        (Answerers(recipients=("a\nb",)), "recipients[0]"),
        (Answerers(recipients=("x" * 257,)), "recipients[0]"),
        (Answerers(approvers=("ada",), recipients=("bob",)), "recipients"),
        (Answerers(requester="ada", requester_may_answer=False, recipients=("ada",)), "recipients"),
        (Answerers(requester_may_answer=False), "requester"),
        (Answerers(approvers=("ada",), requester="ada", requester_may_answer=False), "approvers"),
        (Answerers(requester="a\x00"), "requester"),
    ],
)
def test_a_pause_that_nobody_could_answer_or_a_link_that_would_be_useless_is_refused_at_mint(
    answerers: Answerers, field: str
) -> None:
    deployment = InMemoryDeployment()
    with pytest.raises(InvalidRequest) as refusal:
        deployment.mint(answerers=answerers)
    assert [error.field for error in refusal.value.errors] == [field]
    assert not deployment.ledger.rows


def test_the_answer_given_is_the_answer_recorded() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(answerers=BOTH)
    deployment.resume(minted, answered_by="bob", response=an_answer(minted, "Reject"))
    row = deployment.ledger.rows[minted.claims.jti]
    assert row.answer is not None
    assert (row.answer.answered_by, row.answerers) == ("bob", BOTH)
