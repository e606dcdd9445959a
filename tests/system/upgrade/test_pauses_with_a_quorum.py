"""Pauses with a quorum, as the first version with one wrote them: they are read, voted on and audited as always.

A version that knows no quorum must refuse them: it would take the first vote for the answer.
"""

import hashlib
import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from askback.adapters.dynamodb import ledger_items
from askback.domain.errors import RowUnreadable
from tests.support.clock import SetClock
from tests.support.function_deployment import Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.recorded_samples import PAUSES_WITH_A_QUORUM
from tests.support.request_bodies import SCOPE, Pause

AT: Final = PAUSES_WITH_A_QUORUM["at"]
PAUSES: Final = PAUSES_WITH_A_QUORUM["pauses"]
YES: Final = {"decision": "approve"}


@pytest.fixture
def clock() -> SetClock:
    return SetClock(AT + 300)


@pytest.fixture
def updated(updated_over: Callable[..., Handlers], clock: SetClock) -> Handlers:
    return updated_over(PAUSES_WITH_A_QUORUM, clock)


def link_of(kind: str, person: str) -> str:
    links = {each["recipient"]: each["answer_token"] for each in PAUSES[kind]["minted"]["recipients"]}
    return str(links[person])


def vote(handlers: Handlers, kind: str, person: str, **response: Any) -> Any:
    return handlers.post("/answers", {"answer_token": link_of(kind, person), "response": {**YES, **response}})


def outcome(handlers: Handlers, kind: str) -> Any:
    return handlers.post("/outcomes", {"pause_token": PAUSES[kind]["minted"]["pause_token"], "scope": SCOPE})


def test_an_open_pause_with_one_vote_is_completed_by_a_second_one(updated: Handlers) -> None:
    require_problem(outcome(updated, "open"), 409, "not-answered")
    again = vote(updated, "open", "ada", comment="Checked")
    assert (again.status, again.document["replayed"], again.document["quorum"]["approved"]) == (202, True, 1)
    require_problem(vote(updated, "open", "ada"), 409, "already-voted")
    assert vote(updated, "open", "bob").status == 200
    votes = outcome(updated, "open").document["votes"]
    assert [(each["by"], each["comment"], each["counts"]) for each in votes] == [
        ("ada", "Checked", True),
        ("bob", None, True),
    ]


def test_the_deadline_of_the_row_counts_and_not_the_end_of_the_tokens(updated: Handlers, clock: SetClock) -> None:
    clock.now = AT + 3600
    require_problem(vote(updated, "open", "bob"), 410, "expired")
    updated.invoke("sweep", {})
    require_problem(outcome(updated, "open"), 410, "expired")


def test_a_decided_pause_has_its_outcome_and_its_receipts(updated: Handlers) -> None:
    decided = outcome(updated, "decided").document
    assert (decided["answered_by"], decided["response"]["arguments"]) == ("bob", {"amount": 10, "to": "Lovelace"})
    assert [each["by"] for each in decided["votes"]] == ["ada", "bob"]
    again = vote(updated, "decided", "ada", comment="Checked")
    assert (again.status, again.document["replayed"], again.document["answered_by"]) == (200, True, "ada")
    require_problem(vote(updated, "decided", "cyd"), 409, "already-answered")


def test_the_receipt_of_a_vote_is_given_again_after_the_tokens_have_ended(updated: Handlers, clock: SetClock) -> None:
    clock.now = AT + 86400
    for person, response in (("ada", {"comment": "Checked"}), ("bob", {})):
        again = vote(updated, "decided", person, **response)
        assert (again.status, again.document["replayed"], again.document["answered_by"]) == (200, True, person)
    require_problem(vote(updated, "decided", "ada"), 410, "expired")
    require_problem(vote(updated, "decided", "cyd"), 410, "expired")


def test_a_mint_that_is_repeated_finds_its_pause(updated: Handlers) -> None:
    again = updated.post("/pauses", PAUSES["open"]["request"])
    assert (again.status, again.document["jti"]) == (201, PAUSES["open"]["minted"]["jti"])
    fewer = {**PAUSES["open"]["request"], "quorum": {"needed": 3}}
    require_problem(updated.post("/pauses", fewer), 409, "pause-conflict")


@pytest.mark.parametrize("kind", PAUSES)
def test_a_version_without_a_quorum_refuses_the_row(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It knows the same hash of who may answer, of the default answer and of the waiter, and no more."""
    item = PAUSES[kind]["items"][0]
    assert ledger_items.read_row(item).quorum is not None
    people = [[each["S"] for each in item[name]["L"]] for name in ("approvers", "recipients")]
    said = [*people, "", True, None, False]
    known = [hashlib.sha256(json.dumps([*said[:-1], waits]).encode()).digest()[:6] for waits in (False, True)]
    assert item["terms"]["B"] not in known
    monkeypatch.setattr(ledger_items, "read_quorum", lambda _: None)
    monkeypatch.setattr(ledger_items, "read_votes", lambda _: ())
    with pytest.raises(RowUnreadable):
        ledger_items.read_row(item)


def test_the_hash_of_an_ordinary_row_is_what_that_version_knows(updated: Handlers, deployment: Deployment) -> None:
    request = {name: value for name, value in PAUSES["open"]["request"].items() if name != "quorum"}
    minted = updated.post("/pauses", {**request, "idempotency_key": "ordinary", "tool_call_id": "other"}).document
    item = deployment.item(deployment.row_key(Pause(request=request, minted=minted)))
    people = [[each["S"] for each in item[name]["L"]] for name in ("approvers", "recipients")]
    assert item["terms"]["B"] == hashlib.sha256(json.dumps([*people, "", True, None, False]).encode()).digest()[:6]
