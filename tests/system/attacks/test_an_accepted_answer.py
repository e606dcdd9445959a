"""Attack: a principal of the account spends a token twice, or changes an answer that was accepted."""

from collections.abc import Callable

import pytest

from tests.support.function_deployment import Answer, Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import PERSON, Pause

WAYS: dict[str, Callable[[Handlers, Pause, str], Answer]] = {
    "resume": lambda handlers, pause, choice: handlers.post(
        "/resume", pause.resume(response=pause.response(choice), answerer="bob")
    ),
    "link": lambda handlers, pause, choice: handlers.post("/answers", pause.answer(response=pause.response(choice))),
    "signed in": lambda handlers, pause, choice: handlers.post(
        "/user/answers", pause.answer(response=pause.response(choice)), claims={**PERSON, "sub": "eve"}
    ),
}


@pytest.mark.cannot("spend a token twice, or change an accepted answer")
@pytest.mark.parametrize("first", WAYS)
def test_an_answer_is_accepted_once_and_stays_as_it_is(deployment: Deployment, handlers: Handlers, first: str) -> None:
    pause = handlers.pause(idempotency_key=f"accepted-{first}")
    assert WAYS[first](handlers, pause, "Approve").status == 200
    row = deployment.item(deployment.row_key(pause))
    for name, answer in WAYS.items():
        require_problem(answer(handlers, pause, "Reject"), 409, "already-answered")
        if name != first:
            require_problem(answer(handlers, pause, "Approve"), 409, "already-answered")
    assert handlers.revoke(pause.minted["jti"]).said == (409, "already-answered")
    assert handlers.redrive(pause.minted["jti"]).status == 409
    handlers.post("/pauses", pause.request)
    handlers.invoke("sweep", {})
    assert deployment.item(deployment.row_key(pause)) == row


@pytest.mark.cannot("spend a token twice, or change an accepted answer")
def test_two_answers_that_arrive_together_are_one(deployment: Deployment, handlers: Handlers) -> None:
    """The second one has read the pause as open, and its write comes after the first one's."""
    pause = handlers.pause()
    answers: list[Answer] = []

    def overtake() -> None:
        answers.append(WAYS["link"](handlers, pause, "Approve"))

    with deployment.probe.overtaken("UpdateItem", overtake):
        late = WAYS["resume"](handlers, pause, "Reject")
    assert [answer.status for answer in answers] == [200]
    require_problem(late, 409, "already-answered")
    assert handlers.get(f"/pauses/{pause.minted['jti']}").document["assurance"] == "link"
