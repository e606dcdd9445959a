"""A person asks back instead of deciding: the asker replies, and only answers to the question with its reply count."""

from typing import Any

import pytest

from tests.support.clarifications import INVOICE, WHY, a_pause, ask, asked, reply
from tests.support.function_deployment import Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import PERSON, SCOPE
from tests.support.several import YES, Several

OTHER = "arn:aws:sts::123456789012:assumed-role/other-agent/session"


def test_the_asker_reads_the_question_and_people_read_its_reply(handlers: Handlers) -> None:
    several = a_pause(handlers)
    before = several.question("bob")
    taken = ask(several)
    assert (taken.status, taken.document["number"], taken.document["replayed"]) == (201, 1, False)
    [open_one] = asked(several).document["clarifications"]
    assert (open_one["by"], open_one["question"], open_one["reply"]) == ("ada", WHY, None)
    assert several.question("bob")["request_hash"] == before["request_hash"]
    replied = reply(several)
    assert (replied.status, replied.document["replayed"]) == (200, False)
    after = several.question("bob")
    assert after["clarifications"] == replied.document["clarifications"]
    assert after["clarifications"][0]["reply"] == INVOICE
    assert after["request_hash"] != before["request_hash"]


def test_an_answer_to_the_question_before_the_reply_is_refused(handlers: Handlers) -> None:
    several = a_pause(handlers, quorum=None)
    before = several.question("bob")
    ask(several)
    reply(several)
    answer = {"answer_token": several.link("bob"), "response": YES}
    require_problem(
        handlers.post("/answers", {**answer, "request_hash": before["request_hash"]}), 409, "question-changed"
    )
    require_problem(handlers.post("/answers", answer), 409, "question-changed")
    stated = {"pause_token": several.minted["pause_token"], "scope": SCOPE, "response": YES, "answerer": "bob"}
    require_problem(handlers.post("/resume", stated), 409, "question-changed")
    now = several.question("bob")["request_hash"]
    assert handlers.post("/answers", {**answer, "request_hash": now}).status == 200
    require_problem(handlers.post("/answers", {**answer, "answer_token": several.link("ada")}), 409, "already-answered")


def test_an_open_page_notices_the_reply(handlers: Handlers) -> None:
    several = a_pause(handlers)
    seen = several.question("bob")["request_hash"]
    assert "clarifications" not in several.question("bob", seen=seen)
    ask(several)
    looked = several.question("bob", seen=seen)
    assert looked["unchanged"]
    assert looked["clarifications"] == several.question("bob")["clarifications"]
    reply(several)
    changed = several.question("bob", seen=seen)
    assert ("unchanged" in changed, changed["clarifications"][0]["reply"]) == (False, INVOICE)
    assert several.question("bob", seen=changed["request_hash"])["unchanged"]


def test_votes_before_the_reply_are_void_and_their_members_vote_again(handlers: Handlers) -> None:
    several = a_pause(handlers)
    assert several.vote("ada").document["quorum"]["approved"] == 1
    ask(several, "bob")
    reply(several)
    shown = several.question("cyd")
    assert (shown["quorum"]["voted"], shown["quorum"]["round"], shown["voted_at"]) == (0, 2, None)
    assert [(vote["by"], vote["counts"]) for vote in shown["votes"]] == [("ada", False)]
    vote = {"response": YES, "request_hash": shown["request_hash"]}
    first = handlers.post("/answers", {"answer_token": several.link("ada"), **vote})
    assert (first.status, first.document["quorum"]["approved"]) == (202, 1)
    last = handlers.post("/answers", {"answer_token": several.link("bob"), **vote})
    assert (last.status, last.document["status"]) == (200, "answered")
    outcome = several.outcome().document
    assert [(vote["by"], vote["round"], vote["counts"]) for vote in outcome["votes"]] == [
        ("ada", 1, False),
        ("ada", 2, True),
        ("bob", 2, True),
    ]


def test_people_can_answer_while_there_is_no_reply(handlers: Handlers) -> None:
    several = a_pause(handlers, quorum=None)
    ask(several)
    assert several.handlers.post("/answers", {"answer_token": several.link("bob"), "response": YES}).status == 200
    require_problem(ask(several), 409, "already-answered")
    require_problem(reply(several), 409, "already-answered")


def test_what_is_sent_again_changes_nothing(handlers: Handlers) -> None:
    several = a_pause(handlers)
    first, again = ask(several), ask(several)
    assert again.document == {**first.document, "replayed": True}
    once, twice = reply(several), reply(several)
    assert twice.document == {**once.document, "replayed": True}
    other = reply(several, text="Another one.")
    require_problem(other, 400, "bad-request")
    assert [error["field"] for error in other.document["errors"]] == ["number"]
    # With its reply, the question can be asked once more.
    assert ask(several, request_hash=several.question("ada")["request_hash"]).document["number"] == 2


@pytest.mark.parametrize("question", ["", " \u200b", "x" * 1001, "\ud83d"])
def test_a_question_that_cannot_be_read_is_refused(handlers: Handlers, question: str) -> None:
    refused = ask(a_pause(handlers), question=question)
    require_problem(refused, 400, "bad-request")
    assert [error["field"] for error in refused.document["errors"]] == ["question"]


@pytest.mark.parametrize("over", [{"number": 0}, {"number": 2}, {"text": "x" * 2001}, {"text": ""}])
def test_a_reply_that_cannot_be_read_or_has_no_question_is_refused(handlers: Handlers, over: dict[str, Any]) -> None:
    several = a_pause(handlers)
    ask(several)
    require_problem(reply(several, **over), 400, "bad-request")
    assert asked(several).document["clarifications"][0]["reply"] is None


def test_there_is_a_limit_on_questions(handlers: Handlers) -> None:
    several = a_pause(handlers)
    assert [ask(several, question=f"Why {number}?").status for number in range(5)] == [201] * 5
    require_problem(ask(several, question="And why?"), 400, "bad-request")


def test_an_asker_that_takes_no_questions_gets_none(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 2})
    refused = ask(several)
    require_problem(refused, 400, "bad-request")
    assert several.question("ada")["clarifications"] == []


def test_only_people_who_may_answer_ask_back(handlers: Handlers) -> None:
    several = a_pause(handlers)
    body = {"answer_token": several.minted["answer_token"], "question": WHY}
    require_problem(handlers.post("/clarifications", body), 403, "answerer-not-allowed")
    mallory = handlers.post("/user/clarifications", body, claims={**PERSON, "sub": "mallory"})
    require_problem(mallory, 403, "answerer-not-allowed")
    by_id = {"jti": several.minted["jti"], "question": WHY}
    assert handlers.post("/user/clarifications", by_id, claims={**PERSON, "sub": "ada"}).status == 201
    elsewhere = {**PERSON, "sub": "ada", "tenant_id": "other"}
    require_problem(handlers.post("/user/clarifications", by_id, claims=elsewhere), 404, "unknown-pause")


def test_the_pause_of_another_program_looks_like_none(handlers: Handlers) -> None:
    several = a_pause(handlers)
    ask(several)
    for foreign in (asked(several, arn=OTHER), reply(several, arn=OTHER)):
        require_problem(foreign, 404, "unknown-pause")
    assert asked(several).document["clarifications"][0]["reply"] is None


def test_the_operator_sees_that_there_are_questions_and_not_what_they_say(handlers: Handlers) -> None:
    several = a_pause(handlers)
    ask(several)
    ask(several, "bob", "And why now?")
    reply(several)
    shown = handlers.get(f"/pauses/{several.minted['jti']}").document
    assert shown["questions"] == {"asked": 2, "open": 1}
    assert [(change["kind"], change["by"]) for change in shown["changes"]] == [
        ("questioned", "ada"),
        ("questioned", "bob"),
        ("clarified", "asker"),
    ]
    assert WHY not in str(shown)
