"""Attack: a person who has a link answers for another, reads what the agent and its model said, or answers again."""

import json

import pytest

from tests.support.function_deployment import Handlers
from tests.support.problems import require_problem

SAID = "Refund order A-1009"
"""What the transcript of every pause of these tests says, and the question does not."""


@pytest.mark.cannot("answer for an approver with a link that names no person")
def test_a_link_that_names_no_person_is_no_approver(handlers: Handlers) -> None:
    pause = handlers.pause(approvers=["ciso@example.com"], recipients=["ciso@example.com"])
    require_problem(handlers.post("/answers", pause.answer()), 403, "answerer-not-allowed")
    (own,) = pause.minted["recipients"]
    answered = handlers.post("/answers", pause.answer(answer_token=own["answer_token"])).document
    assert (answered["answered_by"], answered["assurance"]) == ("ciso@example.com", "personal_link")


@pytest.mark.cannot("get the turn")
def test_a_link_does_not_give_the_turn_before_or_after_the_answer(handlers: Handlers) -> None:
    pause = handlers.pause()
    token = pause.minted["answer_token"]
    scope = pause.request["scope"]

    def given() -> str:
        """Try each route, signed or not, and return what the token was given."""
        for path, body in (
            ("/outcomes", {"pause_token": token, "scope": scope}),
            ("/resume", pause.resume(pause_token=token)),
            ("/user/resume", {"pause_token": token, "response": pause.response()}),
        ):
            require_problem(handlers.post(path, body), 401, "token-rejected")
        return json.dumps(handlers.post("/questions", {"answer_token": token}).document)

    assert SAID not in given()
    for _ in range(2):
        answered = handlers.post("/answers", pause.answer())
        assert answered.status == 200
        assert SAID not in json.dumps(answered.document)
    assert SAID not in given()
    # The control: the pause token of the backend does give it.
    outcome = handlers.post("/outcomes", {"pause_token": pause.minted["pause_token"], "scope": scope})
    assert SAID in json.dumps(outcome.document)


@pytest.mark.cannot("answer again in another way")
def test_a_second_answer_is_refused_and_the_first_one_stands(handlers: Handlers) -> None:
    pause = handlers.pause(recipients=["bob"])
    (bob,) = pause.minted["recipients"]
    first = handlers.post("/answers", pause.answer())
    assert first.status == 200
    for other in (
        pause.answer(response=pause.response("Reject")),
        pause.answer(answer_token=bob["answer_token"]),
        pause.answer(answer_token=bob["answer_token"], response=pause.response("Reject")),
    ):
        require_problem(handlers.post("/answers", other), 409, "already-answered")
    again = handlers.post("/answers", pause.answer()).document
    assert again == {**first.document, "replayed": True}
