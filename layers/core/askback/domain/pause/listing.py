"""The lists of pauses: those of one scope, and the open ones of all scopes; each has lines, pages and cursors.

The ids of a scope are not secret within the scope, so a cursor can have them. The code reads it strictly, because it
becomes a key of the store.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from askback.domain.cursor import cursor_of, text_of
from askback.domain.errors import InvalidRequest
from askback.domain.limits import require_identifier
from askback.domain.pause.ledger import LedgerRow

LIST_DEFAULT, LIST_MAX = 50, 100
"""How many pauses one page has without a `limit` in the request, and the largest `limit`."""
LOOK_MAX = 1000
"""How many pauses one page looks through, at most: a page can be short, or empty, and still not be the last one."""
UNREADABLE = "unreadable"
OPEN_FIRST = "0#"
"""How the text of a place of every open pause begins."""
_CURSOR_MAX_CHARACTERS = 512
_PLACE = re.compile(r"([01])#([0-9]{12})#(.+)", re.DOTALL)
_OPEN_PLACE = re.compile(r"open#([0-9]{1,3})#(-?[0-9]{1,15}(?:\.[0-9]{1,15})?)#(.+)", re.DOTALL)


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
class OpenPlace:
    """The place of a pause in the list of all open pauses: by part of the store, then by what is due next.

    `due_at` is a text, because a damaged row can have a fraction there.
    """

    part: int
    due_at: str
    jti: str

    def cursor(self) -> str:
        """Return the place as the cursor that callers get."""
        return cursor_of(f"open#{self.part}#{self.due_at}#{self.jti}")

    @classmethod
    def of_cursor(cls, cursor: str) -> "OpenPlace":
        """Read a cursor; raises InvalidRequest for every text that `cursor` would not return."""
        try:
            found = _OPEN_PLACE.fullmatch(text_of(cursor, max_characters=_CURSOR_MAX_CHARACTERS))
            jti = require_identifier(found and found[3], field="next")
        except (ValueError, InvalidRequest):
            found = None
        if found is None:
            raise InvalidRequest.of_field("next", "must be the next of an earlier page")
        return cls(part=int(found[1]), due_at=found[2], jti=jti)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPause:
    """One line of the list; times are epoch seconds, None where the row does not say.

    `status` is the store's own word, or `UNREADABLE` for a row that is damaged or of a newer version. `row` is None for
    such a row, and for one that is gone. `scope_hash` and `scope_label` are what the stored row has, even so.
    """

    jti: str
    name: str
    status: str
    issued_at: int | None
    expires_at: int | None
    scope_hash: str = ""
    scope_label: str = ""
    row: LedgerRow | None = None


Wanted = Callable[[ListedPause], bool]
"""Whether a line is to be on the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PausePage:
    """One page of a scope's list, and the place to go on from if there are more pauses.

    `looked_at` counts the pauses that were looked through for it.
    """

    pauses: tuple[ListedPause, ...]
    next: ListPlace | None
    looked_at: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPage:
    """One page of the list of open pauses, as `PausePage` is one of a scope's list."""

    pauses: tuple[ListedPause, ...]
    next: OpenPlace | None
    looked_at: int = 0
