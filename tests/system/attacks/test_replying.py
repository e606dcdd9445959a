"""A program that adds to its question by replies: no answer to less than people can read now counts."""

from typing import Any

import pytest

from tests.support.function_deployment import Answer, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import SCOPE
from tests.support.several import YES, Several

OTHER = "arn:aws:sts::123456789012:assumed-role/other-agent/session"


def asked(handlers: Handlers) -> Several:
    """Return a pause on which one of two has voted, and another one has asked back."""
    several = Several(handlers, {"needed": 2}, about={"takes_questions": True})
    several.vote("ada")
    body = {"answer_token": several.link("bob"), "question": "Is this the whole amount?"}
    assert handlers.post("/clarifications", body).status == 201
    return several


def clarify(several: Several, body: dict[str, Any], **options: Any) -> Answer:
    return several.handlers.post(f"/pauses/{several.minted['jti']}/clarifications", body, **options)


@pytest.mark.cannot("add to a question behind the back of people")
def test_nothing_that_was_said_before_the_reply_counts_after_it(handlers: Handlers) -> None:
    several = asked(handlers)
    seen = several.question("bob")["request_hash"]
    assert clarify(several, {"number": 1, "reply": "No. The rest is 90,000."}).status == 200
    token = several.minted["pause_token"]
    for over in ({}, {"request_hash": seen}):
        require_problem(
            handlers.post("/answers", {"answer_token": several.link("bob"), "response": YES, **over}),
            409,
            "question-changed",
        )
        stated = {"pause_token": token, "scope": SCOPE, "response": YES, "answerer": "bob", **over}
        require_problem(handlers.post("/resume", stated), 409, "question-changed")
    item = {"answer_token": several.link("bob"), "response": YES, "request_hash": seen}
    batch = handlers.post("/answers/batch", {"items": [item]}).document["items"]
    assert [item["problem"]["code"] for item in batch] == ["question-changed"]
    require_problem(several.outcome(), 409, "not-answered")
    assert several.question("bob")["quorum"]["approved"] == 0


@pytest.mark.cannot("reply where no person has asked")
def test_a_reply_belongs_to_one_question_and_stays(handlers: Handlers) -> None:
    several = asked(handlers)
    for number in (0, 2, -1, 10**9):
        require_problem(clarify(several, {"number": number, "reply": "More."}), 400, "bad-request")
    for body in ({}, {"number": 1, "reply": "More."}):
        require_problem(clarify(several, body, arn=OTHER), 404, "unknown-pause")
    assert clarify(several, {"number": 1, "reply": "Yes."}).status == 200
    known = several.question("bob")["request_hash"]
    require_problem(clarify(several, {"number": 1, "reply": "No."}), 400, "bad-request")
    assert several.question("bob")["request_hash"] == known
