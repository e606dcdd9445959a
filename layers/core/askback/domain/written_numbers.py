"""Numbers with the digits in which a person wrote them: `0.10` stays `0.10`, and a long decimal is not rounded.

A Python float has the nearest binary number and forgets its digits. A `WrittenNumber` is that float with its text, so
everything that computes works as before. Only an answer is written with its digits, in its record, its delivery and its
replies: what a person has approved is what runs. Every other text is written as Python writes a float, because hashes
of earlier versions depend on it.
"""

import json
from collections.abc import Mapping
from typing import Any, Self

DIGITS_MAX = 128
"""The longest number that keeps its digits, in characters; a longer one is read as the nearest float."""


class WrittenNumber(float):
    """A float that was written in other digits than Python would write."""

    __slots__ = ("text",)
    text: str

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the number of a JSON text."""
        number = cls(text)
        number.text = text
        return number


def written_text(value: Any, *, spaced: bool = False, sort_keys: bool = False) -> str:
    """Return the JSON text of a value, in ASCII, with its numbers as they were written; `spaced` as `json.dumps` does.

    Raises:
        ValueError: a number is not finite.
    """
    separators = (", ", ": ") if spaced else (",", ":")
    if not has_digits(value):
        return json.dumps(value, allow_nan=False, separators=separators, sort_keys=sort_keys, default=dict)
    return _written(value, *separators, sort_keys)


def _written(value: Any, comma: str, colon: str, sort_keys: bool) -> str:
    match value:
        case WrittenNumber():
            return value.text
        case Mapping():
            names = sorted(value) if sort_keys else list(value)
            members = (f"{json.dumps(name)}{colon}{_written(value[name], comma, colon, sort_keys)}" for name in names)
            return "{" + comma.join(members) + "}"
        case list():
            return "[" + comma.join(_written(item, comma, colon, sort_keys) for item in value) + "]"
        case _:
            return json.dumps(value, allow_nan=False)


def has_digits(value: Any) -> bool:
    """Return whether there is a written number in a JSON value."""
    match value:
        case WrittenNumber():
            return True
        case Mapping():
            return any(map(has_digits, value.values()))
        case list():
            return any(map(has_digits, value))
    return False


def with_digits(read: Any, given: Any) -> Any:
    """Return what a schema has read, with the digits of the numbers that were given at the same places."""
    match read, given:
        case float(), WrittenNumber() if read == given:
            return given
        case dict(), dict():
            return {name: with_digits(item, given.get(name)) for name, item in read.items()}
        case list(), list() if len(read) == len(given):
            return [with_digits(item, other) for item, other in zip(read, given, strict=True)]
    return read
