"""Open pauses of a stack of before, as version 6aabda9 wrote them: after the update people answer them as always.

The file has the rows, the records and the tokens that it gave out for one pause of each kind. In that version a mint's
reply had the links, a token had all claims of its pause, and a row had neither a hash nor a floor.
"""

import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.support.clock import SetClock
from tests.support.function_deployment import Answer, Handlers
from tests.support.problems import require_problem
from tests.support.recorded_samples import PAUSES_OF_BEFORE
from tests.support.request_bodies import PERSON, Pause

AT: Final = PAUSES_OF_BEFORE["at"]
PAUSES: Final = {
    name: Pause(request=found["request"], minted=found["minted"]) for name, found in PAUSES_OF_BEFORE["pauses"].items()
}


@pytest.fixture
def clock() -> SetClock:
    """A minute after the mint, unless a test says otherwise."""
    return SetClock(AT + 60)


@pytest.fixture
def updated(updated_over: Callable[..., Handlers], clock: SetClock) -> Handlers:
    """The functions of today with their default reply, over the table and the keys of the version before."""
    return updated_over(PAUSES_OF_BEFORE, clock, ASKBACK_RETURN_LINKS="false")


def outcome(handlers: Handlers, pause: Pause) -> dict[str, Any]:
    body = {"pause_token": pause.minted["pause_token"], "scope": pause.request["scope"]}
    fetched = handlers.post("/outcomes", body)
    assert fetched.status == 200, fetched.document
    return fetched.document


WAYS: dict[str, Callable[[Handlers, Pause], Answer]] = {
    "link": lambda handlers, pause: handlers.post("/answers", pause.answer()),
    "stated": lambda handlers, pause: handlers.post("/resume", pause.resume(answerer="bob@example.com")),
    "signed_in": lambda handlers, pause: handlers.post("/user/answers", pause.answer(), claims=PERSON),
}


@pytest.mark.parametrize("assurance", WAYS)
def test_an_open_pause_is_answered_in_every_way_and_its_backend_goes_on(updated: Handlers, assurance: str) -> None:
    pause = PAUSES["plain"]
    shown = updated.post("/questions", {"answer_token": pause.minted["answer_token"]})
    assert shown.document["payload"] == pause.minted["payload"]
    answered = WAYS[assurance](updated, pause)
    assert answered.status == 200, answered.document
    got = outcome(updated, pause)
    assert (got["assurance"], got["by_policy"]) == (assurance, False)
    assert "Refund order A-1009" in json.dumps(got)


def test_the_approvers_of_a_pause_of_before_are_those_it_was_minted_with(updated: Handlers) -> None:
    pause = PAUSES["people"]
    (ada,) = pause.minted["recipients"]
    require_problem(updated.post("/answers", pause.answer()), 403, "answerer-not-allowed")
    eve = {"claims": {**PERSON, "sub": "eve@example.com"}}
    require_problem(updated.post("/user/answers", pause.answer(), **eve), 403, "answerer-not-allowed")
    answered = updated.post("/answers", pause.answer(answer_token=ada["answer_token"])).document
    assert (answered["answered_by"], answered["assurance"]) == ("ada@example.com", "personal_link")


def test_an_approval_of_before_is_given(updated: Handlers) -> None:
    pause = PAUSES["approval"]
    body = {"answer_token": pause.minted["answer_token"], "response": {"decision": "approve"}}
    answered = updated.post("/user/answers", body, claims=PERSON)
    assert answered.status == 200, answered.document
    assert outcome(updated, pause)["response"]["decision"] == "approve"


def test_a_default_answer_of_before_is_given_when_the_time_is_up(updated: Handlers, clock: SetClock) -> None:
    pause = PAUSES["default"]
    clock.now = AT + 3601
    updated.invoke("sweep", {})
    got = outcome(updated, pause)
    assert (got["assurance"], got["by_policy"]) == ("policy", True)


def test_a_mint_without_a_key_that_is_repeated_leaves_the_pause_of_before_as_it_is(updated: Handlers) -> None:
    """The scope is now a part of the id, so it asks a second time; a mint with a key finds its pause."""
    pause = PAUSES["approval"]
    again = updated.post("/pauses", pause.request)
    assert again.status == 201
    assert again.document["jti"] != pause.minted["jti"]
    links = updated.post(f"/pauses/{pause.minted['jti']}/links", {}).document
    assert updated.post("/questions", {"answer_token": links["answer_token"]}).status == 200
