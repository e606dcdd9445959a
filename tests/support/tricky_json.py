"""JSON values that look alike, as texts: a number keeps its digits, and half a surrogate pair can be in a text."""

import json
from collections.abc import Sequence
from typing import Final

from hypothesis import strategies as st

SPACES: Final = " \t\n\r\u00a0\u2002\u2009\u202f\u3000\u2028"
INVISIBLE: Final = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\u034f\u061c\u115f\u3164\u180e\ufe0f"
INVISIBLE_TOO: Final = "\U000e0061\u2800\u2061"
TURNING: Final = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
CONTROLS: Final = "\x00\x07\x08\x1b\x7f\x85\x9f"
HALVES: Final = "\ud800\udfff"
ALIKE: Final = (
    # Latin, Greek and Cyrillic; signs of the keyboard and their doubles; other forms of the same letter.
    "aco\u0430\u0441\u03bf\u0435\u0440\u0445xy\u0443i\u0456\u0406Il\u04cfA\u0410\u0391B\u0412"
    "-\u2010\u2011\u2212\u2013'\u2019\u02bc/\u2044\u2215:\u2236.\u2024"
    "\uff41\uff21\U0001d5ee\ufb01K\u212a\u00c5\u212b1\u09e7"
)
JOINED: Final = "e\u0301\u00e9\u0300\u0323\u1100\u1161\uac00"
OWN_SIGNS: Final = '\u2423\u21e5\u21b5\u21e0[]U+20B\u201c\u201d"(){}\u00b7\u2026'
TRICKY: Final = (
    SPACES + INVISIBLE + INVISIBLE_TOO + TURNING + CONTROLS + HALVES + ALIKE + JOINED + OWN_SIGNS + "\u05d0\u05d112 a"
)
WORDS: Final = (
    *'null true false Yes No yes 1 1.0 1e3 -0 1,000 [] {} "" \u2013 to To to_ 12345678901234567890'.split(),  # noqa: SIM905 - one line for each kind
    *("Yes (true)", "No value (null)", 'Empty text ("")', "Empty list ([])", "(1 item)", "(2 entries)"),
    *("\u201c1\u201d text", "12 34", "[U+200B]", "a, b", "a\nb", "a b", "a  b", " a", "a ", "a\tb"),
    *("paypal", "p\u0430ypal", "Caf\u00e9", "Cafe\u0301", "def f(x):\n    if x:\n        go()", "rm -rf  /a"),
)
NUMBERS: Final = (
    *"0 -0 0.0 -0.0 1 1.0 1.00 10 1e1 1E1 1e+1 1000 1e3 1000.0 0.1 0.10 1e-7 0.0000001 1e308 5e-324".split(),  # noqa: SIM905 - one line for each kind
    *"9007199254740992 9007199254740993 12345678901234567890 12345678901234567891".split(),  # noqa: SIM905 - one line for each kind
    *"1.7976931348623157e308 0.1000000000000000055511151231257827".split(),  # noqa: SIM905 - one line for each kind
)


def text_of(text: str) -> str:
    """Return the JSON text of a text."""
    return json.dumps(text)


def _list(items: Sequence[str]) -> str:
    return f"[{','.join(items)}]"


def _object(members: Sequence[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{text_of(name)}:{value}" for name, value in members) + "}"


TEXTS: Final = st.one_of(st.sampled_from(WORDS), st.text(TRICKY, max_size=6), st.text(max_size=6))
_NUMBERS = st.one_of(
    st.sampled_from(NUMBERS),
    st.integers(-(10**40), 10**40).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
)
_LEAVES = st.one_of(st.sampled_from(["null", "true", "false"]), TEXTS.map(text_of), _NUMBERS)


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    members = st.lists(st.tuples(TEXTS, inner), max_size=3, unique_by=lambda member: member[0])
    return st.one_of(st.lists(inner, max_size=3).map(_list), members.map(_object))


VALUES: Final[st.SearchStrategy[str]] = st.recursive(_LEAVES, _nested, max_leaves=6)
"""JSON texts without spaces; equal texts are equal values."""


@st.composite
def families(draw: st.DrawFn) -> list[str]:
    """Return JSON texts of which many differ only a little: values, and what one step makes of them."""
    values = draw(st.lists(VALUES, min_size=5, max_size=20))
    made = list(values)
    for value in values:
        made += [text_of(value), _list([value]), _list([value, value]), _object([("", value)]), _object([("a", value)])]
        read = json.loads(value)
        if isinstance(read, str):
            at = draw(st.integers(0, len(read)))
            sign = draw(st.sampled_from(TRICKY))
            made += [text_of(read[:at] + sign + read[at:]), text_of(read[:at] + sign + read[at + 1 :])]
            made += [text_of(read + " "), text_of(read.swapcase()), _list([text_of(part) for part in read.split()])]
            made += [_object([(read, "1")]), _object([(read[:at] + sign + read[at:], "1")])]
    return list(dict.fromkeys(made))
