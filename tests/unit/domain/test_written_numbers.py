"""Digits as a person wrote them: from the text of an answer to its record and its delivery."""

import copy
import json
from typing import Any

import pytest
from pydantic import BaseModel

from askback.domain.interactions.registry import InteractionRegistration
from askback.domain.json_text import canonical_text, read_json
from askback.domain.written_numbers import DIGITS_MAX, WrittenNumber, has_digits, with_digits, written_text
from askback.interactions import APPROVAL_REGISTRATION, FORM_REGISTRATION

LONG = "0.12345678901234567891"


@pytest.mark.parametrize("text", ["0.10", "1e3", "1E3", "-0.00", LONG, "12345678901234567891.5", "5.0e-1"])
def test_a_number_keeps_its_digits_and_computes_as_a_float(text: str) -> None:
    """D-20."""
    number = read_json(text, digits=True)
    assert isinstance(number, WrittenNumber)
    assert number == float(text)
    assert written_text(number) == text
    assert written_text(copy.deepcopy(number)) == text
    assert canonical_text(number) == json.dumps(float(text))


@pytest.mark.parametrize(
    "text", ["0.1", "1000.0", "1e+21", "-0.0", "7", "12345678901234567891", "0." + "1" * DIGITS_MAX]
)
def test_a_number_that_python_writes_alike_or_that_is_too_long_is_a_plain_one(text: str) -> None:
    assert not has_digits(read_json(text, digits=True))


@pytest.mark.parametrize("spaced", [True, False])
@pytest.mark.parametrize("sort_keys", [True, False])
def test_a_text_differs_from_the_usual_one_in_the_digits_alone(spaced: bool, sort_keys: bool) -> None:
    value = read_json('{"b":0.10,"a":[1e3,null,true,"\\ud83d",{"é":{}}],"c":[]}', digits=True)
    plain = json.loads(json.dumps(value))
    separators = None if spaced else (",", ":")
    usual = json.dumps(plain, separators=separators, sort_keys=sort_keys)
    assert written_text(plain, spaced=spaced, sort_keys=sort_keys) == usual
    text = written_text(value, spaced=spaced, sort_keys=sort_keys)
    assert text.replace("0.10", "0.1").replace("1e3", "1000.0") == usual


def test_digits_are_given_back_only_to_the_number_that_was_given() -> None:
    given = read_json('{"a":0.10,"b":[0.20],"c":0.30}', digits=True)
    kept = with_digits({"a": 0.1, "b": [0.2], "c": 0.4, "d": 0.1}, given)
    assert written_text(kept) == '{"a":0.10,"b":[0.20],"c":0.4,"d":0.1}'
    assert with_digits("0.10", given) == "0.10"
    assert with_digits([0.1], [0.1, 0.2]) == [0.1]


def approval(edits: str) -> Any:
    request = APPROVAL_REGISTRATION.read_recorded_payload(
        {
            "title": "Pay?",
            "action": {"name": "pay", "arguments": {"amount": 0.1, "n": 1}},
            "editable": {"amount": {"type": "number"}, "n": {"type": "integer"}},
        }
    )
    return APPROVAL_REGISTRATION.read_response(
        read_json(f'{{"decision":"approve","edits":{edits}}}', digits=True), request
    )


def test_an_edited_argument_is_recorded_as_it_was_typed() -> None:
    """D-18, D-20: before and after are compared as they are written."""
    assert written_text(approval(f'{{"amount":{LONG},"n":12345678901234567891}}')) == (
        '{"decision":"approve","comment":null,'
        f'"edits":{{"amount":{{"before":0.1,"after":{LONG}}},"n":{{"before":1,"after":12345678901234567891}}}},'
        f'"arguments":{{"amount":{LONG},"n":12345678901234567891}}}}'
    )
    assert '"after":0.20}' in written_text(approval('{"amount":0.20}'))
    for same in ("0.1", "0.10", "1e-1"):
        assert approval(f'{{"amount":{same}}}')["edits"] == {}


def test_a_value_of_a_form_and_of_an_adopters_model_are_recorded_as_they_were_typed() -> None:
    """D-20."""
    schema = {"type": "object", "properties": {"weight": {"type": "number"}}}
    form = FORM_REGISTRATION.read_recorded_payload({"title": "Weight?", "schema": schema, "order": ["weight"]})
    assert (
        written_text(FORM_REGISTRATION.read_response(read_json('{"weight":0.10}', digits=True), form))
        == '{"weight":0.10}'
    )

    class Part(BaseModel):
        share: float

    class Split(BaseModel):
        whole: float
        parts: list[Part]

    own = InteractionRegistration(name="split", payload_schema=Part, response_schema=Split)
    read = own.read_response(read_json('{"parts":[{"share":1e0}],"whole":1.50}', digits=True), Part(share=1.0))
    assert written_text(read) == '{"whole":1.50,"parts":[{"share":1e0}]}'
