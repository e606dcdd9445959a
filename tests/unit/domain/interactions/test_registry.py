"""Reading what is asked and what is answered through a registration."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from askback.domain.errors import AnswerInvalid, FieldError, InvalidRequest, PayloadUnreadable, UnknownInteraction
from askback.domain.interactions.registry import (
    InteractionRegistration,
    InteractionRegistry,
    PausePlace,
    RegistrationInvalid,
    WithoutBuiltIn,
)
from askback.domain.limits import PAYLOAD_MAX_BYTES, RESPONSE_MAX_BYTES
from tests.support.json_difference import difference
from tests.support.own_interactions import PLACE, AnyRequest, approval


class Transfer(BaseModel):
    """A request with a nested, typed part."""

    amount: float
    lines: list[dict[str, int]] = Field(default_factory=list, max_length=2)


class Colour(StrEnum):
    """An answer from a closed set."""

    RED = "red"
    BLUE = "blue"


class ByMail(BaseModel):
    """One kind of answer."""

    kind: Literal["mail"]


class ByPhone(BaseModel):
    """Another kind of answer."""

    kind: Literal["phone"]


TRANSFER = approval(payload_schema=Transfer)


def _answer(schema: Any, response: Any) -> Any:
    return approval(response_schema=schema).read_response(response, AnyRequest())


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        InteractionRegistry([approval(), approval()])


def test_an_unregistered_name_is_refused_with_the_names_that_are_registered() -> None:
    registry = InteractionRegistry([approval(), approval(name="another")])
    assert "approval_required" in registry
    assert "other" not in registry
    with pytest.raises(UnknownInteraction, match=r"'other' .*; it knows approval_required, another$"):
        registry.named("other")


def test_a_registration_needs_an_interaction_name() -> None:
    with pytest.raises(InvalidRequest, match="name"):
        approval(name="Approval Required")


@pytest.mark.parametrize(
    "payload",
    [
        {"amount": 136.0, "n": 1, "e": 1e21, "deep": [{"a": [30.40, 1e-7, -0.0, 2**53 + 1, None]}]},
        {},
        {"": {"": []}, "\u00fc": "\U0001f600\u2028"},
    ],
)
def test_a_payload_is_kept_with_its_types(payload: dict[str, Any]) -> None:
    """A-41."""
    assert difference(approval().read_new_payload(payload, PLACE).shown, payload) is None


def test_defaults_and_the_schemas_own_numbers_are_part_of_what_is_recorded() -> None:
    assert difference(TRANSFER.read_new_payload({"amount": 136}, PLACE).shown, {"amount": 136.0, "lines": []}) is None


@pytest.mark.parametrize(
    ("payload", "field"),
    [
        ({}, "payload.amount"),
        ({"amount": "1"}, "payload.amount"),
        ({"amount": True}, "payload.amount"),
        ({"amount": 1.0, "lines": [{"a": 1}, {"b": 1.5}]}, "payload.lines[1].b"),
        ({"amount": 1.0, "lines": [{}, {}, {}]}, "payload.lines"),
        ({"amount": float("nan")}, "payload.amount"),
        ({"amount": 1.0, "lines": [{"a": float("inf")}]}, "payload.lines[0].a"),
        ({"amount": 1.0, "x": "\ud83d"}, "payload.x"),
        ({"amount": 1.0, "x": b"x"}, "payload.x"),
        ({"amount": 10**5000}, "payload.amount"),
        ({1: 2}, "payload"),
    ],
)
def test_a_payload_that_does_not_fit_is_refused_naming_the_field(payload: Any, field: str) -> None:
    """A-42 and A-44: NaN, infinities and half a surrogate pair have no place in a recorded request."""
    with pytest.raises(InvalidRequest) as refusal:
        TRANSFER.read_new_payload(payload, PLACE)
    assert [error.field for error in refusal.value.errors] == [field]


def test_a_payload_is_taken_up_to_its_size_limit() -> None:
    largest = {"x": "y" * (PAYLOAD_MAX_BYTES - len('{"x":""}'))}
    assert approval().read_new_payload(largest, PLACE).shown == largest
    with pytest.raises(InvalidRequest, match=f"at most {PAYLOAD_MAX_BYTES} bytes"):
        approval().read_new_payload({"x": largest["x"] + "y"}, PLACE)


def test_what_the_server_prepares_is_validated_like_the_rest() -> None:
    def stamp(payload: Mapping[str, Any], place: PausePlace) -> Mapping[str, Any]:
        return {**payload, "amount": place.tool_call_id}

    with pytest.raises(InvalidRequest) as refusal:
        approval(payload_schema=Transfer, prepare=stamp).read_new_payload({"amount": 1.0}, PLACE)
    assert [error.field for error in refusal.value.errors] == ["payload.amount"]


def test_a_new_payload_can_be_held_to_more_than_its_schema() -> None:
    strict = approval(validate_new_payload=lambda model: [FieldError("payload.x", "no")] if model.model_extra else [])
    assert strict.read_new_payload({}, PLACE).shown == {}
    with pytest.raises(InvalidRequest) as refusal:
        strict.read_new_payload({"x": 1}, PLACE)
    assert refusal.value.errors == (FieldError("payload.x", "no"),)
    assert strict.read_recorded_payload({"x": 1}).model_extra == {"x": 1}


def test_a_recorded_payload_that_the_schema_no_longer_reads_is_unreadable() -> None:
    assert TRANSFER.read_recorded_payload({"amount": 1.0}) == Transfer(amount=1.0)
    with pytest.raises(PayloadUnreadable, match=r"payload\.lines\[0\]\.a") as refusal:
        TRANSFER.read_recorded_payload({"amount": 1.0, "lines": [{"a": "MARKER"}]})
    assert "MARKER" not in refusal.value.detail


@pytest.mark.parametrize("value", ["false", "no", "NO", "yes", "1", 1, 0, 1.0, None, [], {}, "true", ""], ids=repr)
def test_only_true_and_false_approve_or_refuse(value: Any) -> None:
    """A-51."""
    with pytest.raises(AnswerInvalid) as refusal:
        approval().read_response({"approved": value}, AnyRequest())
    assert [error.field for error in refusal.value.errors] == ["response.approved"]


@pytest.mark.parametrize("value", [True, False])
def test_true_and_false_are_answers(value: bool) -> None:
    """A-51."""
    assert approval().read_response({"approved": value}, AnyRequest()) == {"approved": value}


@pytest.mark.parametrize("response", [{}, None, [], True, "true", {"approved": True, "sure": True}], ids=repr)
def test_an_approval_has_no_default_and_no_other_form(response: Any) -> None:
    """A-51."""
    with pytest.raises(AnswerInvalid):
        approval().read_response(response, AnyRequest())


@pytest.mark.parametrize(
    ("schema", "response"),
    [(bool, False), (int, 0), (str, ""), (AnyRequest, {}), (float, 1.0), (int | None, None), (Colour, "red")],
    ids=repr,
)
def test_an_empty_or_falsy_answer_is_an_answer(schema: Any, response: Any) -> None:
    assert difference(_answer(schema, response), response) is None


@pytest.mark.parametrize(
    ("schema", "response"),
    [(bool, "x"), (int, 1.0), (int, True), (int, "1"), (str, 1), (float, "1"), (Colour, "green"), (datetime, "x")],
    ids=repr,
)
def test_no_answer_is_coerced(schema: Any, response: Any) -> None:
    with pytest.raises(AnswerInvalid) as refusal:
        _answer(schema, response)
    assert [error.field for error in refusal.value.errors] == ["response"]


@pytest.mark.parametrize("response", [{"a": float("nan")}, {"a": "\ud83d"}, {"a": b"x"}, {"a": 10**5000}])
def test_an_answer_that_json_cannot_carry_is_refused_by_name(response: Any) -> None:
    """A-44: half a surrogate pair is refused in an answer."""
    with pytest.raises(AnswerInvalid) as refusal:
        _answer(AnyRequest, response)
    assert [error.field for error in refusal.value.errors] == ["response.a"]


def test_an_answer_is_taken_up_to_its_size_limit() -> None:
    largest = "y" * (RESPONSE_MAX_BYTES - 2)
    assert _answer(str, largest) == largest
    with pytest.raises(AnswerInvalid, match=f"at most {RESPONSE_MAX_BYTES} bytes"):
        _answer(str, largest + "y")


def test_the_answer_is_compared_with_the_question_it_answers() -> None:
    def check(request: Transfer, response: float) -> list[FieldError]:
        return [] if response <= request.amount else [FieldError("response", "is more than was asked")]

    upto = approval(payload_schema=Transfer, response_schema=float, validate_response=check)
    assert upto.read_response(1.0, Transfer(amount=2.0)) == 1.0
    with pytest.raises(AnswerInvalid) as refusal:
        upto.read_response(3.0, Transfer(amount=2.0))
    assert refusal.value.errors == (FieldError("response", "is more than was asked"),)


@pytest.mark.parametrize(
    ("schema", "response"),
    [
        (Annotated[ByMail | ByPhone, Field(discriminator="kind")], {"kind": "MARKER"}),
        (Colour, "MARKER"),
        (int, "MARKER"),
        (bool, "MARKER"),
        (datetime, "MARKER"),
        (list[int], ["MARKER"]),
        (Annotated[str, Field(max_length=3)], "MARKER"),
        (Annotated[str, Field(pattern="^a$")], "MARKER"),
    ],
    ids=str,
)
def test_an_error_never_repeats_what_was_sent(schema: Any, response: Any) -> None:
    with pytest.raises(AnswerInvalid) as refusal:
        _answer(schema, response)
    assert "MARKER" not in f"{refusal.value} {refusal.value.errors}"


def test_a_flood_of_wrong_fields_is_cut_short() -> None:
    with pytest.raises(AnswerInvalid) as refusal:
        _answer(list[int], ["x"] * 1000)
    assert len(refusal.value.errors) == 20


def test_two_registrations_share_nothing() -> None:
    first, second = approval(response_schema=int), approval(response_schema=str)
    assert first.read_response(1, AnyRequest()) == 1
    assert second.read_response("1", AnyRequest()) == "1"
    assert isinstance(first, InteractionRegistration)


BUILT_IN = InteractionRegistry([approval(name="approval"), approval(name="form")])


def _names(registry: InteractionRegistry) -> set[str]:
    return {name for name in ("approval", "form", "transfer") if name in registry}


def test_own_interactions_stand_beside_the_built_in_ones() -> None:
    extended = BUILT_IN.extended([approval(name="transfer", payload_schema=Transfer)])
    assert _names(extended) == {"approval", "form", "transfer"}
    assert _names(BUILT_IN) == {"approval", "form"}


def test_an_own_interaction_replaces_the_built_in_one_of_its_name() -> None:
    own = approval(name="form", payload_schema=Transfer)
    assert BUILT_IN.extended([own]).named("form") is own
    assert BUILT_IN.extended([WithoutBuiltIn("form"), own]).named("form") is own


def test_a_built_in_interaction_can_be_left_out() -> None:
    assert _names(BUILT_IN.extended([WithoutBuiltIn("form")])) == {"approval"}


class Unreadable:
    """A type that pydantic cannot read."""


@pytest.mark.parametrize(
    ("own", "why"),
    [
        ([approval(name="transfer"), approval(name="transfer")], "'transfer' is registered twice"),
        ([WithoutBuiltIn("transfer")], "'transfer' is not a built-in interaction"),
        (
            [WithoutBuiltIn("form"), WithoutBuiltIn("form")],
            "'form' is not a built-in interaction, or is left out twice",
        ),
        (["form"], "str is not a registration"),
        ([InteractionRegistration], "type is not a registration"),
        ([approval(name="transfer", payload_schema=dict)], "payload_schema of 'transfer' is not a pydantic model"),
        (
            [approval(name="transfer", response_schema=Unreadable)],
            "response_schema of 'transfer': PydanticSchemaGenerationError",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused_when_it_is_registered(own: list[Any], why: str) -> None:
    with pytest.raises(RegistrationInvalid, match=why):
        BUILT_IN.extended(own)


def test_the_schema_of_an_answer_marks_a_decimal() -> None:
    """D-23: else it would be the schema of `float | str`, and the page would ask for a kind first."""

    class Price(BaseModel):
        amount: Decimal
        other: float | str

    own = InteractionRegistration(name="price", payload_schema=AnyRequest, response_schema=Price)
    properties = (own.answer_schema() or {})["properties"]
    either = [{"type": "number"}, {"type": "string"}]
    assert properties == {
        "amount": {"anyOf": either, "format": "decimal", "title": "Amount"},
        "other": {"anyOf": either, "title": "Other"},
    }
