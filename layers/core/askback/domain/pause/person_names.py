"""The names of people: which names are allowed, and when two names are the same person.

A name is the text by which a directory knows a person: an address or a subject of a JWT. A rule that excludes or admits
a person must not depend on how the name is spelt, or the person has a second name that the rule does not know.
"""

import unicodedata
from collections.abc import Iterable

from askback.domain.errors import InvalidRequest
from askback.domain.limits import require_identifier

RESERVED = frozenset({"policy", "link", "direct", "iam", "legacy engine"})
"""The names that askback itself records as the answerer; with one of them, a person would look like no person."""

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


def person_key(name: str) -> str:
    """Return the text by which a name is compared: NFC, without case and without white space around it."""
    folded = unicodedata.normalize("NFC", name.strip()).casefold()
    # The case folding of a letter with a mark can be two characters that NFC joins again.
    return unicodedata.normalize("NFC", folded)


def same_person(one: str, other: str) -> bool:
    """Return whether two names are the same person."""
    return person_key(one) == person_key(other)


def is_among(name: str, people: Iterable[str]) -> bool:
    """Return whether the person is one of these people."""
    return person_key(name) in map(person_key, people)


def require_person(value: object, *, field: str, empty: bool = False) -> str:
    """Return `value` when it can be the name of a person; raises InvalidRequest with the name of the field."""
    name = require_identifier(value, field=field, empty=empty)
    if not name and empty:
        return name
    if not name.strip():
        raise InvalidRequest.of_field(field, "must not be blank")
    if any(map(_is_invisible, name)):
        raise InvalidRequest.of_field(field, "must not contain invisible characters")
    if person_key(name) in RESERVED:
        raise InvalidRequest.of_field(field, "must not be a name that askback records itself")
    return name


def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) in _INVISIBLE_CATEGORIES or any(
        low <= ord(character) <= high for low, high in _INVISIBLE_RANGES
    )
