"""An export is read as lines of JSON or as CSV, and refused by the number of its line, never by what stands there."""

from pathlib import Path
from typing import Any

import pytest

from askback.cutover.lines import LineRefused, read_records


def _file(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def _read(path: Path) -> list[tuple[int, Any]]:
    return list(read_records(path))


def test_each_line_of_json_is_a_record_and_blank_ones_are_none(tmp_path: Path) -> None:
    path = _file(tmp_path, "a.jsonl", '{"jti": "a"}\n\n  \n{"jti": "b", "name": null}\n')
    assert _read(path) == [(1, {"jti": "a"}), (4, {"jti": "b", "name": None})]


def test_csv_has_a_header_and_its_fields_may_hold_commas_quotes_and_line_breaks(tmp_path: Path) -> None:
    path = _file(tmp_path, "a.CSV", 'jti,name\na,"x, ""y""\nz"\nb,\n\n')
    assert _read(path) == [(3, {"jti": "a", "name": 'x, "y"\nz'}), (4, {"jti": "b", "name": ""})]


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    for name, content in (("a.csv", "jti\na\n"), ("a.json", '{"jti": "a"}\n')):
        ((_, record),) = _read(_file(tmp_path, name, b"\xef\xbb\xbf" + content.encode()))
        assert record == {"jti": "a"}


def test_an_empty_file_has_no_records(tmp_path: Path) -> None:
    for name, content in (("a.csv", ""), ("b.csv", "jti,name\n"), ("a.jsonl", "")):
        assert _read(_file(tmp_path, name, content)) == []


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.jsonl", '{"jti": "a"}\n{"jti": "SECRET"\n', 2),
        ("a.jsonl", '["SECRET"]\n', 1),
        ("a.jsonl", '{"SECRET": 1, "SECRET": 2}\n', 1),
        ("a.jsonl", '{"SECRET": NaN}\n', 1),
        ("a.csv", "jti,name\na,b\nSECRET\n", 3),
        ("a.csv", "SECRET,SECRET\na,b\n", 1),
        ("a.csv", 'jti,name\na,"SECRET\n', 2),
        ("a.csv", 'jti,name\na,"SEC"RET\n', 2),
    ],
)
def test_a_line_that_is_no_record_is_told_by_its_number(tmp_path: Path, name: str, content: str, line: int) -> None:
    with pytest.raises(LineRefused) as refused:
        _read(_file(tmp_path, name, content))
    assert refused.value.line == line
    assert str(refused.value).startswith(f"line {line}: ")
    assert "SECRET" not in str(refused.value)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(LineRefused, match="not UTF-8"):
        _read(_file(tmp_path, name, b"jti,name\na,\xff\n"))
