"""The fields of a record, each read strictly; a refusal names the field and never its value."""

import math
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

_TIME_RULE = "must be a time with its zone, such as 2026-01-02T03:04:05Z, or epoch seconds"
_SECONDS = re.compile(r"[0-9]{1,11}(\.[0-9]+)?")


class FieldRefused(ValueError):
    """A field is missing, unknown or wrong."""


def require_known(record: Mapping[str, Any], known: frozenset[str]) -> None:
    """Refuse fields that have no meaning here; their names may be anything, so only their number is told."""
    unknown = len(record.keys() - known)
    if unknown:
        raise FieldRefused(f"has {unknown} unknown fields; the known ones are {', '.join(sorted(known))}")


def text(record: Mapping[str, Any], name: str, *, limit: int) -> str:
    """Return a text of 1 to `limit` bytes of UTF-8."""
    value = record.get(name)
    if not isinstance(value, str) or not value:
        raise FieldRefused(f"{name} must be a text that is not empty")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise FieldRefused(f"{name} contains half a surrogate pair") from None
    if size > limit:
        raise FieldRefused(f"{name} must be at most {limit} bytes")
    return value


def hex_digits(record: Mapping[str, Any], name: str, *, length: int) -> str:
    """Return a text of exactly so many lower-case hex digits."""
    value = record.get(name)
    if not isinstance(value, str) or not re.fullmatch(rf"[0-9a-f]{{{length}}}", value):
        raise FieldRefused(f"{name} must be {length} hex digits")
    return value


def time(record: Mapping[str, Any], name: str) -> int | None:
    """Return a time in whole epoch seconds, rounded up, or None where there is none."""
    value = record.get(name)
    if value is None or value == "":
        return None
    seconds = epoch_seconds(value)
    if seconds is None:
        raise FieldRefused(f"{name} {_TIME_RULE}")
    return seconds


def epoch_seconds(value: object) -> int | None:
    """Read epoch seconds, or a time with its zone as ISO 8601 or PostgreSQL write it; None for anything else.

    Rounded up: a time that bounds an expiry must not be earlier than what it was.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return None
    if _SECONDS.fullmatch(value):
        return math.ceil(float(value))
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return None if moment.tzinfo is None else math.ceil(moment.timestamp())
