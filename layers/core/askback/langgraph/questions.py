"""The form of an interrupt's value: the name of a registered interaction, and its payload."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from askback.domain.errors import InvalidRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A registered interaction and its payload."""

    name: str
    payload: Mapping[str, Any]


Asking = Callable[[Any], Question]
"""Turns the value that a graph gave to `interrupt(...)` into a question."""


def question(name: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value to give to `interrupt(...)` for a registered interaction."""
    return {"name": name, "payload": dict(payload)}


def named_question(value: Any) -> Question:
    """Read a value that `question` made.

    Raises:
        InvalidRequest: the value has another form; a graph with such values needs its own `Asking`.
    """
    match value:
        case {"name": str(name), "payload": dict(payload), **rest} if not rest:
            return Question(name=name, payload=payload)
    raise InvalidRequest.of_field("interrupt", "must be a question with a name and a payload")
