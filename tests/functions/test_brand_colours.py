"""Whatever colour an organisation has, text in it and text on it can be read, in both schemes."""

import re

from hypothesis import example, given, strategies as st

from askback.domain.people.brand import Brand as MessageBrand
from functions.page.brand import DARK, LIGHT, Brand, contrast, readable, text_on
from local.emulated.cloud import ROOT

PAGE_CSS = (ROOT / "functions/page/static/page.css").read_text(encoding="utf-8")
COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")
EASY = 4.5


def schemes(css: str) -> list[dict[str, str]]:
    """Return the custom properties of the light and of the dark scheme; the dark one has the rest of the light one."""
    light, dark = re.findall(r":root\s*\{([^}]*)\}", css)[:2]
    found = [dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{3,6})", block)) for block in (light, dark)]
    return [{name: full(value) for name, value in each.items()} for each in (found[0], found[0] | found[1])]


def full(colour: str) -> str:
    return colour if len(colour) == 7 else "#" + "".join(2 * digit for digit in colour[1:])


BUILT_IN = schemes(PAGE_CSS)


@given(colour=COLOURS)
@example(colour="#000000")
@example(colour="#ffffff")
@example(colour="#808080")
@example(colour="#ffd400")
@example(colour="#0000ff")
@example(colour="#757575")
def test_text_in_every_colour_and_on_it_keeps_its_contrast(colour: str) -> None:
    for surfaces, built_in, own in zip((LIGHT, DARK), BUILT_IN, schemes(Brand(colour=colour).styles()), strict=True):
        assert own["fill"] == colour, "a button has the organisation's own colour"
        assert contrast(own["on-accent"], own["fill"]) >= EASY
        for surface in surfaces:
            assert contrast(own["accent"], surface) >= EASY
        for surface in (*surfaces, own["chosen"]):
            assert contrast(built_in["ink"], surface) >= EASY
            assert contrast(built_in["quiet"], surface) >= EASY
        # The edge of a chosen option, of the focus and of a button is no text.
        assert contrast(own["accent"], own["chosen"]) >= 3


@given(colour=COLOURS)
def test_a_mail_has_the_same_text_on_its_button_as_the_page(colour: str) -> None:
    assert MessageBrand(colour=colour).text_on_colour == text_on(colour)
    assert contrast(MessageBrand(colour=colour).text_on_colour, colour) >= EASY


def test_a_colour_that_can_be_read_stays_as_it_is() -> None:
    assert readable("#6a1b9a", LIGHT) == "#6a1b9a"
    assert readable("#d7a8f0", DARK) == "#d7a8f0"


def test_the_surfaces_are_those_of_the_page() -> None:
    for surfaces, built_in in zip((LIGHT, DARK), BUILT_IN, strict=True):
        assert surfaces == (built_in["sheet"], built_in["ground"], built_in["soft"])


def test_contrast_is_that_of_the_guidelines() -> None:
    assert round(contrast("#000000", "#ffffff"), 2) == 21
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48
    assert contrast("#123456", "#123456") == 1
