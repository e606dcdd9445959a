"""pydantic's errors as field errors: few, short, and without the value that was sent.

A body of one megabyte can have a hundred thousand wrong parts, and pydantic makes an object for each of them when it is
asked for any. So they are asked for only while they are few. Otherwise one error says how many there are.
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from askback.domain.errors import ERRORS_SHOWN, FieldError

READ_MAX = 1000
"""How many errors of pydantic are read at most: about 20 ms of processor time, and 2 MB."""
NAME_MAX_CHARACTERS = 200
_OWN_MESSAGES = {"union_tag_invalid": "Input should have one of the expected types"}
"""Messages in place of those that repeat the sent value."""
# fmt: off
_BARE_TYPES = frozenset({
    "missing", "extra_forbidden", "none_required", "bool_type", "int_type", "float_type", "string_type", "list_type",
    "dict_type", "tuple_type", "set_type", "model_type", "model_attributes_type", "int_from_float", "finite_number",
    "literal_error", "enum", "union_tag_not_found", "union_tag_invalid", "string_too_short", "string_too_long",
    "string_pattern_mismatch", "too_short", "too_long", "multiple_of", "greater_than", "greater_than_equal",
    "less_than", "less_than_equal",
})
# fmt: on
"""Types of errors whose message has only limits and names of the schema. Others may have texts of an adopter's code."""
_BARE_MESSAGE = "Input does not fit its schema"

Location = Sequence[int | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldErrors:
    """The errors that are shown, and how many there are besides."""

    shown: tuple[FieldError, ...]
    more: int = 0

    def names(self) -> str:
        """Return the names of the shown fields, with commas between them."""
        return ", ".join(error.field for error in self.shown)

    def bare_names(self) -> str:
        """Return the same names without anything of the payload."""
        return ", ".join(error.bare.field for error in self.shown)


def field_errors(
    error: ValidationError,
    path: Callable[[Location], str],
    *,
    whole: str,
    schema: Callable[[], Mapping[str, Any]],
) -> FieldErrors:
    """Return what is wrong, the first `ERRORS_SHOWN` fields by their path; `whole` names the value as a whole.

    `schema` returns the JSON Schema of the value: its names may stand in a bare path, every other name is `*`.
    """
    count = error.error_count()
    if count > READ_MAX:
        return FieldErrors(shown=(FieldError(whole, f"has {count} wrong, missing or unknown parts"),))
    # Without `input` and `ctx`: an error must not contain the sent value.
    details = error.errors(include_url=False, include_context=False, include_input=False)[:ERRORS_SHOWN]
    names = _names(schema)
    shown = []
    for item in details:
        message = _OWN_MESSAGES.get(item["type"], item["msg"])
        bare = [part if isinstance(part, int) or part in names else "*" for part in item["loc"]]
        shown.append(
            FieldError(
                cut(path(item["loc"]), NAME_MAX_CHARACTERS),
                message,
                bare_field=cut(path(bare), NAME_MAX_CHARACTERS),
                bare_message=message if item["type"] in _BARE_TYPES else _BARE_MESSAGE,
            )
        )
    return FieldErrors(shown=tuple(shown), more=count - len(details))


@functools.lru_cache(maxsize=64)
def _names(schema: Callable[[], Mapping[str, Any]]) -> frozenset[str]:
    """Return the names in a schema; kept, because to make a schema takes longer than the rest of a refusal."""
    try:
        return frozenset(_names_in(schema()))
    except Exception:  # noqa: BLE001 - an adopter's type may have no JSON Schema; then no name of it is shown
        return frozenset()


def _names_in(value: object) -> Iterator[str]:
    """Yield the properties of each object of a JSON Schema, and the tags of its unions."""
    if isinstance(value, Mapping):
        for keyword, part in value.items():
            if keyword in ("properties", "mapping") and isinstance(part, Mapping):
                yield from part
                part = list(part.values())  # noqa: PLW2901 - a property may have the name of a keyword
            yield from _names_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from _names_in(part)


def cut(text: str, characters: int) -> str:
    """Return the text, or its beginning with an ellipsis when it is longer."""
    return text if len(text) <= characters else text[: characters - 1] + "…"
