"""What a model or an agent wrote, as one line that a person can be shown anywhere: it can imitate nothing around it."""

import re
import unicodedata

_SPACES = re.compile(r"\s+")
# Joiners are part of words in several scripts, and of emoji; they turn no text round.
_JOINERS = "\u200c\u200d"
_HIDDEN = {"Cc", "Cf", "Cn", "Co", "Cs"}


def shown_text(text: str, *, limit: int) -> str:
    """Return the text on one line of at most `limit` characters.

    Line breaks become spaces. Control characters, bidirectional overrides and everything else that is not seen are left
    out, because they make a line read as another one.
    """
    kept = "".join(
        sign for sign in _SPACES.sub(" ", text) if sign in _JOINERS or unicodedata.category(sign) not in _HIDDEN
    ).strip()
    return kept if len(kept) <= limit else kept[: limit - 1].rstrip() + "…"
