"""A mint over a limit of open pauses is refused before anything is written."""

import dataclasses
from typing import Any

import pytest

from askback.domain.errors import InvalidRequest, StoreUnavailable, TooManyOpen
from askback.domain.interactions.floor import NO_FLOOR, Floor, FloorInvalid
from askback.domain.pause.answerers import Answerers
from askback.domain.ports import Place
from askback.interactions import ASK_USER_REGISTRATION, REGISTRY
from tests.support.memory_deployment import InMemoryDeployment, a_binding


def a_deployment(**limits: Any) -> InMemoryDeployment:
    floor = Floor(**limits)
    registry = REGISTRY.extended([dataclasses.replace(ASK_USER_REGISTRATION, floor=floor)])
    return InMemoryDeployment(registry=registry)


def mint(deployment: InMemoryDeployment, key: str, *recipients: str, **over: Any) -> Any:
    return deployment.mint(idempotency_key=key, answerers=Answerers(recipients=recipients), **over)


def test_a_refused_mint_leaves_nothing_and_is_taken_when_a_pause_has_ended() -> None:
    deployment = a_deployment(open_pauses_per_recipient_max=2)
    first = mint(deployment, "1", "ada")
    mint(deployment, "2", "ada")
    before = (dict(deployment.ledger.rows), dict(deployment.checkpoints.texts), str(deployment.open_pauses.lists))
    with pytest.raises(TooManyOpen, match=r"^recipients\[1\] has 2 open pauses in this scope, and open_pauses_per_rec"):
        mint(deployment, "3", "bob", "ADA ")
    lists = {person: entries for person, entries in deployment.open_pauses.lists.items() if entries}
    assert (deployment.ledger.rows, deployment.checkpoints.texts, str(lists)) == before
    assert len(deployment.events.events) == 2
    deployment.resume(first)
    assert mint(deployment, "3", "bob", "ADA ").status == "issued"


def test_the_same_mint_again_is_taken_at_the_limit() -> None:
    deployment = a_deployment(open_pauses_per_recipient_max=1, open_pauses_max=1)
    minted = mint(deployment, "1", "ada")
    assert mint(deployment, "1", "ada").claims.jti == minted.claims.jti
    deployment.resume(minted)
    other = mint(deployment, "2", "ada")
    # The first has ended and has left the list.
    assert [mint(deployment, key, "ada").claims.jti for key in "12"] == [minted.claims.jti, other.claims.jti]
    with pytest.raises(TooManyOpen):
        mint(deployment, "3", "ada")


def test_a_scope_has_a_limit_of_its_own_also_without_recipients() -> None:
    deployment = a_deployment(open_pauses_max=2)
    for key in "12":
        mint(deployment, key)
    with pytest.raises(TooManyOpen, match=r"^this scope has 2 open pauses, and open_pauses_max of"):
        mint(deployment, "3")
    elsewhere = dataclasses.replace(a_binding().scope, tenant_id="globex")  # type: ignore[type-var]
    mint(deployment, "3", binding=a_binding(scope=elsewhere))


def test_a_person_is_counted_in_each_scope_apart() -> None:
    deployment = a_deployment(open_pauses_per_recipient_max=1)
    mint(deployment, "1", "ada")
    elsewhere = dataclasses.replace(a_binding().scope, tenant_id="globex")  # type: ignore[type-var]
    mint(deployment, "1", "ada", binding=a_binding(scope=elsewhere))


def test_a_person_may_have_a_hundred_open_pauses_where_no_floor_says_another_number() -> None:
    deployment = InMemoryDeployment()
    for number in range(100):
        mint(deployment, str(number), "ada")
    with pytest.raises(TooManyOpen):
        mint(deployment, "one more", "ada")
    mint(deployment, "one more", "bob")


def test_a_mint_that_is_refused_for_another_reason_is_not_counted() -> None:
    deployment = InMemoryDeployment()
    with pytest.raises(InvalidRequest):
        mint(deployment, "1", "ada", ttl_seconds=1)
    assert deployment.open_pauses.lists == {}


def test_a_mint_whose_store_fails_after_it_was_counted_is_counted_once() -> None:
    deployment = a_deployment(open_pauses_per_recipient_max=1)
    usual = deployment.ledger.issue

    async def failing(row: Any) -> Any:
        raise StoreUnavailable

    deployment.ledger.issue = failing  # type: ignore[method-assign]
    with pytest.raises(StoreUnavailable):
        mint(deployment, "1", "ada")
    deployment.ledger.issue = usual  # type: ignore[method-assign]
    mint(deployment, "1", "ada")
    with pytest.raises(TooManyOpen):
        mint(deployment, "2", "ada")


def test_a_refusal_stays_one_when_the_counts_cannot_be_taken_back() -> None:
    deployment = a_deployment(open_pauses_per_recipient_max=1)
    mint(deployment, "1", "ada")

    async def failing(jti: str, *, person: str) -> None:
        raise StoreUnavailable

    deployment.open_pauses.leave = failing  # type: ignore[method-assign]
    with pytest.raises(TooManyOpen):
        mint(deployment, "2", "bob", "ada")


def test_a_mint_without_recipients_and_without_a_limit_of_its_scope_asks_nothing() -> None:
    deployment = InMemoryDeployment()

    async def asked(*_: Any, **__: Any) -> Place:
        raise AssertionError

    deployment.open_pauses.enter = deployment.open_pauses.count = asked  # type: ignore[method-assign, assignment]
    assert mint(deployment, "1").status == "issued"


@pytest.mark.parametrize("name", ["open_pauses_per_recipient_max", "open_pauses_max"])
def test_a_limit_is_a_number_or_null(name: str) -> None:
    for good in (1, 100, None):
        assert getattr(NO_FLOOR.with_demands({name: good}), name) == good
    bad: object
    for bad in (0, -1, True, 1.5, "5", [], 10_001):
        with pytest.raises(FloorInvalid, match=name):
            NO_FLOOR.with_demands({name: bad})
