"""A scope's pauses as a list: one line for each, and the place in the list to go on from.

A scope's ids are no secret within the scope, so a place is plain text in base64url: opaque, not sealed. It is read
strictly all the same, because it becomes a key of the store.
"""

import base64
import re
from dataclasses import dataclass

from askback.domain.errors import InvalidRequest
from askback.domain.limits import require_identifier

LIST_DEFAULT, LIST_MAX = 50, 100
"""How many pauses one page has when nobody says, and at most."""
UNREADABLE = "unreadable"
_CURSOR_MAX_CHARACTERS = 512
_PLACE = re.compile(r"([01])#([0-9]{12})#(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPlace:
    """Where a pause stands in its scope's list: open ones first, then by time of issue (epoch seconds)."""

    is_open: bool
    issued_at: int
    jti: str

    def text(self) -> str:
        """Return a text that sorts as the list does."""
        return f"{0 if self.is_open else 1}#{self.issued_at:012d}#{self.jti}"

    def cursor(self) -> str:
        """Return the place as callers carry it."""
        return base64.urlsafe_b64encode(self.text().encode()).decode().rstrip("=")

    @classmethod
    def of_text(cls, text: str) -> "ListPlace":
        """Read what `text` returned; raises ValueError."""
        found = _PLACE.fullmatch(text)
        if found is None:
            raise ValueError("not a place in a list")
        return cls(is_open=found[1] == "0", issued_at=int(found[2]), jti=found[3])

    @classmethod
    def of_cursor(cls, cursor: str) -> "ListPlace":
        """Read a cursor; raises InvalidRequest for every text but exactly one that `cursor` returned."""
        place = _decoded(cursor)
        # The same place has other spellings in base64; only ours is taken.
        if place is None or place.cursor() != cursor:
            raise InvalidRequest.of_field("next", "must be what an earlier page returned as next")
        return place


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPause:
    """One line of the list; times are epoch seconds, None where the row does not say.

    `status` is the store's own word, or `UNREADABLE` for a row that is damaged or of a newer version.
    """

    jti: str
    name: str
    status: str
    issued_at: int | None
    expires_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PausePage:
    """A part of the list, and the place of its last line when there is more."""

    pauses: tuple[ListedPause, ...]
    next: ListPlace | None


def _decoded(cursor: str) -> ListPlace | None:
    if len(cursor) > _CURSOR_MAX_CHARACTERS:
        return None
    padded = cursor + "=" * (-len(cursor) % 4)
    try:
        place = ListPlace.of_text(base64.b64decode(padded, altchars=b"-_", validate=True).decode())
        require_identifier(place.jti, field="next")
    except (ValueError, InvalidRequest):
        return None
    return place
