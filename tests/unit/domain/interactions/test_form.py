"""`form`: a request brings its own flat schema, and an answer is held to exactly that."""

from typing import Any

import pytest

from askback.domain.errors import AnswerInvalid, InvalidRequest
from askback.domain.interactions.registry import PausePlace
from askback.interactions import FORM_REGISTRATION

PLACE = PausePlace(thread_id="t-1", checkpoint_id="c-1", tool_call_id="")

KINDS: dict[str, dict[str, Any]] = {
    "text": {"type": "string", "minLength": 2, "maxLength": 5},
    "free": {"type": "string"},
    "mail": {"type": "string", "format": "email"},
    "link": {"type": "string", "format": "uri"},
    "day": {"type": "string", "format": "date"},
    "time": {"type": "string", "format": "date-time"},
    "size": {"type": "string", "enum": ["S", "M"], "enumNames": ["small", "medium"]},
    "amount": {"type": "number", "minimum": 0, "maximum": 49.9},
    "count": {"type": "integer", "minimum": -1},
    "agreed": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}, "minItems": 1, "maxItems": 2},
}


def _payload(properties: dict[str, Any], **over: Any) -> dict[str, Any]:
    return {"title": "Ship it", "schema": {"type": "object", "properties": properties}, **over}


def _recorded(properties: dict[str, Any], **over: Any) -> dict[str, Any]:
    return dict(FORM_REGISTRATION.read_new_payload(_payload(properties, **over), PLACE).shown)


def _read(response: Any, properties: dict[str, Any] = KINDS, **over: Any) -> Any:
    return FORM_REGISTRATION.read_response(
        response, FORM_REGISTRATION.read_recorded_payload(_recorded(properties, **over))
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("text", "ab"),
        ("text", "\U0001f600" * 5),
        ("free", ""),
        ("free", "C++ & 100% sure"),
        ("mail", "ada+refunds@example.co.uk"),
        ("link", "https://example.com/a%20b?q=1#top"),
        ("link", "mailto:ada@example.com"),
        ("day", "2024-02-29"),
        ("time", "2026-01-31T09:30:00Z"),
        ("time", "2026-01-31t09:30:00.25+01:00"),
        ("size", "M"),
        ("amount", 0),
        ("amount", 49.9),
        ("count", -1),
        ("agreed", False),
        ("tags", ["c", "a"]),
    ],
)
def test_a_legal_value_comes_back_exactly_as_it_was_given(name: str, value: Any) -> None:
    read = _read({name: value})[name]
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("text", "a"),
        ("text", "abcdef"),
        ("text", 12),
        ("free", "x" * 10_001),
        ("free", None),
        ("mail", "ada"),
        ("mail", "ada@example..com"),
        ("mail", "ada@example.com\n"),
        ("link", "example.com"),
        ("link", "https://exa mple.com"),
        ("link", "https://[::1"),
        ("link", "https://example.com/%zz"),
        ("day", "2026-02-29"),
        ("day", "20260228"),
        ("day", "2026-2-28"),
        ("day", "\u0662\u0660\u0662\u0666-02-28"),
        ("time", "2026-01-31T09:30:00"),
        ("time", "2026-01-31T25:00:00Z"),
        ("time", "2026-01-31 09:30:00Z"),
        ("size", "small"),
        ("size", "s"),
        ("amount", "1"),
        ("amount", True),
        ("amount", 50),
        ("amount", -0.01),
        ("count", 1.0),
        ("count", False),
        ("count", -2),
        ("agreed", "false"),
        ("agreed", 0),
        ("agreed", "true"),
        ("tags", []),
        ("tags", ["a", "b", "c"]),
        ("tags", ["a", "a"]),
        ("tags", ["d"]),
        ("tags", "a"),
        ("tags", [["a"]]),
    ],
)
def test_any_other_value_is_refused_by_the_name_of_its_field(name: str, value: Any) -> None:
    with pytest.raises(AnswerInvalid) as refusal:
        _read({name: value})
    assert [error.field for error in refusal.value.errors] == [f"response.{name}"]


def test_a_required_field_must_be_there_and_any_other_may_be_left_out() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]}
    assert _read({"a": ""}, schema=schema) == {"a": ""}
    with pytest.raises(AnswerInvalid) as refusal:
        _read({"b": "x"}, schema=schema)
    assert [error.field for error in refusal.value.errors] == ["response.a"]


def test_a_field_that_was_not_asked_for_is_refused_without_repeating_what_it_was_called() -> None:
    with pytest.raises(AnswerInvalid) as refusal:
        _read({"s3cret": 1}, {"a": {"type": "string"}})
    assert "s3cret" not in repr(refusal.value.errors)


@pytest.mark.parametrize("response", [None, [], "yes", 1, True])
def test_an_answer_that_is_no_object_is_refused(response: Any) -> None:
    with pytest.raises(AnswerInvalid):
        _read(response)


@pytest.mark.parametrize(
    "field",
    [
        {"type": "string", "pattern": "(a+)+$"},
        {"$ref": "https://example.com/schema.json"},
        {"type": "object", "properties": {}},
        {"type": ["string", "null"]},
        {"type": "string", "format": "regex"},
        {"type": "string", "enum": []},
        {"type": "string", "enum": ["a", "a"]},
        {"type": "string", "enum": ["a"], "enumNames": ["A", "B"]},
        {"type": "string", "enum": ["a"], "maxLength": 3},
        {"type": "string", "maxLength": 10_001},
        {"type": "string", "enumNames": ["A"]},
        {"type": "array", "items": {"type": "string"}},
        {"type": "array", "items": {"type": "string", "enum": ["a"]}, "uniqueItems": False},
        {"type": "number", "minimum": "1"},
        {"type": "boolean", "default": "false"},
        {"type": "integer", "minimum": 5, "default": 1},
        {"type": "string", "format": "date", "default": "soon"},
        {"type": "array", "items": {"type": "string", "enum": ["a"]}, "default": ["b"]},
        {"type": "number", "minimum": 10, "maximum": 5},
        {"type": "integer", "minimum": 0.2, "maximum": 0.8},
        {"type": "string", "minLength": 6, "maxLength": 5},
        {"type": "string", "format": "date", "maxLength": 9},
        {"type": "string", "format": "email", "maxLength": 2},
        {"type": "array", "items": {"type": "string", "enum": ["a"]}, "minItems": 3},
        {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 2, "maxItems": 1},
        {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "maxItems": 0},
        {"type": "string", "enum": ["EUR", "EUR\u200b"]},
        {"type": "string", "enum": ["a", "b"], "enumNames": ["Yes", "Yes "]},
        {"type": "array", "items": {"type": "string", "enum": ["Caf\u00e9", "Cafe\u0301"]}},
        {"type": "string", "title": "\u200b"},
    ],
    ids=ascii,
)
def test_a_schema_that_is_not_flat_not_bounded_or_contradicts_itself_is_refused_at_mint(field: dict[str, Any]) -> None:
    """D-17, D-30."""
    with pytest.raises(InvalidRequest) as refusal:
        _recorded({"a": field})
    assert refusal.value.errors
    assert all(error.field.startswith("payload.schema") for error in refusal.value.errors)


@pytest.mark.parametrize(
    "properties",
    [
        {"amount": {"type": "number"}, "amount\u200b": {"type": "number"}},
        {"net": {"type": "number", "title": "Amount"}, "gross": {"type": "number", "title": "Amount "}},
    ],
    ids=ascii,
)
def test_fields_that_look_the_same_are_refused(properties: dict[str, Any]) -> None:
    """D-17."""
    with pytest.raises(InvalidRequest) as refusal:
        _recorded(properties)
    assert [error.field for error in refusal.value.errors] == ["payload.schema.properties"]


@pytest.mark.parametrize(
    "field",
    [
        {"type": "number", "minimum": 5, "maximum": 5},
        {"type": "integer", "minimum": 0.2, "maximum": 1.8},
        {"type": "string", "format": "date", "maxLength": 10},
        {"type": "string", "maxLength": 0},
        {"type": "array", "items": {"type": "string", "enum": ["a", "A"]}, "minItems": 2, "maxItems": 2},
    ],
    ids=ascii,
)
def test_limits_that_one_value_fits_are_taken(field: dict[str, Any]) -> None:
    assert _recorded({"a": field})["schema"]["properties"] == {"a": field}


def test_a_recorded_form_of_an_older_version_stays_readable_whatever_its_limits() -> None:
    older = {**_recorded({"a": {"type": "number"}}), "title": "\u200b"}
    older["schema"]["properties"]["a"] |= {"minimum": 10, "maximum": 5}
    assert FORM_REGISTRATION.read_recorded_payload(older).model_dump(mode="json")["title"] == "\u200b"


def test_a_form_has_one_to_thirty_fields() -> None:
    assert len(_recorded({f"f{n}": {"type": "string"} for n in range(30)})["order"]) == 30
    for count in (0, 31):
        with pytest.raises(InvalidRequest):
            _recorded({f"f{n}": {"type": "string"} for n in range(count)})


def test_what_must_be_given_must_be_a_field() -> None:
    with pytest.raises(InvalidRequest):
        _recorded({}, schema={"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]})


def test_fields_keep_the_order_in_which_they_were_asked_although_keys_are_recorded_sorted() -> None:
    fields = {"z": {"type": "string"}, "a": {"type": "string"}}
    assert _recorded(fields)["order"] == ["z", "a"]
    assert _recorded(fields, order=["a", "z"])["order"] == ["a", "z"]
    for wrong in (["z"], ["z", "a", "a"], ["z", "b"]):
        with pytest.raises(InvalidRequest):
            _recorded(fields, order=wrong)


def test_the_recorded_schema_has_the_keywords_that_were_given_and_no_others() -> None:
    """A page, and whoever else reads the record, gets JSON Schema: a keyword that is null would be none."""
    assert _recorded(KINDS)["schema"]["properties"] == KINDS


def test_checking_a_hostile_value_takes_one_pass() -> None:
    """The longest body that comes in, shaped to make a backtracking pattern explode, is judged like any other."""
    nearly = "a@" + "a-" * 250_000
    for name in ("mail", "link", "free"):
        with pytest.raises(AnswerInvalid):
            _read({name: nearly})
