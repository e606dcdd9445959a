"""Files that an export made: a record on each line of JSON, or CSV with a header.

A file is refused as a whole, with the number of the line that is wrong and never with what stands there: an export that
was made of the wrong table may hold anything.
"""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from askback.domain.json_text import read_json

Record = Mapping[str, Any]


class LineRefused(Exception):
    """A line of the file is not a record; `line` counts from one."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line


def read_records(path: Path) -> Iterator[tuple[int, Record]]:
    """Give each record with the number of its line; a file whose name ends in `.csv` is CSV, any other JSON lines.

    Raises:
        LineRefused: naming the line.
        OSError: the file cannot be read.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            yield from _csv(file) if path.suffix.lower() == ".csv" else _json_lines(file)
        except UnicodeDecodeError:
            # The text is decoded some way ahead of the line that is read.
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
