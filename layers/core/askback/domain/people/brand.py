"""The organisation that a message comes from, as the deployment names it; no text of an agent."""

import re
from dataclasses import dataclass

from askback.domain.people.shown_text import shown_text

COLOUR = "#0b5f4b"
NAME_MAX_CHARACTERS = 60
SUPPORT_MAX_CHARACTERS = 200
_COLOUR = re.compile(r"#[0-9a-f]{6}", re.IGNORECASE)


class BrandInvalid(ValueError):
    """A part of the brand cannot be used; the text says why, and never has the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brand:
    """The name of the organisation, the colour of its button, and whom people can ask for help; both may be empty."""

    name: str = ""
    colour: str = COLOUR
    support: str = ""

    @property
    def text_on_colour(self) -> str:
        """Black or white, whichever is easier to read on the colour; the contrast is never less than 4.5 to 1."""
        channels = [int(self.colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels]
        luminance = sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
        # (L + 0.05) / 0.05 against black, 1.05 / (L + 0.05) against white.
        return "#000000" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff"


NO_BRAND = Brand()


def brand_colour(text: str) -> str:
    """Return the colour of buttons for a setting, the built-in one for an empty text; raises BrandInvalid."""
    if text and not _COLOUR.fullmatch(text):
        raise BrandInvalid("must be a colour such as #0b5f4b")
    return text.lower() or COLOUR


def brand_line(text: str, *, limit: int) -> str:
    """Return a setting as the one line that people see; raises BrandInvalid for another text.

    A name goes into the header of a mail. A line break in it could begin another header.
    """
    line = text.strip()
    if not line.isprintable() or line != shown_text(line, limit=limit):
        raise BrandInvalid(f"must be one line of at most {limit} characters, all of them visible")
    return line
