"""The field types of a form: a flat subset of JSON Schema, and the check of a value against a field.

An agent writes the schema, so only keywords are allowed that one pass over the value can check: no `pattern`, no
`$ref`, no nesting. Formats are checked. The keywords are those of JSON Schema (draft 2020-12), except `enumNames`. The
verdicts are those of the package `jsonschema`, or stricter; decision 008 has the differences, and says why it is not
used here.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
    model_validator,
)
from pydantic.alias_generators import to_camel

from askback.domain.json_text import Json

CHOICES_MAX = 100
TEXT_MAX_CHARACTERS = 10_000
"""The longest text of any field; a field's own `maxLength` may be lower."""

Choice = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Choices = Annotated[list[Choice], Field(min_length=1, max_length=CHOICES_MAX)]


class SchemaModel(BaseModel):
    """A model with JSON Schema keywords: it reads strictly, and it writes only keywords that have a value."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        defer_build=True,
        alias_generator=to_camel,
        serialize_by_alias=True,
    )

    @model_serializer(mode="wrap")
    def _without_what_is_not_said(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # A keyword whose value is null is not JSON Schema.
        return {name: value for name, value in handler(self).items() if value is not None}


class _Field(SchemaModel):
    title: str | None = Field(default=None, min_length=1, max_length=100)
    description: str | None = Field(default=None, max_length=500)


class TextField(_Field):
    """A text: free, with a format, or one of `enum`; `enumNames` are optional labels of the choices."""

    type: Literal["string"]
    min_length: int | None = Field(default=None, ge=0, le=TEXT_MAX_CHARACTERS)
    max_length: int | None = Field(default=None, ge=0, le=TEXT_MAX_CHARACTERS)
    format: Literal["email", "uri", "date", "date-time"] | None = None
    enum: Choices | None = None
    enum_names: Choices | None = None
    default: str | None = None

    @model_validator(mode="after")
    def _choices_make_sense(self) -> Self:
        _require_choices(self.enum, self.enum_names)
        if self.enum is not None and (self.format, self.min_length, self.max_length) != (None, None, None):
            raise ValueError("a choice takes neither a format nor a length")
        return self


class NumberField(_Field):
    """A number or a whole number; `minimum` and `maximum` are allowed values."""

    type: Literal["number", "integer"]
    minimum: int | float | None = None
    maximum: int | float | None = None
    default: int | float | None = None


class YesNoField(_Field):
    """True or false; a text such as "false" is refused."""

    type: Literal["boolean"]
    default: bool | None = None


class ChoiceItems(SchemaModel):
    """The choices of a list field."""

    type: Literal["string"]
    enum: Choices
    enum_names: Choices | None = None

    @model_validator(mode="after")
    def _choices_make_sense(self) -> Self:
        _require_choices(self.enum, self.enum_names)
        return self


class ChoicesField(_Field):
    """Any number of different choices."""

    type: Literal["array"]
    items: ChoiceItems
    min_items: int | None = Field(default=None, ge=0, le=CHOICES_MAX)
    max_items: int | None = Field(default=None, ge=0, le=CHOICES_MAX)
    unique_items: Literal[True] | None = None
    default: list[str] | None = None


DOES_NOT_FIT = "does not fit its field"
"""The message of `fault` without choices and limits, which the agent has written."""
FormField = Annotated[TextField | NumberField | YesNoField | ChoicesField, Field(discriminator="type")]
FieldName = Annotated[str, StringConstraints(min_length=1, max_length=64)]


def fault(field: TextField | NumberField | YesNoField | ChoicesField, value: Json) -> str | None:
    """Return the error of a value, or None; the text says what is allowed and never contains the value."""
    match field:
        case TextField():
            return _text_fault(field, value)
        case NumberField():
            return _number_fault(field, value)
        case YesNoField():
            return None if isinstance(value, bool) else "must be true or false"
        case ChoicesField():
            return _choices_fault(field, value)


def _text_fault(field: TextField, value: Json) -> str | None:
    if not isinstance(value, str):
        return "must be a text"
    if field.enum is not None:
        return None if value in field.enum else f"must be one of {', '.join(map(repr, field.enum))}"
    longest = TEXT_MAX_CHARACTERS if field.max_length is None else field.max_length
    if not (field.min_length or 0) <= len(value) <= longest:
        return f"must have {field.min_length or 0} to {longest} characters"
    if field.format is not None and not _FORMATS[field.format](value):
        return f"must be {_FORMAT_WORDS[field.format]}"
    return None


def _number_fault(field: NumberField, value: Json) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int if field.type == "integer" else int | float):
        return "must be a whole number" if field.type == "integer" else "must be a number"
    if field.minimum is not None and value < field.minimum:
        return f"must be at least {field.minimum}"
    if field.maximum is not None and value > field.maximum:
        return f"must be at most {field.maximum}"
    return None


def _choices_fault(field: ChoicesField, value: Json) -> str | None:
    if not isinstance(value, list) or any(item not in field.items.enum for item in value):
        return f"must be a list of {', '.join(map(repr, field.items.enum))}"
    if len(set(value)) != len(value):
        return "names a choice twice"
    fewest, most = field.min_items or 0, len(field.items.enum) if field.max_items is None else field.max_items
    if not fewest <= len(value) <= most:
        return f"must have {fewest} to {most} choices"
    return None


def _require_choices(choices: Sequence[str] | None, names: Sequence[str] | None) -> None:
    if choices is not None and len(set(choices)) != len(choices):
        raise ValueError("the choices must differ")
    if names is not None and (choices is None or len(names) != len(choices)):
        raise ValueError("enumNames must have one name for each choice")


# The pattern of `input type=email` in WHATWG HTML, so that the page and the server accept the same addresses.
_EMAIL = re.compile(
    r"[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
    r"(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*"
)
# RFC 3986: a scheme and a colon, then only characters that a URI can contain.
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_DATE_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})", re.ASCII)


def _is_uri(value: str) -> bool:
    try:
        urlsplit(value)
    except ValueError:
        return False
    return _URI.fullmatch(value) is not None


def _is_time(pattern: re.Pattern[str], parse: Callable[[str], object], value: str) -> bool:
    if not pattern.fullmatch(value):
        return False
    try:
        parse(value.upper())
    except ValueError:
        return False
    return True


_FORMATS: Mapping[str, Callable[[str], bool]] = {
    "email": lambda value: _EMAIL.fullmatch(value) is not None,
    "uri": _is_uri,
    "date": lambda value: _is_time(_DATE, date.fromisoformat, value),
    "date-time": lambda value: _is_time(_DATE_TIME, datetime.fromisoformat, value),
}
_FORMAT_WORDS = {
    "email": "an e-mail address",
    "uri": "an address with its scheme, such as https://example.com",
    "date": "a date such as 2026-01-31",
    "date-time": "a time with its offset, such as 2026-01-31T09:30:00Z",
}
