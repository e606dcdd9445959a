"""JSON values that the page draws as tables, diffs and images, and values that are nearly the same."""

import base64
import json
from typing import Any, Final

from hypothesis import strategies as st

from tests.support.tricky_json import TRICKY, WORDS

_LINES: Final = st.one_of(
    st.sampled_from(
        ["", " ", "a", "  a", "a ", "-a", "+a", "-- a", "@@ -1 +1 @@", "\\ a", "\u21b5", "(Lines added: 1, removed: 1)"]
    ),
    st.text(TRICKY, max_size=4).map(lambda text: text.replace("\n", "")),
)
_CELLS: Final = st.one_of(
    st.sampled_from(
        [None, True, False, "", 0, 1, "1", "Yes", "None", "(not given)", "not given", "a\tb", "a b", "a", "b", "\u00a6"]
    ),
    st.sampled_from(WORDS),
    st.text(TRICKY, max_size=4),
)
_NAMES: Final = ["a", "b", "to", "To", "", "a b", "2"]


def diff_of(lines: list[tuple[str, str]], end: str = "") -> str:
    """Return the unified diff of one hunk with these lines, each a sign and a text."""
    before, after = (sum(sign != other for sign, _ in lines) for other in "+-")
    head = ["--- a", "+++ b", f"@@ -1,{before} +1,{after} @@"]
    return "\n".join([*head, *(sign + text for sign, text in lines)]) + end


@st.composite
def _diffs(draw: st.DrawFn) -> list[Any]:
    lines = draw(st.lists(st.tuples(st.sampled_from(" -+"), _LINES), min_size=1, max_size=5))
    at = draw(st.integers(0, len(lines) - 1))
    sign, text = lines[at]
    others = [(draw(st.sampled_from(" -+")), text), (sign, draw(_LINES)), (sign, text + " "), (sign, " " + text)]
    families = [lines, lines[::-1], *([*lines[:at], other, *lines[at + 1 :]] for other in others)]
    diffs = [diff_of(each, end) for each in families for end in ("", "\n", "\n\n")]
    return [*diffs, diffs[0].replace("\n", " "), diffs[0].split("\n"), [diffs[0]]]


@st.composite
def _pairs(draw: st.DrawFn) -> list[Any]:
    texts = st.lists(_LINES, min_size=1, max_size=4).map("\n".join)
    first, second, third = (draw(texts) for _ in range(3))
    names = draw(st.sampled_from([("before", "after"), ("old", "new"), ("from", "to")]))
    members = [(first, second), (second, first), (first, third), (first, first), (first, second + "\n"), (first, None)]
    pairs = [dict(zip(order, values, strict=True)) for values in members for order in (names, names[::-1])]
    return [*pairs, {names[0]: first, "x": 1, names[1]: second}, {"Before": first, names[1]: second}]


@st.composite
def _tables(draw: st.DrawFn) -> list[Any]:
    names = draw(st.lists(st.sampled_from(_NAMES), min_size=2, max_size=4, unique=True))
    rows = [{name: draw(_CELLS) for name in names} for _ in range(draw(st.integers(2, 4)))]
    at, name, other = draw(st.integers(0, len(rows) - 1)), draw(st.sampled_from(names)), draw(_CELLS)
    row = rows[at]
    changed = [
        {**row, name: other},
        {**row, name: None},
        {**row, name: ""},
        {key: value for key, value in row.items() if key != name},
        dict(reversed(row.items())),
        dict(zip(row, [*list(row.values())[1:], row[names[0]]], strict=True)),
        {**row, name: [row[name]]},
    ]
    tables = [[*rows[:at], each, *rows[at + 1 :]] for each in changed]
    return [rows, rows[::-1], [*rows, row], *tables, {name: rows}, [rows]]


@st.composite
def _images(draw: st.DrawFn) -> list[Any]:
    content = draw(st.binary(min_size=1, max_size=60))
    kind = draw(st.sampled_from(["png", "jpeg", "gif", "webp", "svg+xml"]))
    uri = f"data:image/{kind};base64,{base64.b64encode(content).decode()}"
    other = f"data:image/{kind};base64,{base64.b64encode(content[:-1] + bytes([content[-1] ^ 1])).decode()}"
    return [uri, other, uri.replace("image/", "Image/"), uri + " ", f"\u200b{uri}", uri.rstrip("=")]


@st.composite
def contents(draw: st.DrawFn) -> list[str]:
    """Return JSON texts of which many differ only a little, drawn as tables, diffs and images or nearly so."""
    families = draw(st.lists(st.one_of(_diffs(), _pairs(), _tables(), _images()), min_size=1, max_size=4))
    return list(dict.fromkeys(json.dumps(value) for family in families for value in family))
