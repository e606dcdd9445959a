"""A decision by several people: it runs when enough of them say yes to the same thing, and never before."""

from typing import Any

import pytest

from tests.support.function_deployment import Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import SCOPE, a_question
from tests.support.several import NO, YES, Several

A_LARGE_ACTION = {"title": "Pay?", "action": {"name": "pay", "arguments": {"to": "x" * 5000}}}


def test_the_vote_that_completes_the_quorum_is_the_answer(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 2})
    first = several.vote("ada", {**YES, "comment": "Fine"})
    assert (first.status, first.document["status"], first.document["quorum"]["approved"]) == (202, "issued", 1)
    require_problem(several.outcome(), 409, "not-answered")
    last = several.vote("bob")
    assert (last.status, last.document["status"], last.document["answered_by"]) == (200, "answered", "bob")
    outcome = several.outcome().document
    assert outcome["response"]["arguments"] == {"amount": 10, "to": "Lovelace"}
    assert [(vote["by"], vote["decision"], vote["comment"], vote["counts"]) for vote in outcome["votes"]] == [
        ("ada", "approve", "Fine", True),
        ("bob", "approve", None, True),
    ]
    require_problem(several.vote("cyd"), 409, "already-answered")


def test_a_vote_that_comes_again_gets_its_receipt_and_another_one_is_refused(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 2})
    first = several.vote("ada")
    again = several.vote("ada")
    assert again.document == {**first.document, "replayed": True}
    require_problem(several.vote("ada", NO), 409, "already-voted")
    assert several.question("bob")["quorum"]["approved"] == 1
    several.vote("bob")
    settled = several.vote("ada")
    assert (settled.status, settled.document["answered_by"], settled.document["replayed"]) == (200, "ada", True)


def test_one_veto_ends_it_and_nothing_runs(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 2})
    several.vote("ada")
    veto = several.vote("bob", {**NO, "comment": "Too much"})
    assert (veto.status, veto.document["status"]) == (200, "answered")
    outcome = several.outcome().document
    assert (outcome["response"]["decision"], outcome["response"]["arguments"]) == ("reject", None)


def test_without_a_veto_it_ends_when_the_quorum_cannot_be_reached(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 4, "veto": False})
    assert several.vote("ada", NO).document["status"] == "issued"
    assert several.vote("bob").document["status"] == "issued"
    assert several.vote("cyd", NO).document["status"] == "answered"
    assert several.outcome().document["response"]["decision"] == "reject"


def test_yeses_to_other_values_do_not_add_up(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 2})
    several.vote("ada")
    other = several.vote("bob", {**YES, "edits": {"amount": 9}})
    assert (other.document["status"], other.document["quorum"]["approved"]) == ("issued", 1)
    assert several.question("cyd")["proposal"]["arguments"]["amount"] == 9
    assert several.vote("ada", {**YES, "edits": {"amount": 9}}).document["status"] == "answered"
    outcome = several.outcome().document
    assert outcome["response"]["arguments"]["amount"] == 9
    assert [(vote["by"], vote["round"], vote["counts"]) for vote in outcome["votes"]] == [
        ("ada", 1, False),
        ("bob", 2, True),
        ("ada", 2, True),
    ]


def test_hidden_votes_are_seen_at_the_end(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 3, "hidden": True})
    several.vote("ada")
    receipt = several.vote("bob").document
    for seen in (several.question("cyd"), receipt):
        assert seen["votes"] == []
        assert seen["quorum"] == {
            "needed": 3, "members": 5, "veto": True, "round": 1, "voted": 2, "approved": None, "rejected": None,
        }  # fmt: skip
    several.vote("cyd")
    assert len(several.question("dan")["votes"]) == 3


@pytest.mark.parametrize(
    ("over", "field"),
    [
        ({"quorum": {"needed": 6}}, "quorum.needed"),
        ({"quorum": {"needed": 1}}, "quorum.needed"),
        ({"quorum": {"needed": 2}, "approvers": [], "recipients": ["ada"]}, "quorum.needed"),
        ({"quorum": {}}, "quorum.needed"),
        (
            {
                "quorum": {"needed": 2}, "approvers": ["ada", "bob"], "recipients": ["bob"], "requester": "ADA",
                "requester_may_answer": False,
            },
            "quorum.needed",
        ),
        ({"name": "ask_user", "payload": {"questions": [a_question()]}}, "quorum"),
        ({"payload": A_LARGE_ACTION}, "payload.action.arguments"),
        ({"on_expiry": {"policy": "default", "response": YES}}, "on_expiry.response"),
    ],
)  # fmt: skip
def test_a_quorum_that_cannot_be_reached_is_refused(handlers: Handlers, over: dict[str, Any], field: str) -> None:
    refused = Several(handlers, **{"quorum": {"needed": 2}, **over}).reply
    require_problem(refused, 400, "bad-request")
    assert field in [each["field"] for each in refused.document["errors"]]


def test_a_backend_does_not_get_the_turn_before_the_end(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 2})
    body = {"pause_token": several.minted["pause_token"], "scope": SCOPE, "response": YES}
    first = handlers.post("/resume", {**body, "answerer": "ada"})
    assert (first.status, "turn" in first.document) == (202, False)
    last = handlers.post("/resume", {**body, "answerer": "bob"})
    assert (last.status, len(last.document["turn"]["messages"])) == (200, 2)


def test_a_person_outside_the_roster_does_not_vote(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 2})
    body = {"pause_token": several.minted["pause_token"], "scope": SCOPE, "response": YES, "answerer": "mallory"}
    require_problem(handlers.post("/resume", body), 403, "answerer-not-allowed")


def test_a_backend_that_needs_the_turn_does_not_vote_without_one(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 2}, messages=..., idempotency_key="votes without a turn")
    require_problem(several.vote_stated("ada"), 424, "turn-missing")
    assert several.question("bob")["quorum"]["voted"] == 0
    assert [several.vote(person).status for person in ("ada", "bob")] == [202, 200]


def test_a_mint_says_that_too_few_people_have_a_way_to_vote(deployment: Deployment) -> None:
    handlers = deployment.load(ASKBACK_SIGN_IN="none")
    few = {"recipients": ["ada"], "least_assurance": "personal_link"}
    assert "1 of the 2 people" in Several(handlers, {"needed": 2}, **few).minted["unanswerable"]
    assert "unanswerable" not in Several(handlers, {"needed": 2}, least_assurance="personal_link").minted
