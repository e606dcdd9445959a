"""What a person sees of a text: two texts that look the same are the same, and a text without a sign is blank.

A text can have characters that no reader sees, or another spelling of the same signs. A rule about what a person can
tell apart, or has written, must not depend on these.
"""

import re
import unicodedata
from collections.abc import Iterable

from askback.domain.json_text import is_whole

_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_INVISIBLE_RANGES = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xE0000, 0xE0FFF),
)
"""What a reader does not see although its category is that of a letter or a mark: fillers and variation selectors.

Source: the property Default_Ignorable_Code_Point of Unicode, and the blank Braille pattern.
"""
_SPACES = re.compile(r"\s+")


def is_invisible(character: str) -> bool:
    """Return whether a reader does not see this character; white space between words is seen."""
    return unicodedata.category(character) in _INVISIBLE_CATEGORIES or any(
        low <= ord(character) <= high for low, high in _INVISIBLE_RANGES
    )


def visible(text: str) -> str:
    """Return what a reader tells texts apart by: NFKC, without invisible characters, with single spaces."""
    # White space first: a tab and a line end are control characters, and they separate words.
    spaced = _SPACES.sub(" ", text)
    seen = unicodedata.normalize("NFKC", "".join(sign for sign in spaced if not is_invisible(sign)))
    return _SPACES.sub(" ", "".join(sign for sign in seen if not is_invisible(sign))).strip()


def is_blank(text: str) -> bool:
    """Return whether a reader sees nothing of the text."""
    return not visible(text)


def text_fault(text: str, *, longest: int, blank: str = "must not be blank") -> str:
    """Return what is wrong with a text that people read, of at most `longest` characters; empty if nothing is."""
    if len(text) > longest:
        return f"must be at most {longest} characters"
    if not is_whole(text):
        return "must not contain half a surrogate pair"
    return blank if is_blank(text) else ""


def look_different(texts: Iterable[str]) -> bool:
    """Return whether no text is blank, and no two look the same."""
    seen = [visible(text) for text in texts]
    return "" not in seen and len(set(seen)) == len(seen)
