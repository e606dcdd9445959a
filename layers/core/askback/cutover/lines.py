"""Reads export files: one JSON record on each line, or CSV with a header.

One wrong line refuses the whole file. The error says the line number and the name of the wrong field, never the value:
an export of the wrong table may contain secrets.
"""

import csv
import math
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from askback.domain.json_text import read_json

Record = Mapping[str, Any]


class LineRefused(Exception):
    """A line of the file is not a record; `line` counts from 1, and 0 means the whole file."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line


def read_records(path: Path) -> Iterator[tuple[int, Record]]:
    """Yield each record with its line number; a file whose name ends in `.csv` is CSV, any other is JSON lines.

    Raises:
        LineRefused: with the number of the line.
        OSError: the file cannot be read.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            yield from _csv(file) if path.suffix.lower() == ".csv" else _json_lines(file)
        except UnicodeDecodeError:
            # Python decodes ahead of the line that it reads, so the line is not known.
            raise LineRefused(0, "the file is not UTF-8") from None


def _json_lines(file: TextIO) -> Iterator[tuple[int, Record]]:
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        try:
            record = read_json(line)
        except ValueError as error:
            raise LineRefused(number, str(error)) from None
        if not isinstance(record, dict):
            raise LineRefused(number, "not a JSON object")
        yield number, record


def _csv(file: TextIO) -> Iterator[tuple[int, Record]]:
    rows = csv.reader(file, strict=True)
    try:
        head = next(rows, None)
        if head is None:
            return
        if len(set(head)) != len(head):
            raise LineRefused(1, "the header names a column twice")
        for row in rows:
            if not row:
                continue
            if len(row) != len(head):
                raise LineRefused(rows.line_num, f"has {len(row)} fields, and the header {len(head)}")
            yield rows.line_num, dict(zip(head, row, strict=True))
    except csv.Error:
        raise LineRefused(rows.line_num, "not CSV") from None


_TIME_RULE = "must be a time with its zone, such as 2026-01-02T03:04:05Z, or epoch seconds"
_SECONDS = re.compile(r"[0-9]{1,11}(\.[0-9]+)?")


class FieldRefused(ValueError):
    """A field is missing, unknown or wrong."""


def require_known(record: Mapping[str, Any], known: frozenset[str]) -> None:
    """Refuse unknown fields; the error says only how many, because their names may contain secrets."""
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
    """Return a text of exactly `length` lower-case hex digits."""
    value = record.get(name)
    if not isinstance(value, str) or not re.fullmatch(rf"[0-9a-f]{{{length}}}", value):
        raise FieldRefused(f"{name} must be {length} hex digits")
    return value


def time(record: Mapping[str, Any], name: str) -> int | None:
    """Return a time in whole epoch seconds, rounded up; None when the field is empty or missing."""
    value = record.get(name)
    if value is None or value == "":
        return None
    seconds = epoch_seconds(value)
    if seconds is None:
        raise FieldRefused(f"{name} {_TIME_RULE}")
    return seconds


def epoch_seconds(value: object) -> int | None:
    """Read epoch seconds, or a time with its zone in the form of ISO 8601 or PostgreSQL; None for anything else.

    The result is rounded up: an upper bound of an expiry must not be earlier than the true time.
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
