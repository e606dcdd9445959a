"""A mint returns no token that answers, and no pause token where a waiter gets the answer."""

from typing import Any

import pytest

from askback.domain.mint.pause_mint import PauseTokens
from askback.domain.pause.answerers import Answerers
from tests.support.memory_deployment import InMemoryDeployment, a_binding
from tests.support.waiting_pauses import CALLBACK, LISTENER, TASK

PEOPLE = Answerers(recipients=("ada@example.com", "bob@example.com"))
HERE = a_binding(checkpoint_id="c1")


def both(**over: Any) -> list[PauseTokens]:
    """Mint, mint the same again, and return what each caller gets."""
    deployment = InMemoryDeployment(return_links=False)
    return [deployment.mint(answerers=PEOPLE, binding=HERE, **over).tokens for _ in range(2)]


@pytest.mark.parametrize("over", [{}, {"waiter": LISTENER}], ids=["no waiter", "a consumer of events"])
def test_who_fetches_the_answer_gets_the_pause_token_alone(over: dict[str, Any]) -> None:
    first, again = both(**over)
    assert first.pause
    assert first == again == PauseTokens(pause=first.pause)


@pytest.mark.parametrize("waiter", [TASK, CALLBACK])
def test_who_gets_the_answer_by_a_waiter_gets_no_token(waiter: Any) -> None:
    assert both(waiter=waiter) == [PauseTokens()] * 2


def test_the_same_request_without_its_waiter_gets_no_token_either() -> None:
    deployment = InMemoryDeployment(return_links=False)
    deployment.mint(binding=HERE, waiter=TASK)
    assert deployment.mint(binding=HERE).tokens == PauseTokens()


def test_a_mint_that_returns_links_returns_all_tokens() -> None:
    tokens = InMemoryDeployment(return_links=True).mint(answerers=PEOPLE, waiter=TASK).tokens
    assert len({tokens.pause, tokens.answer, *tokens.links.values()} - {""}) == 4
    assert list(tokens.links) == list(PEOPLE.recipients)


def test_the_printed_form_has_no_token() -> None:
    tokens = InMemoryDeployment(return_links=True).mint().tokens
    assert not [token for token in (tokens.pause, tokens.answer) if token in repr(tokens)]
