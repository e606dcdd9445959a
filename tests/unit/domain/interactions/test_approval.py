"""`approval`: approve, with edits, or reject; what is recorded says what was proposed and what holds."""

from typing import Any

import pytest

from askback.domain.errors import AnswerInvalid, InvalidRequest
from askback.domain.interactions.registry import PausePlace
from askback.interactions import APPROVAL_REGISTRATION

PLACE = PausePlace(thread_id="t-1", checkpoint_id="c-1", tool_call_id="")
ARGUMENTS = {"amount": 49.9, "currency": "EUR", "note": None, "notify": True}


def _recorded(**over: Any) -> dict[str, Any]:
    payload = {"title": "Refund?", "action": {"name": "refund", "arguments": ARGUMENTS}, **over}
    return dict(APPROVAL_REGISTRATION.read_new_payload(payload, PLACE).shown)


def _decide(response: Any, **over: Any) -> Any:
    return APPROVAL_REGISTRATION.read_response(response, APPROVAL_REGISTRATION.read_recorded_payload(_recorded(**over)))


def _refused(response: Any, **over: Any) -> list[str]:
    with pytest.raises(AnswerInvalid) as refusal:
        _decide(response, **over)
    return [error.field for error in refusal.value.errors]


EDITABLE = {"amount": {"type": "number", "maximum": 100}, "notify": {"type": "boolean"}}


def test_an_approval_carries_the_arguments_to_run_the_action_with() -> None:
    assert _decide({"decision": "approve"}) == {
        "decision": "approve",
        "comment": None,
        "edits": {},
        "arguments": ARGUMENTS,
    }


def test_a_rejection_carries_no_arguments_so_nobody_can_run_the_action_by_mistake() -> None:
    """Case A-54: resumed is not approved."""
    assert _decide({"decision": "reject", "comment": "too much"}) == {
        "decision": "reject",
        "comment": "too much",
        "edits": {},
        "arguments": None,
    }


def test_an_edit_is_recorded_with_the_value_before_and_the_value_after() -> None:
    decided = _decide({"decision": "approve", "edits": {"amount": 20}}, editable=EDITABLE)
    assert decided["edits"] == {"amount": {"before": 49.9, "after": 20}}
    assert decided["arguments"] == {**ARGUMENTS, "amount": 20}


def test_an_edit_that_changes_nothing_is_no_edit() -> None:
    assert _decide({"decision": "approve", "edits": {"amount": 49.9}}, editable=EDITABLE)["edits"] == {}


def test_true_is_not_one_and_one_is_not_true() -> None:
    # A version before this one recorded a proposed value that its field does not allow.
    older = {**_recorded(), "editable": {"notify": {"type": "number"}}}
    request = APPROVAL_REGISTRATION.read_recorded_payload(older)
    decided: Any = APPROVAL_REGISTRATION.read_response({"decision": "approve", "edits": {"notify": 1}}, request)
    assert decided["edits"] == {"notify": {"before": True, "after": 1}}


@pytest.mark.parametrize(
    ("edits", "field"),
    [
        ({"amount": 100.01}, "response.edits.amount"),
        ({"amount": "20"}, "response.edits.amount"),
        ({"notify": "false"}, "response.edits.notify"),
        ({"currency": "USD"}, "response.edits"),
        ({"unknown": 1}, "response.edits"),
    ],
)
def test_only_what_is_editable_is_edited_and_only_within_its_field(edits: dict[str, Any], field: str) -> None:
    assert _refused({"decision": "approve", "edits": edits}, editable=EDITABLE) == [field]


def test_a_rejection_edits_nothing() -> None:
    assert _refused({"decision": "reject", "edits": {"amount": 1}}, editable=EDITABLE) == ["response.edits"]


@pytest.mark.parametrize("decision", ["Approve", "yes", True, None, "", ["approve"]])
def test_nothing_but_approve_and_reject_decides(decision: Any) -> None:
    assert _refused({"decision": decision}) == ["response.decision"]


@pytest.mark.parametrize(
    ("asked", "decision", "comment", "legal"),
    [
        ("none", "approve", None, True),
        ("none", "reject", None, True),
        ("none", "approve", "why", False),
        ("optional", "reject", None, True),
        ("optional", "approve", "fine", True),
        ("optional", "approve", " \n", False),
        ("optional", "approve", "\u200b", False),
        ("required_to_reject", "approve", None, True),
        ("required_to_reject", "reject", None, False),
        ("required_to_reject", "reject", "too much", True),
        ("required", "approve", None, False),
        ("required", "approve", "fine", True),
    ],
)
def test_a_comment_is_given_where_it_is_asked_for(asked: str, decision: str, comment: str | None, legal: bool) -> None:
    response = {"decision": decision, "comment": comment}
    if legal:
        assert _decide(response, comment=asked)["comment"] == comment
    else:
        assert _refused(response, comment=asked) == ["response.comment"]


def test_what_may_be_edited_must_be_an_argument() -> None:
    with pytest.raises(InvalidRequest):
        _recorded(editable={"iban": {"type": "string"}})


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"amount": "99999 EUR"}, {"type": "number"}),
        ({"amount": {"value": 1}}, {"type": "number"}),
        ({"amount": 101}, {"type": "number", "maximum": 100}),
        ({"amount": 1.5}, {"type": "integer"}),
        ({"amount": "true"}, {"type": "boolean"}),
        ({"amount": ""}, {"type": "string", "minLength": 1}),
        ({"amount": "GBP"}, {"type": "string", "enum": ["EUR", "USD"]}),
        ({"amount": ["EUR", "EUR"]}, {"type": "array", "items": {"type": "string", "enum": ["EUR", "USD"]}}),
    ],
)
def test_a_proposed_value_that_its_field_would_hide_is_refused(arguments: Any, field: Any) -> None:
    """D-13: the page could not show the value in the field, and an approval would record it all the same."""
    with pytest.raises(InvalidRequest) as refusal:
        _recorded(action={"name": "pay", "arguments": arguments}, editable={"amount": field})
    assert [error.field for error in refusal.value.errors] == ["payload.action.arguments.amount"]


def test_a_proposed_null_may_be_filled_in() -> None:
    assert _recorded(editable={"note": {"type": "string"}})["editable"] == {"note": {"type": "string"}}


@pytest.mark.parametrize(
    "names", [("to", "to\u200b"), ("caf\u00e9", "cafe\u0301"), ("\u2060", "to"), ("a b", "a\u00a0b")]
)
def test_arguments_whose_names_look_the_same_are_refused(names: tuple[str, str]) -> None:
    """D-17."""
    with pytest.raises(InvalidRequest) as refusal:
        _recorded(action={"name": "send", "arguments": dict.fromkeys(names, 1)})
    assert [error.field for error in refusal.value.errors] == ["payload.action.arguments"]


@pytest.mark.parametrize("blank", ["\u200b", " ", "\u2060\u00ad", "\u3164", "\ufe0f"])
def test_a_title_and_an_action_have_a_text_that_is_seen(blank: str) -> None:
    """D-17."""
    with pytest.raises(InvalidRequest) as refusal:
        _recorded(title=blank, action={"name": blank, "arguments": {}})
    assert [error.field for error in refusal.value.errors] == ["payload.title", "payload.action.name"]


def test_null_is_an_argument_like_any_other() -> None:
    assert _recorded()["action"]["arguments"] == ARGUMENTS
