"""The links of an open pause are issued again from its row, with the row's key; nothing is written."""

import asyncio
from typing import Any

import pytest

from askback.domain.errors import (
    AlreadyAnswered,
    HumanInteractionError,
    InteractionConfigurationError,
    InvalidRequest,
    PauseExpired,
    PauseRevoked,
    UnknownPause,
)
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.claims import PauseClaims
from askback.domain.people.answer_links import AnswerLinks, IssuedLinks
from tests.support.memory_deployment import NOW, InMemoryDeployment

PEOPLE = Answerers(recipients=("ada@example.com", "bob@example.com"))


def links(deployment: InMemoryDeployment, jti: str, **over: Any) -> IssuedLinks:
    return asyncio.run(deployment.links.of(jti, **{"at": NOW + 60, **over}))


def test_they_are_those_that_the_mint_can_return_and_the_row_stays_as_it_is() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(answerers=PEOPLE)
    before = dict(deployment.ledger.rows)
    issued = links(deployment, minted.claims.jti)
    assert (issued.tokens.answer, issued.tokens.links) == (minted.tokens.answer, minted.tokens.links)
    assert (issued.shared, issued.row.claims) == (True, minted.claims)
    assert deployment.ledger.rows == before
    assert minted.tokens.answer not in repr(issued)


def test_only_those_of_the_named_recipients_are_issued_each_once() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(answerers=PEOPLE)
    issued = links(deployment, minted.claims.jti, recipients=["bob@example.com", " BOB@example.com"])
    assert issued.tokens.links == {"bob@example.com": minted.tokens.links["bob@example.com"]}
    assert not issued.shared
    with pytest.raises(InvalidRequest, match=r"recipients\[1\]"):
        links(deployment, minted.claims.jti, recipients=["bob@example.com", "eve@example.com"])


def _answered(deployment: InMemoryDeployment, minted: MintedPause) -> None:
    deployment.resume(minted)


def _revoked(deployment: InMemoryDeployment, minted: MintedPause) -> None:
    asyncio.run(deployment.inbox.revoke(minted.claims.jti, by="olga", at=NOW + 30))


def _swept(deployment: InMemoryDeployment, minted: MintedPause) -> None:
    deployment.sweep(at=minted.claims.exp)


@pytest.mark.parametrize(
    ("end", "at", "error"),
    [
        (_answered, NOW + 61, AlreadyAnswered),
        (_answered, NOW + 9999, AlreadyAnswered),
        (_revoked, NOW + 60, PauseRevoked),
        (_swept, NOW + 3600, PauseExpired),
        (None, NOW + 3600, PauseExpired),
    ],
)
def test_a_pause_that_has_ended_has_none(end: Any, at: int, error: type[HumanInteractionError]) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    if end is not None:
        end(deployment, minted)
    with pytest.raises(error):
        links(deployment, minted.claims.jti, at=at)


def test_an_unknown_pause_has_none() -> None:
    with pytest.raises(UnknownPause):
        links(InMemoryDeployment(), "no-such-pause")


def test_a_pause_whose_key_was_removed_has_none() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    deployment.key_ring = '{"current":"k2","key:k2":"another key that only tests use, 32+"}'
    with pytest.raises(InteractionConfigurationError, match="mint the question again"):
        links(deployment, minted.claims.jti)


def test_the_pause_is_known_before_it_is_refused() -> None:
    deployment = InMemoryDeployment()
    known: list[PauseClaims] = []
    minted = deployment.mint()
    deployment.resume(minted)
    service = AnswerLinks(ledger=deployment.ledger, tokens=deployment.tokens, known=known.append)
    with pytest.raises(AlreadyAnswered):
        asyncio.run(service.of(minted.claims.jti, at=NOW + 61))
    assert known == [minted.claims]
