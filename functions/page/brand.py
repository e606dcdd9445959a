"""The face of the organisation on the page: its name, logo and colour, and whom readers can ask for help.

The colour is one value of the adopter. Text in it, and text on it, must keep a contrast of 4.5 to 1 in the light and in
the dark scheme, so the styles have it as it is for filled buttons, and a darker and a lighter variant for the rest.

What cannot be used is left out, with a reason for the log: people must be able to answer, whatever was configured.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import quote

CONTRAST_MIN = 4.5
"""The least contrast of text in the Web Content Accessibility Guidelines, level AA."""
LIGHT = ("#ffffff", "#f3f4f1", "#eef1ee")
DARK = ("#1b211e", "#121614", "#252c29")
"""The sheet, the ground and the soft areas of `page.css` in each scheme: what text in the accent stands on."""
NAME_MAX_CHARACTERS = 60
SUPPORT_MAX_CHARACTERS = 200
LOGO_MAX_BYTES = 64 * 1024
_CHOSEN_SHARE = 0.08
"""How much of the accent is in the background of a chosen option."""
_COLOUR = re.compile(r"#[0-9a-f]{6}", re.IGNORECASE)
_MAIL = re.compile(r"[^\s@\"'<>()\[\],;:\\]+@[^\s@\"'<>()\[\],;:\\]+\.[^\s@\"'<>()\[\],;:\\]+")
_SVG = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<svg[\s>]", re.DOTALL)
_ADDRESS = re.compile(r"https://[^\s\"'<>\\]+")

Refused = Callable[[str, str], None]
"""Takes the name of what is not used, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logo:
    """The picture of the organisation. Drawn by `<img>`, an SVG runs no script; its policy holds if it is opened."""

    content: bytes
    kind: str
    policy: str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class Brand:
    """What the page shows of an organisation; each part may be empty."""

    name: str = ""
    colour: str = ""
    support: str = ""
    logo: Logo | None = None

    @classmethod
    def read(cls, environment: Mapping[str, str], refused: Refused) -> "Brand":
        """Read the variables of the function, and the logo in the adopter's folder."""
        colour = environment.get("ASKBACK_BRAND_COLOR", "")
        if colour and not _COLOUR.fullmatch(colour):
            refused("ASKBACK_BRAND_COLOR", "must be a colour such as #0b5f4b")
            colour = ""
        return cls(
            name=_line(environment, "ASKBACK_BRAND_NAME", NAME_MAX_CHARACTERS, refused),
            colour=colour.lower(),
            support=_line(environment, "ASKBACK_SUPPORT_CONTACT", SUPPORT_MAX_CHARACTERS, refused),
            logo=_logo(environment.get("ASKBACK_PAGE_FOLDER", ""), refused),
        )

    def styles(self) -> str:
        """Return the custom properties of the page in the organisation's colour; empty without one."""
        if not self.colour:
            return ""
        both = {"fill": self.colour, "on-accent": text_on(self.colour)}
        light, dark = (_properties(self.colour, surfaces) for surfaces in (LIGHT, DARK))
        return f":root{_block(both | light)}\n@media (prefers-color-scheme:dark){{:root{_block(dark)}}}\n"

    def header(self) -> str:
        """Return the markup at the top of the page. The picture stands beside the name, so it has no text."""
        if not (self.name or self.logo):
            return ""
        picture = '<img src="answer/logo" alt="">' if self.logo else ""
        return f'<header class="brand">{picture}<bdi>{escape(self.name)}</bdi></header>'

    def foot(self, sentence: str) -> str:
        """Return the markup at the end of the page, with the contact for `{contact}` in the sentence."""
        if not self.support:
            return ""
        contact = f"<bdi>{escape(self.support)}</bdi>"
        if href := _href(self.support):
            contact = f'<a href="{escape(href)}" rel="noreferrer noopener" target="_blank">{contact}</a>'
        return f'<footer class="support"><p>{escape(sentence).replace("{contact}", contact)}</p></footer>'


def text_on(colour: str) -> str:
    """Return white or black, which has the greater contrast to the colour; that is never less than 4.58."""
    return max("#ffffff", "#000000", key=lambda text: contrast(text, colour))


def readable(colour: str, surfaces: tuple[str, ...]) -> str:
    """Return the colour, darker or lighter by as little as makes a text in it readable on every surface."""
    end = text_on(surfaces[0])
    shades = (mixed(end, colour, step / 100) for step in range(101))
    return next(shade for shade in shades if all(contrast(shade, surface) >= CONTRAST_MIN for surface in surfaces))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21 (WCAG 2.2, relative luminance)."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def mixed(one: str, other: str, share: float) -> str:
    """Return the mix of two colours; `share` of it, from 0 to 1, is the first one."""
    pairs = zip(_channels(one), _channels(other), strict=True)
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


def _properties(colour: str, surfaces: tuple[str, ...]) -> dict[str, str]:
    accent = readable(colour, surfaces)
    return {"accent": accent, "chosen": mixed(accent, surfaces[0], _CHOSEN_SHARE)}


def _block(properties: Mapping[str, str]) -> str:
    return "{" + ";".join(f"--{name}:{value}" for name, value in properties.items()) + "}"


def _channels(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def _luminance(colour: str) -> float:
    scaled = [channel / 255 for channel in _channels(colour)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in scaled]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _line(environment: Mapping[str, str], name: str, limit: int, refused: Refused) -> str:
    text = environment.get(name, "").strip()
    if len(text) > limit or not text.isprintable():
        refused(name, f"must be one line of at most {limit} characters")
        return ""
    return text


def _href(contact: str) -> str:
    if _MAIL.fullmatch(contact):
        return f"mailto:{quote(contact, safe='@')}"
    return contact if _ADDRESS.fullmatch(contact) else ""


def _logo(folder: str, refused: Refused) -> Logo | None:
    for name, (kind, is_kind) in _LOGOS.items():
        file = Path(folder) / name
        if not (folder and file.is_file()):
            continue
        content = file.read_bytes()
        if len(content) > LOGO_MAX_BYTES:
            refused(name, f"must have at most {LOGO_MAX_BYTES} bytes")
        elif not is_kind(content):
            refused(name, f"is not a picture of the type {kind}")
        else:
            return Logo(content=content, kind=kind)
    return None


def _is_svg(content: bytes) -> bool:
    return _SVG.match(content) is not None


_LOGOS: dict[str, tuple[str, Callable[[bytes], bool]]] = {
    "logo.svg": ("image/svg+xml", _is_svg),
    "logo.webp": ("image/webp", lambda content: content[:4] == b"RIFF" and content[8:12] == b"WEBP"),
    "logo.png": ("image/png", lambda content: content.startswith(b"\x89PNG\r\n\x1a\n")),
}
"""The files that can be the logo, the first one first: their types, and what a file of the type begins with."""
