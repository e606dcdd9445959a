"""Makes a text of a model or an agent safe to show.

`shown_text` gives one line that a reader sees as it is; a program can have it. `inert_text` gives the same line for
people, in a mail or a chat: no client makes a link, a mention or markup of it. The signs that would do so stay visible:
`https[:]//evil[.]example`, `ada[@]example[.]com`, and a sign that looks alike for a sign of markup.
"""

import re
import unicodedata

from askback.domain.visible_text import is_invisible

_SPACES = re.compile(r"\s+")
_JOINING = "\u200c\u200d\ufe0e\ufe0f"
"""Joiners and variation selectors are part of words in several scripts, and of emoji. They stay only behind such a
letter or sign: in a Latin word they hide where it ends."""
_MARKS_MAX = 4
"""How many marks in a row one letter keeps; a tower of marks covers the lines above it."""
_MARKUP = str.maketrans(
    {
        "*": "\u2217",
        "~": "\u02dc",
        "`": "\u00b4",
        "|": "\u00a6",
        "<": "\u2039",
        ">": "\u203a",
        "[": "{",
        "]": "}",
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    }
)
"""The signs of Markdown and of chats by signs that look alike, and typographic quotation marks by the plain one.

So the brackets that `inert_text` adds, and the quotation marks around a text in a message, differ from every sign of
the text itself. The other signs are in all common fonts, and no normalization of Unicode makes markup of them again.
"""
_EDGE_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
"""An underscore that is not within a word makes text italic."""
_LIVE = re.compile(
    r"\d+(?:\.\d+){3,}"  # 192.0.2.1
    r"|[.\uff0e\uff61\u2024](?=[^\W\d_])(?![^\W\d_](?:\W|$))"  # www.example.com, but neither e.g. nor 49.90
    r"|(?<=[Ww]{3})\.(?!\()"  # www.x, a link in some Markdown
    r"|(?<=[A-Za-z0-9])\u3002(?=[A-Za-z0-9])"  # the ideographic full stop, which browsers take for a dot
    r"|:(?=//)|(?<=[A-Za-z]):(?=[^\s(])"  # https://, mailto:
    r"|\\(?=\\)"  # two backslashes and a server
    r"|#(?=[^\W\d])"  # #channel, but not #4711
    r"|:(?=[\w+-]+:)"  # :emoji:
    r"|[@\uff20\ufe6b](?=\w)"  # ada@example.com, @everyone
)
"""What makes a client show a link, a mention or a picture."""
_LIVE_SIGN = re.compile(r"\D")


def shown_text(text: str, *, limit: int) -> str:
    """Return the text on one line of at most `limit` characters.

    Line breaks become spaces. Control characters, bidirectional overrides and other invisible characters are removed:
    with them, a reader could see another text than the one that is there.
    """
    return _cut(_visible(text), limit)


def inert_text(text: str, *, limit: int) -> str:
    """Return the text as `shown_text` does, with brackets around each sign that would make a part of it live."""
    plain = _EDGE_UNDERSCORE.sub("\u2017", _visible(text).translate(_MARKUP))
    return _cut(_LIVE.sub(lambda live: _LIVE_SIGN.sub(r"[\g<0>]", live[0]), plain), limit)


def _visible(text: str) -> str:
    kept, marks, joins = [], 0, False
    for sign in _SPACES.sub(" ", text):
        category = unicodedata.category(sign)
        if sign in _JOINING:
            if joins:
                kept.append(sign)
            continue
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if is_invisible(sign) or category in ("Cn", "Co") or marks > _MARKS_MAX:
            continue
        kept.append(sign)
        joins = not sign.isascii() and (category[0] in "LM" or category in ("So", "Sk"))
    return "".join(kept).strip()


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
