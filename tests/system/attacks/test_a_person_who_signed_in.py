"""Attack: a person with a true sign-in answers what is for others, or as another person, or in another scope."""

from typing import Any

import pytest

from tests.support.function_deployment import Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import PERSON


def signed_in(person: str, **claims: Any) -> dict[str, Any]:
    return {"claims": {**PERSON, "sub": person, **claims}}


@pytest.mark.cannot("answer if the pause names other approvers")
@pytest.mark.parametrize(
    "people",
    [
        {"approvers": ["ada@example.com"]},
        {"approvers": ["mallory@example.org"]},
        {"requester": "Mallory@Example.com", "requester_may_answer": False},
    ],
)
def test_a_sign_in_of_a_person_who_may_not_answer_is_refused(handlers: Handlers, people: dict[str, Any]) -> None:
    pause = handlers.pause(**people)
    mallory = signed_in("mallory@example.com")
    require_problem(handlers.post("/user/answers", pause.answer(), **mallory), 403, "answerer-not-allowed")
    resume = {"pause_token": pause.minted["pause_token"], "response": pause.response()}
    require_problem(handlers.post("/user/resume", resume, **mallory), 403, "answerer-not-allowed")
    other = signed_in(people.get("approvers", ["bob@example.com"])[0])
    assert handlers.post("/user/answers", pause.answer(), **other).status == 200


@pytest.mark.cannot("choose scope or name")
@pytest.mark.parametrize(
    "chosen",
    [
        {"answerer": "ciso@example.com"},
        {"answered_by": "ciso@example.com"},
        {"sub": "ciso@example.com"},
        {"scope": {"tenant_id": "globex"}},
        {"tenant_id": "globex"},
        {"claims": {"sub": "ciso@example.com"}},
    ],
)
def test_a_name_or_a_scope_in_the_body_changes_nothing(handlers: Handlers, chosen: dict[str, Any]) -> None:
    """The fields of the backend's route are ignored, and others are refused."""
    pause = handlers.pause()
    mallory = signed_in("mallory@example.com")
    answered = handlers.post("/user/answers", pause.answer(**chosen), **mallory)
    if not chosen.keys() <= {"answerer", "scope"}:
        require_problem(answered, 400, "bad-request")
        answered = handlers.post("/user/answers", pause.answer(), **mallory)
    assert (answered.document["answered_by"], answered.document["assurance"]) == ("mallory@example.com", "signed_in")


@pytest.mark.cannot("choose scope or name")
@pytest.mark.parametrize("claims", [{"tenant_id": "globex"}, {"sub_tenant_id": "us"}, {"namespace": "payroll"}])
def test_a_sign_in_of_another_scope_is_refused(handlers: Handlers, claims: dict[str, str]) -> None:
    pause = handlers.pause()
    for body in (pause.answer(), pause.answer(scope=pause.request["scope"])):
        refused = handlers.post("/user/answers", body, **signed_in("mallory@example.com", **claims))
        require_problem(refused, 403, "scope-mismatch")
    assert handlers.redeems(pause)
