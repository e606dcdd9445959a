"""pydantic's errors as field errors: few, short, and without the value that was sent.

A body of one megabyte can have a hundred thousand wrong parts, and pydantic makes an object for each of them when it is
asked for any. So they are asked for only while they are few. Otherwise one error says how many there are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from askback.domain.errors import ERRORS_SHOWN, FieldError

READ_MAX = 1000
"""How many errors of pydantic are read at most: about 20 ms of processor time, and 2 MB."""
NAME_MAX_CHARACTERS = 200
_OWN_MESSAGES = {"union_tag_invalid": "Input should have one of the expected types"}
"""Messages in place of those that repeat the sent value."""

Location = Sequence[int | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldErrors:
    """The errors that are shown, and how many there are besides."""

    shown: tuple[FieldError, ...]
    more: int = 0

    def names(self) -> str:
        """Return the names of the shown fields, with commas between them."""
        return ", ".join(error.field for error in self.shown)


def field_errors(error: ValidationError, path: Callable[[Location], str], *, whole: str) -> FieldErrors:
    """Return what is wrong, the first `ERRORS_SHOWN` fields by their path; `whole` names the value as a whole."""
    count = error.error_count()
    if count > READ_MAX:
        return FieldErrors(shown=(FieldError(whole, f"has {count} wrong, missing or unknown parts"),))
    # Without `input` and `ctx`: an error must not contain the sent value.
    details = error.errors(include_url=False, include_context=False, include_input=False)[:ERRORS_SHOWN]
    return FieldErrors(
        shown=tuple(
            FieldError(cut(path(item["loc"]), NAME_MAX_CHARACTERS), _OWN_MESSAGES.get(item["type"], item["msg"]))
            for item in details
        ),
        more=count - len(details),
    )


def cut(text: str, characters: int) -> str:
    """Return the text, or its beginning with an ellipsis when it is longer."""
    return text if len(text) <= characters else text[: characters - 1] + "…"
