"""Exports the log of decisions: each line once, in order of time, in a form that can be read on after an interruption.

CloudWatch returns events in order of their timestamps. All lines of one timestamp are collected, freed of duplicates,
sorted and written at once. So only these are in memory, and the place to go on from is always a whole timestamp.
"""

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TextIO

from askback.domain.cursor import cursor_of, text_of
from askback.domain.pause.decisions import COLUMNS
from askback.operate.stack import Refused, client_errors_as_refusals

FORMATS: Final = ("jsonl", "csv")
_CURSOR_MAX_CHARACTERS: Final = 200
_FORMULA_SIGNS: Final = "=+-@\uff1d\uff0b\uff0d\uff20"
"""A spreadsheet runs a cell that begins with one of these."""


def milliseconds(text: str) -> int:
    """Return an RFC 3339 time in epoch milliseconds; raises ValueError, also for a time without its offset."""
    wrong = ValueError("not an RFC 3339 time with an offset")
    try:
        time = datetime.fromisoformat(text.upper())
    except ValueError:
        raise wrong from None
    if time.tzinfo is None or "T" not in text.upper():
        raise wrong
    return round(time.timestamp() * 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A span of time in epoch milliseconds; `start` is in it and `end` is not. `done` is the last one exported."""

    start: int
    end: int
    done: int | None = None

    def cursor(self) -> str:
        """Return the cursor with which an interrupted export goes on."""
        return cursor_of(json.dumps([self.start, self.end, self.done], separators=(",", ":")))

    def after(self, cursor: str) -> "Span":
        """Return what is left of this span after a cursor; raises Refused for a cursor of another export."""
        try:
            start, end, done = json.loads(text_of(cursor, max_characters=_CURSOR_MAX_CHARACTERS))
        except (ValueError, TypeError):
            raise Refused("invalid-request", "--after is not a cursor of an earlier export") from None
        if (start, end) != (self.start, self.end) or type(done) is not int or not start <= done < end:
            raise Refused("invalid-request", "--after is of an export with another --from or --to")
        return Span(start=start, end=end, done=done)


class DecisionExport:
    """One export from a log group. After an error, `span` has what was written."""

    def __init__(self, *, logs: Any, log_group: str, span: Span) -> None:
        self._logs = logs
        self._log_group = log_group
        self.span = span
        self.lines = 0
        self.foreign = 0
        """How many events of the log group are no lines of askback; they are left out."""

    def run(self, write: Callable[[Sequence[dict[str, Any]]], None]) -> Iterator[Span]:
        """Write the lines, and yield what is done after each page of CloudWatch that had some.

        Raises:
            Refused: CloudWatch refused, or did not return the events in order.
        """
        at, group = None, set[str]()
        done = self.span.done
        for page in self._pages():
            for event in page:
                if at is not None and event["timestamp"] < at:
                    raise Refused("out-of-order", "CloudWatch returned an older event after a newer one")
                if at is not None and event["timestamp"] > at:
                    self._write(at, group, write)
                    group = set()
                at = event["timestamp"]
                group.add(event["message"])
            if self.span.done != done:
                done = self.span.done
                yield self.span
        if at is not None:
            self._write(at, group, write)

    def _pages(self) -> Iterator[list[Any]]:
        start = self.span.start if self.span.done is None else self.span.done + 1
        if start >= self.span.end:
            return
        wanted: dict[str, Any] = {
            "logGroupName": self._log_group,
            "startTime": start,
            # CloudWatch includes the end.
            "endTime": self.span.end - 1,
            # In order over all log streams. AWS always does this; an emulator may do it only when it is asked.
            "interleaved": True,
        }
        while True:
            with client_errors_as_refusals():
                page = self._logs.filter_log_events(**wanted)
            yield page["events"]
            # A page can be empty and have another one after it.
            if "nextToken" not in page:
                return
            wanted["nextToken"] = page["nextToken"]

    def _write(self, at: int, group: set[str], write: Callable[[Sequence[dict[str, Any]]], None]) -> None:
        """Write the lines of one timestamp: a line that was written twice has the same text."""
        lines = [line for line in map(_line, group) if line is not None]
        self.foreign += len(group) - len(lines)
        write(sorted(lines, key=lambda line: (line["id"], json.dumps(line))))
        self.lines += len(lines)
        self.span = Span(start=self.span.start, end=self.span.end, done=at)


def writer(form: str, out: TextIO, *, head: bool) -> Callable[[Sequence[dict[str, Any]]], None]:
    """Return what writes lines in a form; `head` is for the first part of an export, which has the names of columns."""
    if form == "csv" and head:
        out.write(_csv([COLUMNS]))

    def write(lines: Sequence[dict[str, Any]]) -> None:
        if form == "csv":
            out.write(_csv([[_cell(line.get(name)) for name in COLUMNS] for line in lines]))
        else:
            out.write("".join(json.dumps(line) + "\n" for line in lines))
        out.flush()

    return write


def _line(message: str) -> dict[str, Any] | None:
    try:
        document = json.loads(message)
    except ValueError:
        return None
    ours = isinstance(document, dict) and all(isinstance(document.get(name), str) for name in ("id", "decision", "jti"))
    return document if ours else None


def _csv(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _cell(value: Any) -> str:
    """Return a value as a cell that no spreadsheet runs as a formula."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value)
    return f"'{text}" if text.lstrip()[:1] and text.lstrip()[:1] in _FORMULA_SIGNS else text
