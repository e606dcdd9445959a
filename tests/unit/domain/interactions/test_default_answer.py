"""A default answer is held to the question at mint, like any answer that a person gives."""

import json
from typing import Any

import pytest

from askback.domain.errors import InvalidRequest, PauseConflict
from askback.domain.interactions.default_answer import DefaultAnswer
from askback.domain.pause.ledger import PauseStatus
from tests.support.memory_deployment import NOW, InMemoryDeployment
from tests.support.own_interactions import a_deployment, approval
from tests.support.waiting_pauses import row_of

TWO = {
    "questions": [
        {"question": "Refund?", "options": [{"label": "Approve"}, {"label": "Reject"}]},
        {
            "question": "Tell whom?",
            "options": [{"label": "A"}, {"label": "B"}],
            "multi_select": True,
            "allow_other": True,
        },
    ]
}
IN_ORDER = {"answers": [{"selections": ["Reject"]}, {"selections": ["A", "B"]}]}


def _default(response: Any) -> dict[str, Any]:
    return {"payload": TWO, "on_expiry": DefaultAnswer(response=response)}


def _refused(**over: Any) -> InvalidRequest:
    deployment = a_deployment()
    with pytest.raises(InvalidRequest) as refusal:
        deployment.mint(**over)
    assert not deployment.ledger.rows
    assert not deployment.checkpoints.texts
    return refusal.value


def test_answers_without_question_ids_go_by_position() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**_default(IN_ORDER))
    ids = [question["id"] for question in minted.payload["questions"]]
    recorded = json.loads(row_of(deployment, minted).default_response_text or "")
    assert recorded == {
        "answers": [
            {"question_id": ids[0], "selections": ["Reject"], "other": None},
            {"question_id": ids[1], "selections": ["A", "B"], "other": None},
        ]
    }


def test_a_question_id_that_is_given_must_be_the_question_s() -> None:
    error = _refused(**_default({"answers": [{"question_id": "q-000000000000", "selections": ["Reject"]}, {}]}))
    assert error.errors[0].field == "on_expiry.response.answers[0].question_id"


@pytest.mark.parametrize(
    ("response", "field"),
    [
        ("Reject", "on_expiry.response"),
        ({}, "on_expiry.response.answers"),
        ({"answers": []}, "on_expiry.response.answers"),
        ({"answers": [{"selections": ["Reject"]}]}, "on_expiry.response.answers"),
        ({"answers": [{"selections": ["Later"]}, {"selections": ["A"]}]}, "on_expiry.response.answers[0].selections"),
        ({"answers": [{"selections": ["Reject"]}, {"selections": []}]}, "on_expiry.response.answers[1].selections"),
        ({"answers": [{"selections": ["Approve", "Reject"]}, {}]}, "on_expiry.response.answers[0].selections"),
        ({"answers": [{"selections": ["Reject"], "other": "x"}, {}]}, "on_expiry.response.answers[0].other"),
        ({"answers": [*IN_ORDER["answers"], {"selections": ["A"]}]}, "on_expiry.response.answers[2].question_id"),
        ({"answers": [{"selections": ["Reject"], "note": 1}, {}]}, "on_expiry.response.answers[0].note"),
        ({"answers": [{"selections": "Reject"}, {}]}, "on_expiry.response.answers[0].selections"),
        ({"answers": [{"selections": [float("nan")]}, {}]}, "on_expiry.response.answers[0].selections[0]"),
        (None, "on_expiry.response"),
    ],
)
def test_a_default_that_no_person_could_give_is_refused_by_its_path(response: Any, field: str) -> None:
    assert field in [error.field for error in _refused(**_default(response)).errors]


def test_a_default_of_exactly_eight_kib_is_taken_and_one_byte_more_is_not() -> None:
    free = approval(response_schema=str)
    over = {"name": "approval_required", "payload": {"amount": 1}}
    deployment = a_deployment(free)
    minted = deployment.mint(**over, on_expiry=DefaultAnswer(response="a" * (8192 - 2)))
    assert len(row_of(deployment, minted).default_response_text or "") == 8192
    for text in ("a" * (8192 - 1), "\u00e4" * 1366):
        with pytest.raises(InvalidRequest) as refused:
            a_deployment(free).mint(**over, on_expiry=DefaultAnswer(response=text))
        assert [error.field for error in refused.value.errors] == ["on_expiry.response"]


@pytest.mark.parametrize("response", [{"approved": "yes"}, {"approved": True, "by": "me"}, [], None])
def test_the_default_of_an_interaction_of_ones_own_is_held_to_its_schema(response: Any) -> None:
    error = _refused(name="approval_required", payload={"amount": 1.0}, on_expiry=DefaultAnswer(response=response))
    assert all(item.field.startswith("on_expiry.response") for item in error.errors)


def test_a_default_of_an_interaction_of_ones_own_stands_in_as_it_was_given() -> None:
    deployment = a_deployment()
    minted = deployment.mint(
        name="approval_required", payload={"amount": 1.0}, on_expiry=DefaultAnswer(response={"approved": False})
    )
    deployment.sweep(at=NOW + 3600)
    outcome = deployment.outcome(minted, at=NOW + 3700)
    assert outcome.response == {"approved": False}
    assert row_of(deployment, minted).status is PauseStatus.ANSWERED


def test_the_default_is_part_of_the_request_that_a_retry_repeats() -> None:
    deployment = InMemoryDeployment()
    first = deployment.mint(**_default(IN_ORDER), idempotency_key="k")
    assert deployment.mint(**_default(IN_ORDER), idempotency_key="k").tokens == first.tokens
    other = {"answers": [{"selections": ["Approve"]}, {"selections": ["A"]}]}
    for on_expiry in (None, DefaultAnswer(response=other)):
        with pytest.raises(PauseConflict):
            deployment.mint(payload=TWO, idempotency_key="k", on_expiry=on_expiry)


@pytest.mark.parametrize("seconds", [59, 0, -1, 3600, 3601])
def test_a_reminder_comes_after_a_minute_and_before_the_end(seconds: int) -> None:
    (error,) = _refused(remind_after_seconds=seconds).errors
    assert error.field == "remind_after_seconds"


@pytest.mark.parametrize("seconds", [60, 3599])
def test_the_first_and_the_last_moment_for_a_reminder(seconds: int) -> None:
    deployment = InMemoryDeployment()
    row = row_of(deployment, deployment.mint(remind_after_seconds=seconds))
    assert row.due_at == row.remind_at == NOW + seconds
