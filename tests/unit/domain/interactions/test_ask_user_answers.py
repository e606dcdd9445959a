"""Which answers to `ask_user` are legal: exactly the plain ones."""

from typing import Any

import pytest

from askback.domain.errors import AnswerInvalid
from askback.domain.interactions.ask_user import AskUserRequest
from askback.domain.json_text import read_json
from askback.interactions import ASK_USER_REGISTRATION
from tests.support.memory_deployment import InMemoryDeployment, an_answer

ONE, MANY, FREE, MANY_FREE = (f"q-00000000000{number}" for number in range(4))


def _question(question_id: str, **over: Any) -> dict[str, Any]:
    options = [{"label": label} for label in ("A", "B", "Yes ", "D")]
    return {"id": question_id, "question": "Which?", "options": options, **over}


KINDS = {
    ONE: _question(ONE),
    MANY: _question(MANY, multi_select=True),
    FREE: _question(FREE, allow_other=True),
    MANY_FREE: _question(MANY_FREE, multi_select=True, allow_other=True),
}


def _read(question_ids: list[str], *answers: dict[str, Any]) -> Any:
    request = AskUserRequest.model_validate({"questions": [KINDS[question_id] for question_id in question_ids]})
    return ASK_USER_REGISTRATION.read_response({"answers": list(answers)}, request)


def _refused(question_ids: list[str], *answers: dict[str, Any]) -> AnswerInvalid:
    with pytest.raises(AnswerInvalid) as refusal:
        _read(question_ids, *answers)
    assert refusal.value.errors
    return refusal.value


def _answer(question_id: str, *selections: Any, **over: Any) -> dict[str, Any]:
    return {"question_id": question_id, "selections": list(selections), **over}


@pytest.mark.parametrize(
    "answer",
    [
        _answer(ONE, "A"),
        _answer(ONE, "Yes "),
        _answer(ONE, "A", other=None),
        _answer(MANY, "A"),
        _answer(MANY, "D", "A", "B", "Yes "),
        _answer(FREE, "A"),
        _answer(FREE, other="something else"),
        {"question_id": FREE, "other": "x" * 1000},
        _answer(FREE, other="C++ & 100% sure \U0001f600"),
        _answer(MANY_FREE, "A", "B", other="and more"),
        _answer(MANY_FREE, other="only this"),
    ],
    ids=str,
)
def test_a_plain_answer_is_legal(answer: dict[str, Any]) -> None:
    """A-53."""
    (read,) = _read([answer["question_id"]], answer)["answers"]
    assert read == {"selections": [], "other": None, **answer}


@pytest.mark.parametrize(
    "answer",
    [
        _answer(ONE),
        {"question_id": ONE},
        _answer(ONE, "A", "B"),
        _answer(ONE, "A", "A"),
        _answer(ONE, "C"),
        _answer(ONE, "A", other="x"),
        _answer(ONE, other="x"),
        _answer(ONE, other=""),
        _answer(ONE, "A", other=""),
        _answer(MANY),
        _answer(MANY, "A", "A"),
        _answer(MANY, "A", "C"),
        _answer(MANY, "A", "B", "Yes ", "D", "A"),
        _answer(MANY, "A", other="x"),
        _answer(FREE),
        _answer(FREE, "A", other="x"),
        _answer(FREE, other=""),
        _answer(FREE, other=" \n"),
        _answer(FREE, other="\u200b"),
        _answer(FREE, other="\x00\u2060"),
        _answer(FREE, other="x" * 1001),
        _answer(FREE, other=5),
        _answer(FREE, other="\ud83d"),
        _answer(MANY_FREE),
        _answer(MANY_FREE, "A", other=" "),
        _answer(ONE, 1),
        _answer(ONE, None),
        _answer(ONE, "A", note="x"),
        {"question_id": ONE, "selections": "A"},
        {"question_id": ONE, "selections": None},
        {"selections": ["A"]},
    ],
    ids=lambda answer: str(answer)[:70].encode("ascii", "backslashreplace").decode(),
)
def test_any_other_answer_is_refused(answer: dict[str, Any]) -> None:
    """A-53."""
    refusal = _refused([answer.get("question_id", ONE)], answer)
    assert all(error.field.startswith("response.answers[0]") for error in refusal.errors)


@pytest.mark.parametrize("label", ["A ", " A", "A\n", "a", "\uff21", "A\u200b", "Yes", ""], ids=repr)
def test_a_label_matches_exactly_and_the_allowed_ones_are_named(label: str) -> None:
    """A-52."""
    (error,) = _refused([ONE], _answer(ONE, label)).errors
    assert error.field == "response.answers[0].selections"
    assert all(repr(allowed) in error.message for allowed in ("A", "B", "Yes ", "D"))


@pytest.mark.parametrize("spoiled", [ONE + "\n", ONE + " ", ONE.upper(), ONE[:-1], "", "q-ffffffffffff"], ids=repr)
def test_a_question_id_matches_exactly(spoiled: str) -> None:
    """A-52 and A-53."""
    refusal = _refused([ONE], _answer(spoiled, "A"))
    assert "response.answers[0].question_id" in [error.field for error in refusal.errors]


@pytest.mark.parametrize(
    ("answers", "fields"),
    [
        ([_answer(ONE, "A")], ["response.answers"]),
        ([_answer(ONE, "A"), _answer(ONE, "B")], ["response.answers[1].question_id", "response.answers"]),
        ([_answer(ONE, "A"), _answer(MANY, "A"), _answer(ONE, "A")], ["response.answers[2].question_id"]),
        ([_answer(ONE, "A"), _answer(FREE, "A")], ["response.answers[1].question_id", "response.answers"]),
        ([_answer(ONE, "C"), _answer(MANY)], ["response.answers[0].selections", "response.answers[1].selections"]),
        ([], ["response.answers"]),
    ],
    ids=["one left out", "one twice, one left out", "one twice", "an unknown one", "both wrong", "none"],
)
def test_every_question_has_exactly_one_answer(answers: list[dict[str, Any]], fields: list[str]) -> None:
    """A-53."""
    assert [error.field for error in _refused([ONE, MANY], *answers).errors] == fields


def test_the_answers_may_come_in_any_order() -> None:
    read = _read([ONE, MANY], _answer(MANY, "B", "A"), _answer(ONE, "A"))
    assert [answer["question_id"] for answer in read["answers"]] == [MANY, ONE]


@pytest.mark.parametrize(
    "response",
    ["wait, what is this about?", None, 5, True, [], {}, {"answers": "Approve"}, {"answers": [], "x": 1}, ["Approve"]],
    ids=repr,
)
def test_a_message_that_is_no_answer_is_refused_and_the_question_stays_open(response: Any) -> None:
    """A-07 and A-53: afterwards the legal answer is accepted."""
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    with pytest.raises(AnswerInvalid) as refusal:
        deployment.resume(minted, response=response)
    assert refusal.value.errors
    assert deployment.resume(minted).response == {
        "answers": [{**an_answer(minted, "Approve")["answers"][0], "other": None}]
    }


def test_the_pair_and_the_raw_character_give_the_same_stored_answer() -> None:
    """A-44."""
    texts = [read_json(raw) for raw in ('"\\ud83d\\ude00"', '"\U0001f600"')]
    stored = [_read([FREE], _answer(FREE, other=text)) for text in texts]
    assert stored[0] == stored[1]
