"""The export of the log of decisions: each line once and in order, whatever CloudWatch's pages are like."""

import csv
import io
import json
from typing import Any

import pytest

from askback.domain.pause.decisions import COLUMNS
from askback.operate.decisions import DecisionExport, Span, milliseconds, writer
from askback.operate.stack import Refused

SPAN = Span(start=0, end=100)


def a_line(number: int, **over: Any) -> str:
    return json.dumps(dict.fromkeys(COLUMNS) | {"id": f"e{number}", "decision": "issued", "jti": "j", **over})


class Logs:
    """CloudWatch's pages: events by time, or the error that comes in the place of a page."""

    def __init__(self, *pages: list[tuple[int, str]] | Exception) -> None:
        self.pages = pages
        self.asked: list[dict[str, Any]] = []

    def filter_log_events(self, **wanted: Any) -> dict[str, Any]:
        self.asked.append(wanted)
        number = int(wanted.get("nextToken", 0))
        page = self.pages[number]
        if isinstance(page, Exception):
            raise page
        inside = [
            {"timestamp": at, "message": text} for at, text in page if wanted["startTime"] <= at <= wanted["endTime"]
        ]
        more = {"nextToken": str(number + 1)} if number + 1 < len(self.pages) else {}
        return {"events": inside, **more}


def exported(logs: Logs, span: Span = SPAN, *, form: str = "jsonl") -> tuple[str, DecisionExport]:
    out = io.StringIO()
    export = DecisionExport(logs=logs, log_group="g", span=span)
    for _ in export.run(writer(form, out, head=span.done is None)):
        pass
    return out.getvalue(), export


def ids(text: str) -> list[str]:
    return [json.loads(line)["id"] for line in text.splitlines()]


def test_a_line_that_was_written_twice_comes_once_also_across_pages() -> None:
    logs = Logs([(1, a_line(1)), (5, a_line(3))], [], [(5, a_line(2)), (5, a_line(3)), (9, a_line(4))])
    text, export = exported(logs)
    assert (ids(text), export.lines) == (["e1", "e2", "e3", "e4"], 4)


def test_two_texts_with_one_id_both_come() -> None:
    """A second text is a forgery, and an auditor must see it."""
    text, _ = exported(Logs([(5, a_line(1)), (5, a_line(1, answered_by="eve"))]))
    assert ids(text) == ["e1", "e1"]


def test_the_end_is_not_in_the_span() -> None:
    text, _ = exported(Logs([(0, a_line(1)), (99, a_line(2)), (100, a_line(3))]))
    assert ids(text) == ["e1", "e2"]


@pytest.mark.parametrize("form", ["jsonl", "csv"])
@pytest.mark.parametrize("failing", [1, 2, 3])
def test_an_interrupted_export_goes_on_to_the_same_text(form: str, failing: int) -> None:
    pages: list[Any] = [
        [(1, a_line(1)), (2, a_line(2))],
        [(2, a_line(3)), (3, a_line(4)), (3, a_line(4))],
        [],
        [(3, a_line(5)), (4, a_line(6))],
    ]
    whole, _ = exported(Logs(*pages), form=form)
    out = io.StringIO()
    broken = DecisionExport(logs=Logs(*pages[:failing], Refused("x", "y")), log_group="g", span=SPAN)
    with pytest.raises(Refused, match="x: y"):
        for _ in broken.run(writer(form, out, head=True)):
            pass
    left = SPAN.after(broken.span.cursor())
    rest, _ = exported(Logs(*pages), left, form=form)
    assert out.getvalue() + rest == whole
    assert (len(rest), len(out.getvalue())) > (0, 0)


def test_the_cursor_of_a_whole_export_leaves_nothing() -> None:
    logs = Logs([(1, a_line(1)), (99, a_line(2))])
    _, export = exported(logs)
    text, _ = exported(logs, SPAN.after(export.span.cursor()))
    assert text == ""
    assert len(logs.asked) == 1


@pytest.mark.parametrize("cursor", ["", "x", "WzBd", "a" * 300, Span(start=0, end=99, done=5).cursor(), SPAN.cursor()])
def test_a_cursor_of_no_such_export_is_refused(cursor: str) -> None:
    with pytest.raises(Refused, match="--after"):
        SPAN.after(cursor)


def test_an_older_event_after_a_newer_one_ends_the_export() -> None:
    with pytest.raises(Refused, match="out-of-order"):
        exported(Logs([(5, a_line(1))], [(4, a_line(2))]))


def test_what_askback_did_not_write_is_counted_and_left_out() -> None:
    text, export = exported(Logs([(1, "hello"), (1, "[1]"), (1, '{"id":7}'), (2, a_line(1))]))
    assert (ids(text), export.foreign) == (["e1"], 3)


def test_only_the_lines_of_one_time_are_kept_in_memory() -> None:
    sizes = []
    logs = Logs(*[[(page, a_line(number)) for number in range(page * 10, page * 10 + 10)] for page in range(50)])
    export = DecisionExport(logs=logs, log_group="g", span=SPAN)
    for _ in export.run(lambda lines: sizes.append(len(lines))):
        pass
    assert sizes == [10] * 50


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\uff1d", "\t=", "\r=", " ="])
def test_no_cell_is_a_formula(sign: str) -> None:
    text, _ = exported(Logs([(1, a_line(1, answered_by=f'{sign}HYPERLINK("http://x","y")'))]), form="csv")
    head, row = csv.reader(io.StringIO(text, newline=""))
    assert tuple(head) == COLUMNS
    cell = dict(zip(head, row, strict=True))["answered_by"]
    assert cell == f'\'{sign}HYPERLINK("http://x","y")'


def test_a_cell_with_commas_quotes_and_lines_stays_one_cell() -> None:
    name = 'a,"b"\nc'
    text, _ = exported(Logs([(1, a_line(1, scope_label=name, by_policy=True, cross_scope=False))]), form="csv")
    head, row = csv.reader(io.StringIO(text, newline=""))
    found = dict(zip(head, row, strict=True))
    assert (found["scope_label"], found["by_policy"], found["cross_scope"], found["turn_hash"]) == (
        name,
        "true",
        "false",
        "",
    )


@pytest.mark.parametrize(
    ("text", "at"),
    [("1970-01-01T00:00:01Z", 1000), ("1970-01-01T01:00:00.5+01:00", 500), ("1970-01-01t00:00:00z", 0)],
)
def test_a_time_is_rfc_3339(text: str, at: int) -> None:
    assert milliseconds(text) == at


@pytest.mark.parametrize("text", ["yesterday", "2026-11-30", "2026-11-30T00:00:00", "1790000000", ""])
def test_any_other_text_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match="RFC 3339"):
        milliseconds(text)
