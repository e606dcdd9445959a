"""What `ask_user` may ask: every limit at its edge, and ids that only the server sets."""

import re
from typing import Any

import pytest

from askback.domain.errors import InvalidRequest, PayloadUnreadable
from askback.domain.interactions.registry import PausePlace
from askback.interactions import ASK_USER_REGISTRATION
from tests.support.json_difference import difference
from tests.support.own_interactions import PLACE

OPTION = {"label": "Yes"}
OTHER_OPTION = {"label": "No"}
QUESTION: dict[str, Any] = {"question": "Go on?", "options": [OPTION, OTHER_OPTION]}


def _read(*questions: Any, place: PausePlace = PLACE, **extra: Any) -> dict[str, Any]:
    return dict(ASK_USER_REGISTRATION.read_new_payload({"questions": list(questions), **extra}, place).shown)


def _wrong_fields(*questions: Any, **extra: Any) -> list[str]:
    with pytest.raises(InvalidRequest) as refusal:
        _read(*questions, **extra)
    return [error.field for error in refusal.value.errors]


def _options(count: int) -> list[dict[str, str]]:
    return [{"label": f"option {number}"} for number in range(count)]


@pytest.mark.parametrize(
    "over",
    [
        {"options": _options(2)},
        {"options": _options(4)},
        {"options": [{"label": "x"}, OPTION]},
        {"options": [{"label": "x" * 80}, OPTION]},
        {"options": [{"label": "\U0001f600" * 80}, OPTION]},
        {"options": [{"label": "x", "description": "d" * 400}, OPTION]},
        {"options": [{"label": "x", "preview": "p" * 4000}, OPTION]},
        {"options": [{"label": "x", "preview": None}, OPTION]},
        {"options": [{"label": "yes"}, OPTION]},
        {"header": "h" * 12},
        {"header": ""},
        {"question": "q"},
        {"question": "q" * 500},
        {"multi_select": True, "allow_other": True},
    ],
    ids=lambda over: str(over)[:60],
)
def test_a_question_at_its_limits_is_taken(over: dict[str, Any]) -> None:
    (asked,) = _read({**QUESTION, **over})["questions"]
    for name in ("question", "header", "multi_select", "allow_other"):
        assert asked[name] == {**QUESTION, **over}.get(name, "" if name == "header" else False)
    assert [option["label"] for option in asked["options"]] == [
        option["label"] for option in over.get("options", QUESTION["options"])
    ]


@pytest.mark.parametrize(
    ("over", "field"),
    [
        ({"options": _options(1)}, "options"),
        ({"options": _options(5)}, "options"),
        ({"options": []}, "options"),
        ({"options": [{"label": ""}, OPTION]}, "options[0].label"),
        ({"options": [OPTION, {"label": "x" * 81}]}, "options[1].label"),
        ({"options": [OPTION, {"label": "x", "description": "d" * 401}]}, "options[1].description"),
        ({"options": [OPTION, {"label": "x", "preview": "p" * 4001}]}, "options[1].preview"),
        ({"options": [OPTION, {"label": 1}]}, "options[1].label"),
        ({"options": [OPTION, {"label": "x", "description": None}]}, "options[1].description"),
        ({"options": [OPTION, {"label": "x", "value": "y"}]}, "options[1].value"),
        ({"options": [OPTION, {}]}, "options[1].label"),
        ({"options": [OPTION, "No"]}, "options[1]"),
        ({"header": "h" * 13}, "header"),
        ({"header": None}, "header"),
        ({"question": ""}, "question"),
        ({"question": "q" * 501}, "question"),
        ({"question": 5}, "question"),
        ({"multi_select": "false"}, "multi_select"),
        ({"multi_select": 0}, "multi_select"),
        ({"allow_other": None}, "allow_other"),
        ({"required": True}, "required"),
        ({"question": "\ud83d"}, "question"),
    ],
    ids=lambda value: str(value)[:60].encode("ascii", "backslashreplace").decode(),
)
def test_a_question_over_a_limit_is_refused_naming_the_field(over: dict[str, Any], field: str) -> None:
    assert _wrong_fields(QUESTION, {**QUESTION, **over}) == [f"payload.questions[1].{field}"]


def test_one_to_four_questions_are_asked() -> None:
    for count in (1, 4):
        assert len(_read(*[QUESTION] * count)["questions"]) == count
    for count in (0, 5):
        assert _wrong_fields(*[QUESTION] * count) == ["payload.questions"]


@pytest.mark.parametrize("questions", [None, {}, "Go on?", 5, [None], ["Go on?"], [[]]], ids=repr)
def test_what_is_not_shaped_like_questions_is_refused(questions: Any) -> None:
    with pytest.raises(InvalidRequest, match="payload"):
        ASK_USER_REGISTRATION.read_new_payload({"questions": questions}, PLACE)


def test_a_payload_without_questions_or_with_more_than_them_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        ASK_USER_REGISTRATION.read_new_payload({}, PLACE)
    assert _wrong_fields(QUESTION, title="x") == ["payload.title"]


@pytest.mark.parametrize(
    "labels",
    [
        ("Yes", "Yes"),
        ("Yes", "Yes "),
        ("Yes", "\tYes"),
        ("Yes", "Yes\n"),
        ("Yes", "\u00a0Yes\u2003"),
        ("Yes", " "),
        ("\n", "Yes"),
        ("No", "Yes ", " Yes"),
        ("Approve", "Approve\u200b"),
        ("Caf\u00e9", "Cafe\u0301"),
        ("Yes", "\u200b"),
        ("Yes", "\u2060\ufeff"),
        ("Pay now", "Pay  now"),
        ("1", "\u2460"),
    ],
    ids=ascii,
)
def test_labels_that_look_the_same_are_refused(labels: tuple[str, ...]) -> None:
    """A-52, D-17."""
    (field,) = _wrong_fields({**QUESTION, "options": [{"label": label} for label in labels]})
    assert field.startswith("payload.questions[0]")


@pytest.mark.parametrize("question", ["\u200b", " ", "\u2060\n"], ids=ascii)
def test_a_question_without_a_visible_text_is_refused(question: str) -> None:
    """D-17."""
    assert _wrong_fields({**QUESTION, "question": question}) == ["payload.questions[0].question"]


def test_open_questions_of_the_legacy_engine_stay_readable_whatever_their_labels() -> None:
    question = {**QUESTION, "id": "q-0123456789ab", "options": [{"label": "Yes"}, {"label": "Yes "}]}
    recorded = ASK_USER_REGISTRATION.read_recorded_payload({"questions": [question]})
    assert recorded.model_dump()["questions"][0]["options"][1]["label"] == "Yes "


def test_the_server_stamps_every_id() -> None:
    ids = [question["id"] for question in _read(QUESTION, QUESTION, QUESTION, QUESTION)["questions"]]
    assert len(set(ids)) == 4
    assert all(re.fullmatch(r"q-[0-9a-f]{12}", each) for each in ids)


@pytest.mark.parametrize("supplied", ["q-0123456789ab", "", None, 5, "x" * 10_000, "q-0123456789ab\n"], ids=str)
def test_an_id_that_the_model_supplies_is_replaced(supplied: Any) -> None:
    assert difference(_read({**QUESTION, "id": supplied}), _read(QUESTION)) is None


def test_the_same_place_gives_the_same_ids_and_another_place_gives_others() -> None:
    here = _read(QUESTION, QUESTION)
    assert _read(QUESTION, QUESTION) == here
    for name in ("thread_id", "checkpoint_id", "tool_call_id"):
        parts = {field: getattr(PLACE, field) for field in ("thread_id", "checkpoint_id", "tool_call_id")}
        elsewhere = _read(QUESTION, QUESTION, place=PausePlace(**{**parts, name: "other"}))
        ids = [{question["id"] for question in asked["questions"]} for asked in (here, elsewhere)]
        assert not ids[0] & ids[1]


@pytest.mark.parametrize("spoiled", ["q-0123456789ab\n", "q-0123456789AB", "q-0123456789a", "x", ""])
def test_a_recorded_question_has_an_id_of_the_servers_form(spoiled: str) -> None:
    with pytest.raises(PayloadUnreadable, match=r"payload\.questions\[0\]\.id"):
        ASK_USER_REGISTRATION.read_recorded_payload({"questions": [{**QUESTION, "id": spoiled}]})


def test_two_recorded_questions_never_share_an_id() -> None:
    question = {**QUESTION, "id": "q-0123456789ab"}
    with pytest.raises(PayloadUnreadable, match="payload"):
        ASK_USER_REGISTRATION.read_recorded_payload({"questions": [question, question]})
