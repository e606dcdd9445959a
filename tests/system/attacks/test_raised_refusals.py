"""Attack: a payload is read in the log of a function, because Lambda logs the text of each exception that is raised.

A direct caller gets a refusal as an exception. Its text has codes, rules and paths of fields, and nothing that the
caller or an agent has chosen: no key, no value, no label, no option. Over HTTP the texts stay as they are.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.function_deployment import Handlers
from tests.support.request_bodies import a_mint, a_question

MARK = "XMARKX"
FORM = {
    "title": "Refund",
    "schema": {
        "type": "object",
        "properties": {
            f"{MARK}amount": {"type": "integer", "maximum": 424242},
            f"{MARK}choice": {"type": "string", "enum": [f"{MARK}a", f"{MARK}b"]},
            f"{MARK}list": {"type": "array", "items": {"type": "string", "enum": [f"{MARK}c"]}},
        },
        "required": [f"{MARK}amount"],
    },
}
APPROVAL = {
    "title": "Refund?",
    "action": {"name": f"{MARK}refund", "arguments": {f"{MARK}amount": 1, f"{MARK}to": "x"}},
    "editable": {f"{MARK}amount": {"type": "integer", "maximum": 424242}},
}
OPTIONS = [{"label": f"{MARK}yes"}, {"label": f"{MARK}no"}]
MINTS: list[Any] = [MARK, 424242, None, [MARK], [[MARK]], {MARK: MARK}, {MARK: {MARK: [MARK]}}, f"\ud83d{MARK}"]


def _mint(handlers: Handlers, name: str, payload: dict[str, Any]) -> dict[str, Any]:
    minted: dict[str, Any] = handlers.invoke("mint", a_mint(name=name, payload=payload))
    return minted


def _places(value: Any, spoiled: Any) -> Iterator[Any]:
    """Yield the value with each of its parts, in turn, replaced, and each of its objects with one more key."""
    yield spoiled
    if isinstance(value, dict):
        yield {**value, f"{MARK}.key[424242]": spoiled}
        for key, part in value.items():
            for other in _places(part, spoiled):
                yield {**value, key: other}
    elif isinstance(value, list):
        for index, part in enumerate(value):
            for other in _places(part, spoiled):
                yield [*value[:index], other, *value[index + 1 :]]


def _require_bare(handlers: Handlers, function: str, events: Iterator[Any]) -> None:
    refusals = 0
    for event in events:
        if not isinstance(event, dict):
            continue
        try:
            handlers.invoke(function, event)
        except Exception as error:  # noqa: BLE001 - the text of every exception is looked at
            refusals += 1
            text = str(error)
            assert MARK.lower() not in text.lower(), text
            assert "424242" not in text, text
            assert {"code", "status", "retryable", "detail"} <= set(json.loads(text))
    assert refusals


@pytest.mark.parametrize("spoiled", MINTS, ids=lambda value: type(value).__name__ + str(len(str(value))))
@pytest.mark.parametrize(
    ("name", "payload"),
    [("ask_user", {"questions": [a_question(options=OPTIONS)]}), ("form", FORM), ("approval", APPROVAL)],
    ids=["ask_user", "form", "approval"],
)
def test_a_mint_says_nothing_of_its_request(
    handlers: Handlers, name: str, payload: dict[str, Any], spoiled: Any
) -> None:
    body = a_mint(name=name, payload=payload, approvers=[f"{MARK}@example.com"], on_expiry={"policy": "fail"})
    _require_bare(handlers, "mint", _places(body, spoiled))


@pytest.mark.parametrize(
    ("name", "payload", "answers"),
    [
        (
            "ask_user",
            {"questions": [a_question(options=OPTIONS)]},
            [
                {"answers": [{"question_id": "q-424242424242", "selections": [MARK]}]},
                {"answers": [{"question_id": "QUESTION", "selections": [MARK]}]},
                {"answers": [{"question_id": "QUESTION", "selections": []}]},
                {"answers": [{"question_id": "QUESTION", "selections": [], "other": MARK}]},
            ],
        ),
        (
            "form",
            FORM,
            [
                {f"{MARK}amount": 424243, f"{MARK}choice": MARK, f"{MARK}list": [MARK]},
                {f"{MARK}amount": MARK, f"{MARK}unknown": 1},
                {},
            ],
        ),
        (
            "approval",
            APPROVAL,
            [
                {"decision": "approve", "edits": {f"{MARK}amount": 424243}},
                {"decision": "approve", "edits": {f"{MARK}to": MARK}},
                {"decision": "reject", "comment": MARK, "edits": {MARK: MARK}},
            ],
        ),
    ],
    ids=["ask_user", "form", "approval"],
)
def test_an_answer_and_a_default_answer_say_nothing_of_question_and_answer(
    handlers: Handlers, name: str, payload: dict[str, Any], answers: list[Any]
) -> None:
    minted = _mint(handlers, name, payload)
    question = minted["payload"]["questions"][0]["id"] if name == "ask_user" else ""
    for answer in (json.loads(json.dumps(answer).replace("QUESTION", question)) for answer in answers):
        body = {"pause_token": minted["pause_token"], "scope": a_mint()["scope"], "response": answer}
        for action in ("resume", "answer"):
            for spoiled in (answer, *MINTS):
                _require_bare(handlers, "resume", iter([{"action": action, **body, "response": spoiled}]))
            _require_bare(handlers, "resume", _places({"action": action, **body}, MARK))
        default = {"policy": "default", "response": answer}
        _require_bare(handlers, "mint", iter([a_mint(name=name, payload=payload, on_expiry=default)]))


@pytest.mark.parametrize(
    "action",
    ["question", "outcome", "list", "show", "revoke", "revoke-link", "extend", "reassign", "redrive", "keys", MARK],
)
def test_every_other_action_says_nothing_of_its_request(handlers: Handlers, action: str) -> None:
    function = "resume" if action in ("question", "outcome") else "inbox"
    body = {"action": action, "pause_token": MARK, "scope": {"tenant_id": f"{MARK}:"}, "jti": MARK, "operator": MARK}
    for spoiled in MINTS:
        _require_bare(handlers, function, _places(body, spoiled))


def test_over_http_the_texts_still_have_the_names_of_the_request(handlers: Handlers) -> None:
    over_http = handlers.post("/pauses", a_mint(name="form", payload={**FORM, MARK: 1})).document
    assert over_http["errors"] == [{"field": f"payload.{MARK}", "message": "Extra inputs are not permitted"}]
    raised = handlers.refused("mint", a_mint(name="form", payload={**FORM, MARK: 1}))
    assert raised["errors"] == [{"field": "payload.*", "message": "Extra inputs are not permitted"}]
    assert raised["detail"] == over_http["detail"] == "the payload does not fit the interaction 'form'"
    assert (raised["code"], raised["status"], raised["retryable"]) == (
        over_http["code"],
        over_http["status"],
        over_http["retryable"],
    )
