"""The checks of a form against the package `jsonschema`: the same verdict on every field, but for named differences.

The differences stand in decision 008, and each is stricter than JSON Schema. The examples are drawn the same way in
every run.
"""

from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.protocols import Validator
from jsonschema.validators import extend

from askback.domain.interactions.form import FormRequest, check_values
from askback.domain.interactions.form_fields import TEXT_MAX_CHARACTERS
from askback.domain.json_text import Json

QUICK = settings(max_examples=250, derandomize=True, database=None, deadline=None)

CHOICES = st.sampled_from(("S", "M", "true", "1"))
TEXTS = CHOICES | st.sampled_from(("", "ab", "\U0001f600" * 3, "2024-02-29", "2023-02-29", "20240229"))
BOUNDS = st.sampled_from((0, 0.5, 1))
NUMBERS = st.sampled_from((-1, 0, 0.5, 1, 1.0, 10**400))
LISTS = st.lists(CHOICES, max_size=3)
ANYTHING = st.none() | st.booleans() | NUMBERS | TEXTS | LISTS | st.lists(st.booleans()) | st.just({"S": "M"})
LENGTHS = st.integers(0, 3)
ENUMS = st.lists(CHOICES, min_size=1, unique=True)

Entry = tuple[dict[str, Any], Json]
"""A field's schema, and a value for it."""


def _entries(
    values: st.SearchStrategy[Json], *kinds: str, **keywords: st.SearchStrategy[Json]
) -> st.SearchStrategy[Entry]:
    field = st.fixed_dictionaries({"type": st.sampled_from(kinds)}, optional=keywords)
    return st.tuples(field, values | ANYTHING)


def _with_items(entry: Entry, enum: list[str]) -> Entry:
    field, value = entry
    return {**field, "items": {"type": "string", "enum": enum}}, value


ENTRIES = st.one_of(
    _entries(TEXTS, "string", minLength=LENGTHS, maxLength=LENGTHS, format=st.just("date")),
    _entries(CHOICES, "string", enum=ENUMS),
    _entries(NUMBERS, "number", "integer", minimum=BOUNDS, maximum=BOUNDS),
    _entries(st.booleans(), "boolean"),
    st.builds(
        _with_items,
        _entries(LISTS, "array", minItems=LENGTHS, maxItems=LENGTHS, uniqueItems=st.just(True)),
        ENUMS,
    ),
)
FORMS = st.dictionaries(st.sampled_from("abc"), ENTRIES, min_size=1)
NAMES = st.sets(st.sampled_from("abcd"), max_size=2)
"""Fields that are required, or values that are left out or added; `d` is no field of any form."""


def _form_and_response(
    entries: dict[str, Entry], required: set[str], toggled: set[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    schema = {
        "type": "object",
        "properties": {name: field for name, (field, _) in entries.items()},
        "required": sorted(required & entries.keys()),
    }
    response = {name: value for name, (_, value) in entries.items() if name not in toggled}
    return schema, {**response, **dict.fromkeys(toggled - entries.keys(), True)}


CASES = st.builds(_form_and_response, FORMS, NAMES, NAMES)
Case = tuple[dict[str, Any], dict[str, Any]]

# The one difference that no keyword can say: 1.0 is not a whole number for a form.
_STRICT = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


def a_form(schema: dict[str, Any]) -> FormRequest:
    return FormRequest.model_validate({"title": "Ship it", "schema": schema, "order": list(schema["properties"])})


def _written_out(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with what every form means, so that plain JSON Schema says it too."""
    meant: dict[str, dict[str, Any]] = {"string": {"maxLength": TEXT_MAX_CHARACTERS}, "array": {"uniqueItems": True}}
    properties = {name: {**meant.get(field["type"], {}), **field} for name, field in schema["properties"].items()}
    return {**schema, "properties": properties, "additionalProperties": False}


def _refused_by_us(form: FormRequest, response: dict[str, Any]) -> set[str]:
    return {error.field.removeprefix("response").removeprefix(".") for error in check_values(form, response)}


def _refused_by(validator: Validator, response: dict[str, Any]) -> set[str]:
    """Return the names of the fields; the empty name stands for a field that the form does not have."""
    found: set[str] = set()
    for error in validator.iter_errors(response):
        match error.validator:
            case "required":
                required: Any = error.validator_value
                found |= set(required) - set(response)
            case "additionalProperties":
                found.add("")
            case _:
                found.add(str(error.path[0]))
    return found


AT_BOTH_ENDS: Case = (
    {
        "type": "object",
        "properties": {"a": {"type": "number", "minimum": 1, "maximum": 1}, "b": {"type": "string", "minLength": 1}},
    },
    {"a": 1, "b": "x"},
)


@QUICK
@given(CASES)
@example(AT_BOTH_ENDS)
def test_each_field_gets_the_verdict_of_jsonschema(case: Case) -> None:
    schema, response = case
    form = a_form(schema)
    written_out = _written_out(form.form.model_dump(mode="json"))
    Draft202012Validator.check_schema(written_out)
    validator = _STRICT(written_out, format_checker=FormatChecker(("date",)))
    assert _refused_by_us(form, response) == _refused_by(validator, response)


@QUICK
@given(CASES)
def test_each_difference_makes_us_stricter(case: Case) -> None:
    schema, response = case
    if not _refused_by_us(a_form(schema), response):
        assert _refused_by(Draft202012Validator(schema, format_checker=FormatChecker(("date",))), response) == set()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ({"type": "integer"}, 1.0),
        ({"type": "string"}, "a" * (TEXT_MAX_CHARACTERS + 1)),
        ({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}, ["a", "a"]),
        ({"type": "string", "format": "email"}, "@"),
        # Without further packages `jsonschema` takes any text for these two.
        ({"type": "string", "format": "uri"}, "no scheme"),
        ({"type": "string", "format": "date-time"}, "2026-01-31"),
    ],
)
def test_what_only_a_form_refuses(field: dict[str, Any], value: Json) -> None:
    schema = {"type": "object", "properties": {"a": field}}
    assert _refused_by_us(a_form(schema), {"a": value}) == {"a"}
    validator = Draft202012Validator(schema, format_checker=FormatChecker(("date", "email")))
    assert _refused_by(validator, {"a": value}) == set()


def test_only_a_form_refuses_a_field_that_it_does_not_have() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "boolean"}}}
    assert _refused_by_us(a_form(schema), {"b": True}) == {""}
    assert _refused_by(Draft202012Validator(schema), {"b": True}) == set()
