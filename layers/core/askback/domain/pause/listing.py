"""The list of a scope's pauses: one line for each pause, and a cursor for the next page.

The ids of a scope are not secret within the scope, so a cursor can have them. The code reads it strictly, because it
becomes a key of the store.
"""

import re
from dataclasses import dataclass

from askback.domain.cursor import cursor_of, text_of
from askback.domain.errors import InvalidRequest
from askback.domain.limits import require_identifier

LIST_DEFAULT, LIST_MAX = 50, 100
"""How many pauses one page has without a `limit` in the request, and the largest `limit`."""
UNREADABLE = "unreadable"
OPEN_FIRST = "0#"
"""How the text of a place of every open pause begins."""
_CURSOR_MAX_CHARACTERS = 512
_PLACE = re.compile(r"([01])#([0-9]{12})#(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPlace:
    """The place of a pause in its scope's list: open pauses first, then by time of issue (epoch seconds)."""

    is_open: bool
    issued_at: int
    jti: str

    def text(self) -> str:
        """Return a text whose sort order is the order of the list."""
        return f"{OPEN_FIRST if self.is_open else '1#'}{self.issued_at:012d}#{self.jti}"

    def cursor(self) -> str:
        """Return the place as the cursor that callers get."""
        return cursor_of(self.text())

    @classmethod
    def of_text(cls, text: str) -> "ListPlace":
        """Read a result of `text`; raises ValueError."""
        found = _PLACE.fullmatch(text)
        if found is None:
            raise ValueError("not a place in a list")
        return cls(is_open=found[1] == "0", issued_at=int(found[2]), jti=found[3])

    @classmethod
    def of_cursor(cls, cursor: str) -> "ListPlace":
        """Read a cursor; raises InvalidRequest for every text that `cursor` would not return."""
        try:
            place = cls.of_text(text_of(cursor, max_characters=_CURSOR_MAX_CHARACTERS))
            require_identifier(place.jti, field="next")
        except (ValueError, InvalidRequest):
            raise InvalidRequest.of_field("next", "must be the next of an earlier page") from None
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
    """One page of the list, and the place of its last line if there are more lines."""

    pauses: tuple[ListedPause, ...]
    next: ListPlace | None
