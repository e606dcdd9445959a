"""What an agent says about its question: recorded and hashed with it, shown with it, and no part of its payload."""

import json
from typing import Any

import pytest

from askback.domain.records.about import ABOUT_KEY
from tests.support.function_deployment import Handlers
from tests.support.page_questions import APPROVAL, FORM
from tests.support.problems import require_problem
from tests.support.request_bodies import a_mint

ABOUT: dict[str, Any] = {
    "asker": "Refund agent",
    "reason": "The customer returned the order on Monday.",
    "risk": "high",
    "if_answered": "The money is sent at once.",
    "contact": "finance@example.com",
    "markdown": ["description"],
}
FOR_APPROVAL: dict[str, Any] = {
    "if_approved": "The money is sent at once.",
    "if_rejected": "The customer gets a message.",
    "markdown": ["summary"],
}


def shown(handlers: Handlers, minted: dict[str, Any]) -> dict[str, Any]:
    reply = handlers.post("/questions", {"answer_token": minted["answer_token"]})
    assert reply.status == 200
    return reply.document


def test_it_is_shown_with_the_question_and_is_no_part_of_the_payload(handlers: Handlers) -> None:
    pause = handlers.pause(about=ABOUT)
    question = shown(handlers, pause.minted)
    assert question["about"] == ABOUT
    assert question["payload"] == pause.minted["payload"]
    resumed = handlers.post("/resume", pause.resume()).document
    assert resumed["payload"] == pause.minted["payload"]
    assert ABOUT_KEY not in json.dumps(resumed)


def test_a_question_without_it_says_null_and_is_recorded_as_before(handlers: Handlers) -> None:
    request = a_mint(idempotency_key="without-about")
    first = handlers.post("/pauses", request).document
    again = handlers.post("/pauses", {**request, "about": {}}).document
    assert shown(handlers, first)["about"] is None
    assert again["jti"] == first["jti"]


def test_it_is_a_part_of_what_the_token_and_the_answer_stand_for(handlers: Handlers) -> None:
    """The same question with another reason is another request, so an answer says which reason was read."""
    request = a_mint(idempotency_key="with-about", about=ABOUT)
    first = handlers.post("/pauses", request).document
    same = handlers.post("/pauses", request).document
    assert (same["jti"], same["expires_at"]) == (first["jti"], first["expires_at"])
    other = handlers.post("/pauses", {**request, "about": {**ABOUT, "reason": "Another reason."}})
    require_problem(other, 409, "pause-conflict")
    without = handlers.post("/pauses", {**request, "about": {}})
    require_problem(without, 409, "pause-conflict")
    alone = handlers.pause()
    assert shown(handlers, alone.minted)["request_hash"] != shown(handlers, first)["request_hash"]


@pytest.mark.parametrize(
    ("name", "payload", "about"),
    [("approval", APPROVAL, FOR_APPROVAL), ("form", FORM, {"markdown": ["description"], "asker": "Ops"})],
)
def test_every_interaction_takes_it_and_is_answered_as_without(
    handlers: Handlers, name: str, payload: dict[str, Any], about: dict[str, Any]
) -> None:
    minted = handlers.post("/pauses", a_mint(name=name, payload=payload, about=about)).document
    assert shown(handlers, minted)["about"] == about


@pytest.mark.parametrize(
    ("about", "field"),
    [
        ({"asker": "x" * 81}, "about.asker"),
        ({"reason": "x" * 501}, "about.reason"),
        ({"contact": "x" * 201}, "about.contact"),
        ({"if_answered": "x" * 201}, "about.if_answered"),
        ({"asker": "\u200b"}, "about.asker"),
        ({"reason": "\ud83d"}, "about.reason"),
        ({"risk": "extreme"}, "about.risk"),
        ({"if_approved": "Yes."}, "about.if_approved"),
        ({"markdown": ["label"]}, "about.markdown"),
        ({"markdown": ["description"] * 11}, "about.markdown"),
        ({"tone": "kind"}, "about.tone"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_its_field(handlers: Handlers, about: dict[str, Any], field: str) -> None:
    refused = handlers.post("/pauses", a_mint(about=about))
    require_problem(refused, 400, "bad-request")
    assert [each["field"] for each in refused.document["errors"]] == [field]


def test_an_approval_has_no_effect_of_an_answer(handlers: Handlers) -> None:
    refused = handlers.post("/pauses", a_mint(name="approval", payload=APPROVAL, about={"if_answered": "Paid."}))
    assert [each["field"] for each in refused.document["errors"]] == ["about.if_answered"]


def test_the_question_says_what_happens_without_an_answer_and_how_many_people_are_asked(handlers: Handlers) -> None:
    default = {"answers": [{"selections": ["Reject"]}]}
    pause = handlers.pause(on_expiry={"policy": "default", "response": default}, recipients=["ada", "bob"])
    question = handlers.post("/questions", {"pause_token": pause.minted["pause_token"]}).document
    assert question["asked_people"] == 2
    assert question["on_expiry"]["policy"] == "default"
    assert question["on_expiry"]["response"]["answers"][0]["selections"] == ["Reject"]
    amount = {"type": "object", "properties": {"amount": {"type": "number"}}}
    decimal = a_mint(
        name="form",
        payload={"title": "How much?", "schema": amount},
        on_expiry={"policy": "default", "response": {"amount": 0.1}},
    )
    assert shown(handlers, handlers.post("/pauses", decimal).document)["on_expiry"]["response"] == {"amount": 0.1}
    open_to_all = shown(handlers, handlers.pause().minted)
    assert (open_to_all["on_expiry"], open_to_all["asked_people"]) == ({"policy": "fail"}, 0)
