"""Attack: a person answers under a second spelling of the own name, or under a name that askback records itself."""

from typing import Any

import pytest

from tests.support.function_deployment import Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import PERSON, a_mint

OTHER_SPELLINGS = ["ADA@example.com", " ada@example.com ", "ada@Example.COM"]
COMPOSED, DECOMPOSED = "jos\u00e9", "jose\u0301"
NO_NAMES = [
    "",
    "   ",
    "\u200b",
    "ada\u200b",
    "\u3164",
    "\ufe0fada",
    "policy",
    "Link",
    " direct",
    "IAM",
    "legacy engine",
]


def signed_in(person: str) -> dict[str, Any]:
    return {"claims": {**PERSON, "sub": person}}


@pytest.mark.cannot("answer if the pause names other approvers")
@pytest.mark.parametrize(
    ("requester", "spelling"), [*(("ada@example.com", name) for name in OTHER_SPELLINGS), (COMPOSED, DECOMPOSED)]
)
def test_an_excluded_requester_has_no_second_spelling(handlers: Handlers, requester: str, spelling: str) -> None:
    pause = handlers.pause(requester=requester, requester_may_answer=False)
    refused = handlers.post("/user/answers", pause.answer(), **signed_in(spelling))
    require_problem(refused, 403, "answerer-not-allowed")
    assert handlers.post("/user/answers", pause.answer(), **signed_in("bob")).document["answered_by"] == "bob"


@pytest.mark.parametrize("spelling", OTHER_SPELLINGS)
def test_an_approver_may_answer_under_every_spelling_and_gets_one_receipt(handlers: Handlers, spelling: str) -> None:
    pause = handlers.pause(approvers=["ada@example.com"])
    first = handlers.post("/user/answers", pause.answer(), **signed_in(spelling))
    again = handlers.post("/user/answers", pause.answer(), **signed_in("ada@example.com"))
    assert (first.status, first.document["replayed"], again.status, again.document["replayed"]) == (
        200,
        False,
        200,
        True,
    )
    assert again.document["answered_by"] == spelling


@pytest.mark.parametrize("people", [["ada", "ADA"], [COMPOSED, DECOMPOSED], ["ada", "ada "]])
@pytest.mark.parametrize("field", ["approvers", "recipients"])
def test_two_spellings_are_not_two_people(handlers: Handlers, field: str, people: list[str]) -> None:
    refused = handlers.post("/pauses", a_mint(**{field: people}))
    assert [error["field"] for error in refused.document["errors"]] == [field]


def test_the_requester_is_not_the_only_approver_under_another_spelling(handlers: Handlers) -> None:
    refused = handlers.post("/pauses", a_mint(approvers=["Ada"], requester="ada", requester_may_answer=False))
    assert [error["field"] for error in refused.document["errors"]] == ["approvers"]


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_name_that_is_no_person_is_refused_from_every_source(handlers: Handlers, name: str) -> None:
    for over, field in (({"approvers": [name]}, "approvers[0]"), ({"recipients": [name]}, "recipients[0]")):
        refused = handlers.post("/pauses", a_mint(**over))
        assert (refused.status, [error["field"] for error in refused.document["errors"]]) == (400, [field])
    pause = handlers.pause()
    for path in ("/resume", "/user/answers"):
        body = pause.resume(answerer=name) if path == "/resume" else pause.answer()
        refused = handlers.post(path, body, **signed_in(name))
        assert refused.status in (400, 401)
    assert handlers.refused("resume", pause.resume(answerer=name))["code"] == "bad-request"
    assert handlers.redeems(pause)


def test_a_requester_is_no_reserved_name(handlers: Handlers) -> None:
    refused = handlers.post("/pauses", a_mint(requester="link", requester_may_answer=False))
    assert [error["field"] for error in refused.document["errors"]] == ["requester"]
