"""An operator moves the deadline of an open pause, or passes it to another person: what becomes of it."""

import asyncio
from typing import Any

import pytest

from askback.domain.errors import (
    AlreadyAnswered,
    AnswererNotAllowed,
    InvalidRequest,
    LinkRevoked,
    PauseExpired,
    PauseRevoked,
    StoreUnavailable,
    UnknownPause,
)
from askback.domain.interactions.floor import Floor
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.operators.amendments import AmendedPause, Amendments
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.assurance import AnsweredVia
from askback.domain.pause.changes import ChangeKind
from askback.domain.pause.claims import Audience
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import PauseStatus
from askback.domain.tokens.scope_binder import Redeemer
from askback.testing.memory_waiters import InMemoryEvents
from tests.support.memory_deployment import NOW, InMemoryDeployment
from tests.support.waiting_pauses import announced, row_of

END, LATEST = NOW + 3600, NOW + 7200
LONGER: dict[str, Any] = {"max_ttl_seconds": 7200}
PEOPLE = Answerers(approvers=("ada", "bob"), recipients=("ada", "bob"))


def extend(deployment: InMemoryDeployment, minted: MintedPause, until: int, *, at: int = NOW + 60) -> AmendedPause:
    return asyncio.run(deployment.amendments.extend(minted.claims.jti, at=at, until=until))


def reassign(
    deployment: InMemoryDeployment, minted: MintedPause, leaving: str, to: str, *, at: int = NOW + 60
) -> AmendedPause:
    changing = deployment.amendments.reassign(minted.claims.jti, leaving=leaving, to=to, by="olga", at=at)
    return asyncio.run(changing)


def test_a_moved_deadline_holds_for_answers_and_for_the_sweep() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**LONGER)
    extended = extend(deployment, minted, LATEST)
    assert extended == AmendedPause(row=row_of(deployment, minted), replayed=False)
    assert (extended.row.expires_at, extended.row.due_at, extended.row.claims.exp) == (LATEST, LATEST, LATEST)
    assert deployment.sweep(at=END).done == {}
    assert not deployment.resume(minted, at=LATEST - 1).replayed
    assert announced(deployment)[:2] == [PauseEventType.ISSUED, PauseEventType.EXTENDED]


def test_the_pause_expires_at_the_moved_deadline() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**LONGER)
    extend(deployment, minted, END + 600)
    with pytest.raises(PauseExpired):
        deployment.resume(minted, at=END + 600)
    assert deployment.sweep(at=END + 600).done == {"Expired": 1}


def test_without_an_extension_the_pause_ends_before_its_tokens_do() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**LONGER)
    with pytest.raises(PauseExpired):
        deployment.resume(minted, at=END)
    assert deployment.sweep(at=END).done == {"Expired": 1}


def test_a_reminder_stays_at_its_time() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**LONGER, remind_after_seconds=600)
    assert extend(deployment, minted, LATEST).row.due_at == NOW + 600


def test_the_same_request_again_changes_nothing() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**LONGER)
    first = extend(deployment, minted, LATEST)
    assert extend(deployment, minted, LATEST, at=NOW + 99) == AmendedPause(row=first.row, replayed=True)
    assert announced(deployment).count(PauseEventType.EXTENDED) == 1


@pytest.mark.parametrize(
    ("over", "until", "text"),
    [
        ({}, LATEST, "minted without max_ttl_seconds, so it ends at 2026-09-21T15:13:20Z"),
        (LONGER, LATEST + 1, "at most 2026-09-21T16:13:20Z, as max_ttl_seconds of the mint says"),
        (LONGER, END - 1, "later than 2026-09-21T15:13:20Z, the present deadline"),
    ],
)
def test_a_time_that_cannot_be_is_refused_with_the_limit(over: dict[str, Any], until: int, text: str) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**over)
    before = row_of(deployment, minted)
    with pytest.raises(InvalidRequest) as refused:
        extend(deployment, minted, until)
    ((field, message),) = [(error.field, error.message) for error in refused.value.errors]
    assert (field, text in message) == ("expires_at", True), message
    assert row_of(deployment, minted) == before


def test_a_pause_that_has_ended_takes_no_change() -> None:
    deployment = InMemoryDeployment()
    for end, refusal in (("answer", AlreadyAnswered), ("revoke", PauseRevoked), ("expire", PauseExpired)):
        minted = deployment.mint(**LONGER, answerers=PEOPLE, idempotency_key=end)
        at = END if end == "expire" else NOW + 120
        if end == "answer":
            deployment.resume(minted)
        if end == "revoke":
            asyncio.run(deployment.inbox.revoke(minted.claims.jti, by="olga", at=NOW + 60))
        with pytest.raises(refusal):
            extend(deployment, minted, LATEST, at=at)
        with pytest.raises(refusal):
            reassign(deployment, minted, "ada", "eve", at=at)
    with pytest.raises(UnknownPause):
        asyncio.run(deployment.amendments.extend("unknown", at=NOW, until=LATEST))


def test_a_mint_that_is_repeated_gets_the_deadline_as_it_is_now() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**LONGER, idempotency_key="k")
    extend(deployment, minted, LATEST)
    again = deployment.mint(**LONGER, idempotency_key="k", at=NOW + 90)
    assert (again.claims.jti, again.expires_at) == (minted.claims.jti, LATEST)


def test_another_person_is_asked_and_the_link_of_the_first_is_void() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(answerers=PEOPLE)
    changed = reassign(deployment, minted, "ADA", "eve").row
    assert changed.answerers == Answerers(approvers=("bob", "eve"), recipients=("ada", "bob", "eve"))
    assert changed.revoked_links == ("ada",)
    assert announced(deployment) == [PauseEventType.ISSUED, PauseEventType.REASSIGNED]
    assert deployment.events.events[-1].change == 1
    row = row_of(deployment, minted)
    assert (row.to_announce, row.due_at) == (None, END)
    links = asyncio.run(deployment.links.of(minted.claims.jti, at=NOW + 90)).tokens.links
    # Every link of a person who stays is the one of before.
    assert (links["bob"], set(links)) == (minted.tokens.links["bob"], {"bob", "eve"})
    with pytest.raises(LinkRevoked):
        _answer(deployment, minted, minted.tokens.links["ada"])
    with pytest.raises(AnswererNotAllowed):
        deployment.resume(minted, answered_by="ada")
    assert _answer(deployment, minted, links["eve"]).answered_by == "eve"


def test_a_second_request_to_reassign_changes_nothing() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(answerers=PEOPLE)
    reassign(deployment, minted, "ada", "eve")
    again = reassign(deployment, minted, "ada", "eve", at=NOW + 99)
    assert (again.replayed, again.row) == (True, row_of(deployment, minted))
    assert len(again.row.changes) == 1


@pytest.mark.parametrize(
    ("leaving", "to", "field"),
    [
        ("cyd", "eve", "from"),
        ("ada", "bob", "to"),
        ("ada", "zoe", "to"),
        ("ada", "policy", "to"),
        ("ada", "x" * 257, "to"),
    ],
)
def test_people_who_cannot_change_places_are_refused(leaving: str, to: str, field: str) -> None:
    deployment = InMemoryDeployment()
    people = Answerers(approvers=("ada", "bob"), recipients=("ada", "bob"), requester="zoe", requester_may_answer=False)
    minted = deployment.mint(answerers=people)
    with pytest.raises(InvalidRequest) as refused:
        reassign(deployment, minted, leaving, to)
    assert [error.field for error in refused.value.errors] == [field]
    assert row_of(deployment, minted).changes == ()


def test_a_person_who_has_left_is_not_asked_again_and_five_changes_are_the_most() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(answerers=PEOPLE)
    for number in range(5):
        reassign(deployment, minted, "ada" if number == 0 else f"eve{number - 1}", f"eve{number}")
    for leaving, to in (("bob", "ada"), ("bob", "cyd")):
        with pytest.raises(InvalidRequest):
            reassign(deployment, minted, leaving, to)


def test_the_floor_holds_for_the_person_who_is_asked_instead() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(answerers=PEOPLE)
    amendments = Amendments(
        inbox=deployment.inbox,
        ledger=deployment.ledger,
        delivery=deployment.delivery,
        floors={"ask_user": Floor(recipients=("*@example.com",))},
    )
    with pytest.raises(InvalidRequest) as refused:
        asyncio.run(amendments.reassign(minted.claims.jti, leaving="ada", to="eve", by="olga", at=NOW))
    assert [error.field for error in refused.value.errors] == ["to"]


def test_a_change_whose_event_is_lost_is_announced_by_the_sweep() -> None:
    class Busy(InMemoryEvents):
        async def publish(self, event: Any) -> None:
            raise StoreUnavailable(reason="busy")

    deployment = InMemoryDeployment()
    minted = deployment.mint(answerers=PEOPLE)
    bus, deployment.events = deployment.events, Busy()
    assert not reassign(deployment, minted, "ada", "eve").replayed
    row = row_of(deployment, minted)
    assert (row.status, row.to_announce, row.due_at) == (PauseStatus.ISSUED, 1, NOW + 120)
    assert deployment.sweep(at=NOW + 120).done == {"RowFailed": 1}
    deployment.events = bus
    assert deployment.sweep(at=NOW + 180).done == {"ChangeAnnounced": 1}
    assert (row_of(deployment, minted).to_announce, row_of(deployment, minted).due_at) == (None, END)
    assert announced(deployment) == [PauseEventType.ISSUED, PauseEventType.REASSIGNED]


def test_an_extension_leaves_a_change_that_is_not_announced_due() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(answerers=PEOPLE, **LONGER)
    row = row_of(deployment, minted)
    deployment.ledger.rows[row.claims.jti] = row.changed(
        row.people.with_added(["eve"]), ChangeKind.ESCALATED, at=NOW + 60, alarm_seconds=0
    ).applied_to(row)
    assert extend(deployment, minted, LATEST).row.due_at == NOW + 120


def _answer(deployment: InMemoryDeployment, minted: MintedPause, token: str) -> Any:
    return deployment.resume(
        minted,
        token=token,
        redeemer=Redeemer(scope=None),
        audiences=frozenset({Audience.ANSWER}),
        answered_via=AnsweredVia.LINK,
        answered_by="link",
        require_turn=False,
    )
