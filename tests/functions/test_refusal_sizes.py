"""The dearest refusals: whatever is sent, the refusal is short, and Lambda can return it."""

import json
from typing import Any

import pytest

from tests.support.answer_kinds import ANSWER_KINDS
from tests.support.function_deployment import Deployment, Handlers
from tests.support.request_bodies import a_mint

MOST_BYTES = 32 * 1024
LONG = "n" * 24_500
ROUTES = [
    "/pauses",
    "/resume",
    "/answers",
    "/questions",
    "/user/resume",
    "/user/answers",
    "/answers/batch",
    "/user/answers/batch",
    "/user/questions",
    "/clarifications",
    "/user/clarifications",
    "/delegations",
    "/user/delegations",
    "/outcomes",
]
ACTIONS = [("mint", None), ("mint", "revoke"), ("mint", "clarify")]
ACTIONS += [("resume", name) for name in ("resume", "answer", "answers", "question", "outcome", "ask-back", "delegate")]
ACTIONS += [
    ("inbox", name)
    for name in ("list", "show", "revoke", "revoke-link", "redrive", "keys", "audit-due", "extend", "reassign")
]

BODIES: dict[str, dict[str, Any]] = {
    "twenty long names": {f"{number}{LONG}": 1 for number in range(20)},
    "long names of characters that are escaped twice": {
        f"{number}" + '\U0001f600\x00"' * 1500: 1 for number in range(20)
    },
    "names of half surrogate pairs": {f"{number}" + "\ud83d" * 2000: 1 for number in range(40)},
    "seventy thousand names": {f"{number:x}": 1 for number in range(70_000)},
}


@pytest.fixture(scope="module")
def paging(deployment: Deployment) -> Handlers:
    return deployment.load(registry=ANSWER_KINDS)


def refusal(handlers: Handlers, path: str, body: object) -> dict[str, Any]:
    """Return the problem, after the whole reply was measured as Lambda sends it."""
    event = handlers.event(path, body)
    kind = "mint" if path == "/pauses" else "resume"
    reply = handlers.gateway(kind, event)
    assert len(json.dumps(reply)) <= MOST_BYTES
    document: dict[str, Any] = json.loads(reply["body"])
    assert len(document["errors"]) <= 20
    return {"http_status": reply["statusCode"], **document}


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_refused_body_makes_a_short_reply_without_any_token(
    handlers: Handlers, path: str, body: dict[str, Any]
) -> None:
    """D-31, D-32: at most 20 errors, names are cut, and the reply says how many more there are."""
    document = refusal(handlers, path, body)
    assert (document["http_status"], document["code"]) == (400, "bad-request")


@pytest.mark.parametrize(("kind", "action"), ACTIONS)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_refused_invocation_raises_a_short_error(
    handlers: Handlers, kind: str, action: str | None, body: dict[str, Any]
) -> None:
    """D-31: also a direct caller gets the document as text inside a JSON reply."""
    document = handlers.refused(kind, body | ({} if action is None else {"action": action}))
    assert len(json.dumps(json.dumps(document))) <= MOST_BYTES
    assert document["code"] == "bad-request"


def test_the_errors_that_are_not_shown_are_counted(handlers: Handlers) -> None:
    """D-31: forty unknown fields, and the one that is missing."""
    document = refusal(handlers, "/questions", {f"unknown{number}": 1 for number in range(40)})
    assert len(document["errors"]) == 20
    assert "(21 more errors are not shown)" in document["detail"]
    document = refusal(handlers, "/questions", BODIES["seventy thousand names"])
    assert document["errors"] == [{"field": "body", "message": "has 70001 wrong, missing or unknown parts"}]


@pytest.mark.parametrize("field", ["approvers", "recipients"])
def test_wrong_names_of_people_are_one_error(handlers: Handlers, field: str) -> None:
    """D-32: a relative: 300,000 wrong names took 100 MB for their errors."""
    document = refusal(handlers, "/pauses", a_mint(**{field: [1] * 300_000}))
    assert [error["field"] for error in document["errors"]] == [f"{field}.0"]
    assert "not shown" not in document["detail"]


@pytest.mark.parametrize("name", ["n" * 900_000, "\U0001f600" * 80_000], ids=["ascii", "escaped"])
def test_a_name_of_an_interaction_that_fills_the_body_is_not_repeated(handlers: Handlers, name: str) -> None:
    """D-31: a relative: the name is checked before a refusal could repeat it."""
    reply = handlers.gateway("mint", handlers.event("/pauses", a_mint(name=name)))
    assert reply["statusCode"] == 400
    assert len(json.dumps(reply)) <= MOST_BYTES


ANSWERS: dict[str, Any] = {
    "fifty thousand unknown fields": {f"{number:x}": 1 for number in range(50_000)},
    "fifty thousand wrong entries": {"answers": [0] * 50_000},
    "long names": {f"{number}{LONG}": 1 for number in range(18)},
    "over its limit": {"answers": ["\u20ac" * 90_000]},
}


@pytest.mark.parametrize("response", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("name", ["ask_user", "form", "approval"])
def test_a_wrong_answer_makes_a_short_refusal_and_the_token_stays_good(
    handlers: Handlers, name: str, response: Any
) -> None:
    """D-32: an answer of 450 KB made a reply of 102 MB, whose errors each repeated the names of all fields."""
    pause = handlers.pause(**QUESTIONS[name])
    document = refusal(handlers, "/resume", pause.resume(response=response))
    assert (document["http_status"], document["code"]) == (422, "answer-invalid")
    assert document["errors"]


@pytest.mark.parametrize("values", [{f"{number:x}": 1 for number in range(30_000)}], ids=["unknown"])
def test_unknown_fields_of_a_form_and_unknown_edits_are_refused_once(handlers: Handlers, values: Any) -> None:
    """D-32: the error lists what is allowed, so it is made once and not for each unknown name."""
    form = handlers.pause(**QUESTIONS["form"])
    approval = handlers.pause(**QUESTIONS["approval"])
    for pause, response in ((form, values), (approval, {"decision": "approve", "edits": values})):
        document = refusal(handlers, "/resume", pause.resume(response=response))
        assert [error["message"].partition(":")[0][-4:] for error in document["errors"]] == ["only"]


FIELDS = {f"field{number}": {"type": "string"} for number in range(20)}
QUESTIONS: dict[str, dict[str, Any]] = {
    "ask_user": {},
    "form": {
        "name": "form",
        "payload": {"title": "Details", "schema": {"type": "object", "properties": FIELDS}},
    },
    "approval": {
        "name": "approval",
        "payload": {
            "title": "Refund",
            "action": {"name": "refund", "arguments": {"amount": "5"}},
            "editable": {"amount": {"type": "string"}},
        },
    },
}


def test_size_is_told_before_any_part_of_an_answer_or_a_payload_is(paging: Handlers) -> None:
    """D-32: the half surrogate pair inside is not looked for in a value that is over its limit."""
    pause = paging.pause(name="free_text", payload={"text": "?"})
    response = ["\ud83d", "a" * 512 * 1024]
    (error,) = refusal(paging, "/resume", pause.resume(response=response))["errors"]
    assert error == {"field": "response", "message": "must be at most 524288 bytes"}
    payload = {"text": ["\ud83d", "a" * 256 * 1024]}
    (error,) = refusal(paging, "/pauses", a_mint(name="free_text", payload=payload))["errors"]
    assert error == {"field": "payload", "message": "must be at most 262144 bytes"}
