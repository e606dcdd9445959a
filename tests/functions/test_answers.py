"""Answers that are not quite the asked-for ones: refused by field, nothing coerced, and the token stays good."""

from enum import StrEnum
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from askback.domain.interactions.registry import InteractionRegistration, InteractionRegistry
from tests.support.function_deployment import Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import OPTIONS, Pause, a_question

LABELS = [{"label": label} for label in ("A", "B", "C", "D")]


class Ask(BaseModel):
    """What every interaction here asks."""

    model_config = ConfigDict(strict=True, extra="forbid")
    text: str


class Approval(BaseModel):
    """A yes or a no."""

    model_config = ConfigDict(strict=True, extra="forbid")
    approved: bool


class Acknowledged(BaseModel):
    """An answer without a field."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Colour(StrEnum):
    RED = "red"


REGISTRY = InteractionRegistry(
    InteractionRegistration(name=name, payload_schema=Ask, response_schema=schema, allow_link=True)
    for name, schema in {
        "approval": Approval, "acknowledgement": Acknowledged, "flag": bool, "number": int, "text": str,
        "colour": Colour, "maybe": str | None,
    }.items()
)  # fmt: skip


@pytest.fixture(scope="module")
def asking(deployment: Deployment) -> Handlers:
    return deployment.load(registry=REGISTRY)


def named(asking: Handlers, name: str) -> Pause:
    return asking.pause(name=name, payload={"text": "Sure?"})


@pytest.mark.parametrize(
    ("name", "response"),
    [
        ("acknowledgement", {}), ("flag", False), ("number", 0), ("text", ""), ("colour", "red"), ("maybe", None),
        ("approval", {"approved": False}), ("approval", {"approved": True}),
    ],
)  # fmt: skip
def test_an_answer_without_content_is_an_answer(asking: Handlers, name: str, response: object) -> None:
    """A-04: an empty object, false, zero, an empty text and an allowed null are taken and come back as they are."""
    pause = named(asking, name)
    resumed = asking.post("/resume", pause.resume(response=response))
    assert resumed.status == 200
    assert resumed.document["response"] == response
    assert type(resumed.document["response"]) is type(response)
    assert resumed.document["interrupt_id"].startswith("i-")


@pytest.mark.parametrize("name", ["acknowledgement", "flag", "number", "text", "colour", "approval"])
def test_null_is_no_answer_unless_the_schema_says_so(asking: Handlers, name: str) -> None:
    """A-04."""
    pause = named(asking, name)
    require_problem(asking.post("/resume", pause.resume(response=None)), 422, "answer-invalid")


@pytest.mark.parametrize("value", ["false", "no", "NO", "yes", "1", 1, 0, 1.0, None, [], {}, ...])
def test_only_true_and_false_are_an_approval(asking: Handlers, value: object) -> None:
    """A-51: nothing else is read as a yes or a no, and absent is not a yes."""
    pause = named(asking, "approval")
    response = {} if value is ... else {"approved": value}
    refused = asking.post("/resume", pause.resume(response=response))
    require_problem(refused, 422, "answer-invalid")
    assert refused.document["errors"][0]["field"] == "response.approved"
    assert asking.post("/resume", pause.resume(response={"approved": False})).status == 200


def test_a_chat_message_instead_of_an_answer_is_refused_with_the_form_it_should_have(handlers: Handlers) -> None:
    """A-07."""
    pause = handlers.pause()
    refused = handlers.post("/resume", pause.resume(response="wait, what is this about?"))
    require_problem(refused, 422, "answer-invalid")
    assert refused.document["errors"] == [{"field": "response", "message": "Input should be an object"}]
    assert "wait" not in str(refused.document)
    assert handlers.redeems(pause)


WRONG_SINGLE: dict[str, dict[str, Any]] = {
    "nothing": {"selections": []},
    "nothing at all": {"selections": ...},
    "two labels": {"selections": ["Approve", "Reject"]},
    "one label twice": {"selections": ["Approve", "Approve"]},
    "five labels": {"selections": ["Approve"] * 5},
    "a label not offered": {"selections": ["Perhaps"]},
    "a space after it": {"selections": ["Approve "]},
    "a space before it": {"selections": [" Approve"]},
    "a newline after it": {"selections": ["Approve\n"]},
    "another case": {"selections": ["approve"]},
    "no list": {"selections": "Approve"},
    "a null": {"selections": [None]},
    "free text not offered": {"selections": [], "other": "later"},
    "empty free text not offered": {"selections": [], "other": ""},
    "a label and free text not offered": {"other": "later"},
    "an unknown question": {"question_id": "q-000000000000"},
    "an id with a newline": {"question_id": "q-0123456789ab\n"},
    "no id": {"question_id": ...},
    "an unknown field": {"note": "hello"},
}


@pytest.mark.parametrize("what", WRONG_SINGLE)
def test_a_single_choice_takes_exactly_one_of_its_labels(handlers: Handlers, what: str) -> None:
    """A-52, A-53."""
    pause = handlers.pause()
    refused = handlers.post("/resume", pause.resume(response=pause.response(**WRONG_SINGLE[what])))
    require_problem(refused, 422, "answer-invalid")
    assert refused.document["errors"]
    assert all(error["field"].startswith("response.answers") for error in refused.document["errors"])
    if "label" in what and "five" not in what and "twice" not in what and "two" not in what:
        assert "'Approve', 'Reject'" in refused.document["errors"][0]["message"]
    assert handlers.redeems(pause)


WRONG_MULTI: dict[str, dict[str, Any]] = {
    "nothing": {"selections": []},
    "one label twice": {"selections": ["A", "A"]},
    "five labels": {"selections": ["A", "B", "C", "D", "A"]},
    "one not offered": {"selections": ["A", "E"]},
    "blank free text": {"selections": ["A"], "other": " \n"},
}


@pytest.mark.parametrize("what", WRONG_MULTI)
def test_a_multiple_choice_takes_different_labels_of_its_own(handlers: Handlers, what: str) -> None:
    """A-53."""
    question = a_question(options=LABELS, multi_select=True, allow_other=True)
    pause = handlers.pause(payload={"questions": [question]})
    refused = handlers.post("/resume", pause.resume(response=pause.response(**WRONG_MULTI[what])))
    require_problem(refused, 422, "answer-invalid")
    legal = pause.response("A", "B", "C", "D", other="and this")
    assert handlers.post("/resume", pause.resume(response=legal)).status == 200


def test_a_single_choice_is_a_label_or_free_text_and_never_both(handlers: Handlers) -> None:
    """A-53."""
    pause = handlers.pause(payload={"questions": [a_question(allow_other=True)]})
    both = handlers.post("/resume", pause.resume(response=pause.response(other="but later")))
    require_problem(both, 422, "answer-invalid")
    assert handlers.post("/resume", pause.resume(response=pause.response(selections=..., other="later"))).status == 200


def test_every_question_is_answered_once(handlers: Handlers) -> None:
    """A-53."""
    pause = handlers.pause(payload={"questions": [a_question(), a_question(question="Tell the customer?")]})
    first, second = (
        {"question_id": question["id"], "selections": ["Approve"]} for question in pause.minted["payload"]["questions"]
    )
    for answers in ([first], [second], [first, first], [first, second, first], []):
        refused = handlers.post("/resume", pause.resume(response={"answers": answers}))
        require_problem(refused, 422, "answer-invalid")
    assert handlers.post("/resume", pause.resume(response={"answers": [second, first]})).status == 200


@pytest.mark.parametrize("labels", [("Yes", "Yes "), ("Yes", "Yes"), ("Yes", " \n"), ("Yes", ""), ("\tYes", "Yes")])
def test_labels_that_look_the_same_are_refused_at_mint(handlers: Handlers, labels: tuple[str, str]) -> None:
    """A-52."""
    options = [{**OPTIONS[0], "label": label} for label in labels]
    request = handlers.pause().request | {"payload": {"questions": [a_question(options=options)]}}
    refused = handlers.post("/pauses", request)
    require_problem(refused, 400, "bad-request")
    assert refused.document["errors"][0]["field"].startswith("payload.questions[0]")
