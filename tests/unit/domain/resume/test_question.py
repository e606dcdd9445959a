"""Showing a question: to whom it says that a link is enough, and what it says once the time is over."""

import asyncio
from dataclasses import replace

import pytest

from askback.domain.errors import PauseExpired
from askback.domain.interactions.default_answer import DefaultAnswer
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.ledger import PauseStatus
from askback.domain.resume.outcome import EndedPause, PausedQuestion
from askback.edge.question import question_reply
from askback.interactions import ASK_USER_REGISTRATION
from tests.support.memory_deployment import NOW, InMemoryDeployment, an_answer

LATE = NOW + 10_000_000


def shown(deployment: InMemoryDeployment, token: str, *, at: int = NOW + 90) -> PausedQuestion:
    question = asyncio.run(deployment.resuming.question(token, at=at))
    assert isinstance(question, PausedQuestion)
    return question


def after_the_end(deployment: InMemoryDeployment, token: str) -> EndedPause:
    ended = asyncio.run(deployment.resuming.question(token, at=LATE))
    assert isinstance(ended, EndedPause)
    return ended


def test_a_link_is_enough_where_anybody_may_answer() -> None:
    deployment = InMemoryDeployment()
    assert shown(deployment, deployment.mint().tokens.answer).may_answer is True


def test_among_approvers_only_their_own_links_are_enough() -> None:
    """Nobody is to write an answer that is then refused."""
    deployment = InMemoryDeployment()
    tokens = deployment.mint(answerers=Answerers(approvers=("ada", "bob"), recipients=("ada",))).tokens
    assert shown(deployment, tokens.links["ada"]).may_answer is True
    assert shown(deployment, tokens.answer).may_answer is False


def test_no_link_is_enough_where_the_interaction_needs_a_sign_in() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    deployment.registry = InteractionRegistry([replace(ASK_USER_REGISTRATION, allow_link=False)])
    assert shown(deployment, minted.tokens.answer).may_answer is False


def test_an_expired_token_of_an_open_pause_is_expired() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    with pytest.raises(PauseExpired):
        shown(deployment, minted.tokens.answer, at=minted.claims.exp)


def test_after_its_time_an_answered_pause_says_so() -> None:
    """Somebody who answered in time is not told that they came too late."""
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    deployment.resume(minted, response=an_answer(minted))
    assert after_the_end(deployment, minted.tokens.answer).row.status is PauseStatus.ANSWERED


def test_after_its_time_a_revoked_pause_says_so() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    asyncio.run(deployment.inbox.revoke(minted.claims.jti, by="olga", at=NOW + 5))
    assert after_the_end(deployment, minted.tokens.answer).row.status is PauseStatus.REVOKED


def test_an_answer_that_was_agreed_on_beforehand_has_no_person() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(on_expiry=DefaultAnswer(response={"answers": [{"selections": ["Reject"]}]}))
    deployment.sweep(at=minted.claims.exp + 60)
    assert question_reply(after_the_end(deployment, minted.tokens.answer))["by_policy"] is True
    reply = question_reply(shown(deployment, minted.tokens.pause, at=LATE))
    assert (reply["by_policy"], reply["answered_by_you"]) == (True, None)
