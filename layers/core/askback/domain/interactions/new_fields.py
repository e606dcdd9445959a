"""The rules for the fields of a new request: a person can fill in each of them, and tell them apart.

The rules are not for recorded requests: the pauses of a version without them must stay readable.
"""

import math
from collections.abc import Mapping

from askback.domain.errors import FieldError
from askback.domain.interactions.form_fields import (
    DOES_NOT_FIT,
    TEXT_MAX_CHARACTERS,
    ChoicesField,
    FormField,
    NumberField,
    TextField,
    fault,
)
from askback.domain.visible_text import look_different

_SHORTEST = {"email": 3, "uri": 3, "date": 10, "date-time": 20}
"""The characters of the shortest value of each format."""

ALIKE = "must have labels that are not blank, and that a reader can tell apart"
NEVER = "has limits that no value fits"


def new_field_errors(fields: Mapping[str, FormField], *, at: str) -> list[FieldError]:
    """Return an error for each field that no person can fill in or tell apart; `at` is the path of the fields."""
    errors = []
    for name, field in fields.items():
        if wrong := _wrong(field):
            errors.append(FieldError(f"{at}.{name}", wrong, f"{at}.*"))
        elif field.default is not None and (unfit := fault(field, field.default)):
            errors.append(FieldError(f"{at}.{name}.default", unfit, f"{at}.*.default", DOES_NOT_FIT))
    if not look_different(field.title or name for name, field in fields.items()):
        errors.append(FieldError(at, ALIKE))
    return errors


def _wrong(field: FormField) -> str | None:
    match field:
        case TextField(enum=None):
            longest = TEXT_MAX_CHARACTERS if field.max_length is None else field.max_length
            shortest = max(field.min_length or 0, _SHORTEST[field.format] if field.format else 0)
            return NEVER if shortest > longest else None
        case TextField():
            return None if look_different(field.enum_names or field.enum or ()) else ALIKE
        case NumberField():
            return None if _has_a_number(field) else NEVER
        case ChoicesField():
            choices = field.items.enum_names or field.items.enum
            most = len(choices) if field.max_items is None else min(field.max_items, len(choices))
            if not look_different(choices):
                return ALIKE
            return NEVER if (field.min_items or 0) > most or not most else None
        case _:
            return None


def _has_a_number(field: NumberField) -> bool:
    if field.minimum is None or field.maximum is None:
        return True
    if field.type == "integer":
        return math.ceil(field.minimum) <= math.floor(field.maximum)
    return field.minimum <= field.maximum
