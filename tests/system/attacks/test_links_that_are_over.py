"""A link that was revoked, a link after the end, and a question that a person who signed in names by its id."""

from typing import Any

import pytest

from tests.support.function_deployment import Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import PERSON, Pause, a_question

SECRET = "a question for its people alone"
PEOPLE = ["ada@example.com", "bob@example.com"]


def asked(handlers: Handlers, **over: Any) -> Pause:
    return handlers.pause(payload={"questions": [a_question(question=SECRET)]}, **over)


@pytest.mark.cannot("use the link once an operator has")
def test_the_holder_of_a_revoked_link_neither_reads_nor_answers(handlers: Handlers) -> None:
    pause = asked(handlers, recipients=PEOPLE)
    stolen, good = (each["answer_token"] for each in pause.minted["recipients"])
    revoked = handlers.post(f"/pauses/{pause.minted['jti']}/links/revoke", {"recipient": PEOPLE[0]})
    assert revoked.status == 200
    for path, body in (("/questions", {"answer_token": stolen}), ("/answers", pause.answer(answer_token=stolen))):
        refused = handlers.post(path, body)
        require_problem(refused, 410, "link-revoked")
        assert SECRET not in str(refused.document)
    # Also with a sign-in: the link gives nothing any more.
    require_problem(handlers.post("/user/answers", pause.answer(answer_token=stolen)), 410, "link-revoked")
    assert handlers.post("/answers", pause.answer(answer_token=good)).document["answered_by"] == PEOPLE[1]


@pytest.mark.cannot("read the question after the end")
@pytest.mark.parametrize("how", ["answered", "revoked"])
def test_the_holder_of_a_link_without_a_name_does_not_read_the_question_after_the_end(
    handlers: Handlers, how: str
) -> None:
    pause = asked(handlers, recipients=PEOPLE)
    token = pause.minted["answer_token"]
    assert SECRET in str(handlers.post("/questions", {"answer_token": token}).document)
    if how == "answered":
        assert handlers.post("/answers", pause.answer()).status == 200
    else:
        assert handlers.revoke(pause.minted["jti"]).status == 200
    shown = handlers.post("/questions", {"answer_token": token})
    assert (shown.status, shown.document["status"]) == (200, how)
    assert SECRET not in str(shown.document)
    assert pause.request["run_id"] not in str(shown.document)


@pytest.mark.cannot("learn whether another scope has a pause")
def test_a_person_who_signed_in_reads_by_the_id_no_question_of_other_approvers_or_of_another_scope(
    handlers: Handlers,
) -> None:
    pause = asked(handlers, approvers=["ada"])
    body = {"jti": pause.minted["jti"]}
    answer = {**body, "response": pause.response()}
    for path, sent in (("/user/questions", body), ("/user/answers", answer)):
        eve = handlers.post(path, sent, claims={**PERSON, "sub": "eve"})
        require_problem(eve, 403, "answerer-not-allowed")
        elsewhere = handlers.post(path, sent, claims={**PERSON, "tenant_id": "other"})
        require_problem(elsewhere, 404, "unknown-pause")
        assert SECRET not in str(eve.document) + str(elsewhere.document)
        nothing = handlers.post(path, {**sent, "jti": "f" * 32})
        assert nothing.document == elsewhere.document
    assert handlers.post("/user/answers", answer).document["answered_by"] == "ada"
