"""The names of people: which names are allowed, and when two names are the same person.

A name is the text by which a directory knows a person: an address or a subject of a JWT. A rule that excludes or admits
a person must not depend on how the name is spelt, or the person has a second name that the rule does not know.
"""

import unicodedata
from collections.abc import Iterable
from fnmatch import fnmatchcase

from askback.domain.errors import InvalidRequest
from askback.domain.limits import require_identifier
from askback.domain.visible_text import is_blank, is_invisible

ASKER = "asker"
"""What a pause has as the one who revoked it if this was the program that asked."""
RUN_ENDED = "run ended"
"""What a pause has as the one who revoked it if its run had ended, and no program or person asked for it."""
RESERVED = frozenset({"policy", "link", "direct", "iam", "legacy engine", ASKER, RUN_ENDED})
"""The names that askback itself records for a person; with one of them, a person would look like no person."""


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


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether one of the patterns, such as `ada@example.com` or `*@example.com`, means the person."""
    return any(fnmatchcase(person_key(name), person_key(pattern)) for pattern in patterns)


def require_person(value: object, *, field: str, empty: bool = False) -> str:
    """Return `value` when it can be the name of a person; raises InvalidRequest with the name of the field."""
    name = require_identifier(value, field=field, empty=empty)
    if not name and empty:
        return name
    if is_blank(name):
        raise InvalidRequest.of_field(field, "must not be blank")
    if any(map(is_invisible, name)):
        raise InvalidRequest.of_field(field, "must not contain invisible characters")
    if person_key(name) in RESERVED:
        raise InvalidRequest.of_field(field, "must not be a name that askback records itself")
    return name
