"""Reading and writing JSON: what one reader sees, every reader sees."""

import json
import math
from datetime import UTC, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest

from askback.domain.errors import InvalidRequest
from askback.domain.json_text import canonical_text, read_json, require_json, require_json_within
from askback.domain.limits import JSON_INTEGER_MAX_BITS, JSON_MAX_DEPTH
from tests.support.json_difference import difference


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "{",
        "{'a':1}",
        '{"a":1,}',
        '{"a":1} x',
        "\ufeff{}",
        b"\xef\xbb\xbf{}",
        b"\xff",
        b'"\xed\xa0\xbd"',
        "NaN",
        '{"a":Infinity}',
        "[-Infinity]",
        "1e400",
        # D-42: read as 0, they would change as silently as 1e400 read as infinity.
        "1e-400",
        "-0.0001E-999",
        '{"a":[{"b":-1e400}]}',
        '{"a":1,"a":1}',
        '{"x":[{"a":1,"\\u0061":2}]}',
        "1" * 5000,
        "[" * 100_000,
        '{"a":' * 100_000,
        '"\n"',
    ],
    ids=lambda raw: repr(raw[:20]),
)
def test_text_that_two_readers_could_read_differently_is_no_json(raw: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_json(raw)


def test_a_refusal_does_not_repeat_the_text() -> None:
    for raw in ('{"MARKER":', '{"MARKER":1,"MARKER":2}', '{"a":"MARKER', "MARKER", '{"MARKER":NaN}'):
        with pytest.raises(ValueError, match=r".") as refusal:
            read_json(raw)
        assert "MARKER" not in str(refusal.value)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("null", None),
        ("1", 1),
        ("1.0", 1.0),
        ("-0.0", -0.0),
        ("9007199254740993", 9007199254740993),
        ("1e21", 1e21),
        ("1E-7", 1e-7),
        ('"\\ud83d"', "\ud83d"),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ('"\U0001f600"'.encode(), "\U0001f600"),
        ('{"":{"a":[]}}', {"": {"a": []}}),
        ('[{"a":1},{"a":1}]', [{"a": 1}, {"a": 1}]),
    ],
)
def test_json_is_read_with_its_types(raw: str | bytes, value: Any) -> None:
    assert difference(read_json(raw), value) is None


def test_a_pair_and_the_raw_character_are_the_same_text() -> None:
    """A-44."""
    assert read_json('"\\ud83d\\ude00"') == read_json('"\U0001f600"')


def test_the_canonical_text_is_sorted_dense_and_ascii() -> None:
    value = {"b": [1, 1.0, -0.0, 1e22], "a": {"z": None, "y": True}, "\u00fc": "\U0001f600\ud83d"}
    assert canonical_text(value) == (
        '{"a":{"y":true,"z":null},"b":[1,1.0,-0.0,1e+22],"\\u00fc":"\\ud83d\\ude00\\ud83d"}'
    )


def test_the_canonical_text_tells_types_apart() -> None:
    assert len({canonical_text(value) for value in (1, 1.0, True, "1", None, [1], -0.0, 0.0)}) == 8


@pytest.mark.parametrize("value", [float("nan"), float("inf"), b"x", object(), iter(())])
def test_the_canonical_text_of_something_else_is_refused(value: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        canonical_text({"a": value})


def test_a_read_only_mapping_is_written_as_the_object_it_is() -> None:
    value: Any = MappingProxyType({"b": MappingProxyType({"d": 1, "c": 2}), "a": 1})
    require_json(value, at="payload")
    assert canonical_text(value) == '{"a":1,"b":{"c":2,"d":1}}'


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"a": [0, {"b": b"x"}]}, "messages.a[1].b"),
        ({"a": Decimal(1)}, "messages.a"),
        ([datetime(2026, 1, 1, tzinfo=UTC)], "messages[0]"),
        ([(1, 2)], "messages[0]"),
        ([{1, 2}], "messages[0]"),
        ({"a": {1: "x"}}, "messages.a"),
        ({"a": {None: "x"}}, "messages.a"),
        ({"a": float("nan")}, "messages.a"),
        ([[float("-inf")]], "messages[0][0]"),
        ({"a": 10**5000}, "messages.a"),
        ({"a": -(2**JSON_INTEGER_MAX_BITS)}, "messages.a"),
    ],
)
def test_what_json_cannot_bring_back_is_refused_by_path(value: Any, field: str) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        require_json(value, at="messages")
    assert [error.field for error in refusal.value.errors] == [field]


def test_the_longest_integer_that_is_taken_can_be_written_and_read_again() -> None:
    value = [2**JSON_INTEGER_MAX_BITS - 1, -(2**JSON_INTEGER_MAX_BITS) + 1]
    require_json(value, at="messages")
    assert read_json(canonical_text(value)) == value


def _nested(levels: int) -> Any:
    value: Any = 0
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def test_nesting_is_taken_to_the_limit_and_not_beyond() -> None:
    require_json(_nested(JSON_MAX_DEPTH), at="messages")
    with pytest.raises(InvalidRequest, match="deeper than 100"):
        require_json(_nested(JSON_MAX_DEPTH + 1), at="messages")


@pytest.mark.parametrize("value", ["\ud83d", ["\udc00"], {"a": "x\ud83d"}, {"\ud83d": 1}])
def test_half_a_surrogate_pair_is_refused_only_where_whole_text_is_asked_for(value: Any) -> None:
    """A-44."""
    require_json(value, at="response")
    with pytest.raises(InvalidRequest, match="half a surrogate pair"):
        require_json(value, at="response", whole_text=True)


def test_what_is_taken_comes_back_with_its_types() -> None:
    value: Any = {"a": [None, True, 1, 1.0, -0.0, 2**53 + 1, "\ud83d", "", {}, [[]]], "": {"": ""}}
    require_json(value, at="messages")
    assert difference(read_json(canonical_text(value)), value) is None
    assert json.loads(canonical_text(value)) == value


class CountedName(str):
    """A name that counts how often it is written into another text."""

    written = 0
    __slots__ = ()

    def __format__(self, spec: str) -> str:
        CountedName.written += 1
        return str(self)


def test_no_path_is_made_until_something_is_refused() -> None:
    """D-33: 88 levels of long names over 900,000 numbers took 32 s, because each number had a path of its own."""
    value: Any = [*range(5000)]
    for level in range(88):
        value = {CountedName(f"level{level}"): value}
    CountedName.written = 0
    require_json(value, at="messages", whole_text=True)
    assert CountedName.written == 0
    with pytest.raises(InvalidRequest) as refused:
        require_json({"a": [0, {"b": [1, {**value, "c": (1,)}]}]}, at="messages")
    assert CountedName.written == 0
    assert refused.value.errors[0].field == "messages.a[1].b[1].c"


def test_the_size_is_checked_before_the_parts_are_looked_at() -> None:
    """D-32: a value over its limit is refused for its size, whatever is in it; one that is no JSON, by its path."""
    with pytest.raises(InvalidRequest) as large:
        require_json_within({"a": "\ud83d" * 20}, at="response", max_bytes=64, whole_text=True)
    assert [(error.field, error.message) for error in large.value.errors] == [("response", "must be at most 64 bytes")]
    for value, field in (
        ({"a": {1, 2}}, "response.a"),
        ({"a": [math.nan]}, "response.a[0]"),
        ({"a": {1: 2}}, "response.a"),
    ):
        with pytest.raises(InvalidRequest) as refused:
            require_json_within(value, at="response", max_bytes=64)
        assert [error.field for error in refused.value.errors] == [field]
    assert require_json_within({"b": 1, "a": [None]}, at="response", max_bytes=20) == '{"b":1,"a":[null]}'
