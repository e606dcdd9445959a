"""Makes a text of a model or an agent safe to show: one line that cannot imitate the text around it."""

import re
import unicodedata

_SPACES = re.compile(r"\s+")
# Joiners are part of words in several scripts, and of emoji; they do not change the direction of text.
_JOINERS = "\u200c\u200d"
_HIDDEN = {"Cc", "Cf", "Cn", "Co", "Cs"}


def shown_text(text: str, *, limit: int) -> str:
    """Return the text on one line of at most `limit` characters.

    Line breaks become spaces. Control characters, bidirectional overrides and other invisible characters are removed:
    with them, a reader could see another text than the one that is there.
    """
    kept = "".join(
        sign for sign in _SPACES.sub(" ", text) if sign in _JOINERS or unicodedata.category(sign) not in _HIDDEN
    ).strip()
    return kept if len(kept) <= limit else kept[: limit - 1].rstrip() + "…"
