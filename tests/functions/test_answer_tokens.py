"""Answer tokens: short whatever the ids of the pause are, of their own pause alone, and those of earlier versions."""

from typing import Any

import pytest

from askback.domain.pause.claims import Audience
from tests.support.function_deployment import Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import Pause

LINK_MAX_CHARACTERS = 300
ANSWER_URL = "https://abcdefghij.execute-api.ap-southeast-2.amazonaws.com/answer"
LONGEST: dict[str, Any] = {
    "run_id": "r" * 256,
    "session_id": "s" * 256,
    "tool_call_id": "c" * 512,
    "interrupt_id": "i" * 256,
    "thread_id": "t" * 1024,
    "checkpoint_id": "k" * 256,
    "recipients": ["p" * 255 + chr(ord("a") + number) for number in range(20)],
    "ttl_seconds": 30 * 24 * 3600,
    "messages": ...,
}


def as_before(deployment: Deployment, pause: Pause, recipient: str = "") -> str:
    """Return the answer token that earlier versions issued, with all claims of the pause."""
    claims = deployment.claims(pause.minted["pause_token"])
    return deployment.sign({**claims, "aud": Audience.ANSWER.value, **({"sub": recipient} if recipient else {})})


def test_a_link_has_at_most_300_characters_at_every_limit_of_every_id(deployment: Deployment) -> None:
    pause = deployment.load(ASKBACK_ANSWER_URL=ANSWER_URL).pause(**LONGEST)
    links = [pause.minted["answer_link"], *(each["answer_link"] for each in pause.minted["recipients"])]
    assert len(links) == 21
    assert max(map(len, links)) <= LINK_MAX_CHARACTERS


def test_each_recipient_answers_by_their_own_link_alone(handlers: Handlers) -> None:
    people = ["ada", "bob", "eve"]
    for place, person in enumerate(people):
        pause = handlers.pause(recipients=people)
        token = pause.minted["recipients"][place]["answer_token"]
        shown = handlers.post("/questions", {"answer_token": token}).document
        answered = handlers.post("/answers", pause.answer(answer_token=token)).document
        assert (shown["recipient"], answered["answered_by"], answered["assurance"]) == (person, person, "personal_link")


def test_a_token_of_an_earlier_version_still_shows_and_answers(deployment: Deployment, handlers: Handlers) -> None:
    for recipient, known_as in (("", "link"), ("bob", "personal_link")):
        pause = handlers.pause(recipients=["ada", "bob"])
        token = as_before(deployment, pause, recipient)
        assert handlers.post("/questions", {"answer_token": token}).document["recipient"] == recipient
        answered = handlers.post("/answers", pause.answer(answer_token=token)).document
        assert (answered["answered_by"], answered["assurance"]) == (recipient or "link", known_as)


@pytest.mark.parametrize(
    "over",
    [
        {"jti": "f" * 32}, {"jti": 1}, {"jti": ""}, {"exp": "soon"}, {"aud": "resume"}, {"aud": ...},
        {"n": 3}, {"n": -1}, {"n": True}, {"n": "1"},
    ],
)  # fmt: skip
def test_a_token_that_is_not_of_its_row_is_rejected(
    deployment: Deployment, handlers: Handlers, over: dict[str, Any]
) -> None:
    pause = handlers.pause(recipients=["ada", "bob"])
    claims = {**deployment.claims(pause.minted["answer_token"]), **over}
    token = deployment.sign({name: value for name, value in claims.items() if value is not ...})
    require_problem(handlers.post("/questions", {"answer_token": token}), 401, "token-rejected")
    require_problem(handlers.post("/answers", pause.answer(answer_token=token)), 401, "token-rejected")
    assert handlers.redeems(pause)


@pytest.mark.parametrize(("in_the_token", "in_the_row"), [(1, 4_000_000_000), (4_000_000_000, 1)])
def test_of_two_expiries_the_earlier_holds(
    deployment: Deployment, handlers: Handlers, in_the_token: int, in_the_row: int
) -> None:
    pause = handlers.pause()
    deployment.put({**deployment.item(deployment.row_key(pause)), "exp": {"N": str(in_the_row)}})
    token = deployment.sign({**deployment.claims(pause.minted["answer_token"]), "exp": in_the_token})
    require_problem(handlers.post("/answers", pause.answer(answer_token=token)), 410, "expired")


def test_an_answer_token_says_nothing_of_the_pause_but_its_id(deployment: Deployment, handlers: Handlers) -> None:
    pause = handlers.pause(recipients=["ada"])
    (link,) = pause.minted["recipients"]
    assert set(deployment.claims(link["answer_token"])) == {"jti", "exp", "aud", "n"}
