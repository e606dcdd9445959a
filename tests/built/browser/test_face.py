"""The page and the mails of an organisation: its name, logo, colour and contact, in every scheme and size."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from askback.adapters.channels.message_files import message_texts
from askback.adapters.channels.time_zone import time_zone
from askback.domain.people.brand import NO_BRAND, Brand
from tests.built.browser.accessibility import violations
from tests.built.browser.screenshots import SCREENSHOTS, scrolls_sideways, whole_page
from tests.built.browser.states import STATES
from tests.built.browser.visitor import DESKTOP, PHONE, Visitor
from tests.support import page_questions as questions
from tests.support.logos import SVG
from tests.support.notices import a_notice
from tests.support.page_deployment import Deployed

pytestmark = pytest.mark.browser

SIZES: Final = {"phone": PHONE, "desktop": DESKTOP}
SHOWN: Final = ("question", "approval", "thanks-for-an-approval", "damaged")
COLOURS: Final = {"violet": "#6a1b9a", "yellow": "#ffd400", "navy": "#00205b", "grey": "#808080", "white": "#ffffff"}
NAMES: Final = {"ASKBACK_BRAND_NAME": "Acme Bank", "ASKBACK_SUPPORT_CONTACT": "help@acme.example"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "logo.svg").write_bytes(SVG)
    return tmp_path


@pytest.fixture
def acme(deployed: Deployed, folder: Path) -> Iterator[Deployed]:
    with deployed.branded(**NAMES, ASKBACK_BRAND_COLOR=COLOURS["violet"], ASKBACK_PAGE_FOLDER=str(folder)):
        yield deployed


def pictured(page: Page, name: str, check: Callable[[str], None]) -> None:
    """Save a picture in every size and scheme, and check each."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for size, viewport in SIZES.items():
        page.set_viewport_size({"width": viewport["width"], "height": viewport["height"]})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme="light" if theme == "light" else "dark", reduced_motion="reduce")
            whole_page(page, f"{name}-{size}-{theme}")
            assert not scrolls_sideways(page), size
            check(f"{size}, {theme}")


@pytest.mark.parametrize("name", SHOWN)
def test_every_state_says_whose_it_is_and_whom_to_ask(acme: Deployed, visit: Callable[..., Visitor], name: str) -> None:
    visitor = visit(device_scale_factor=2)
    STATES[name].arrive(acme, visitor)
    visitor.sees(STATES[name].heading)
    page = visitor.page
    expect(page.get_by_role("banner")).to_have_text("Acme Bank")
    expect(page.get_by_role("link", name="help@acme.example")).to_have_attribute("href", "mailto:help@acme.example")
    assert page.evaluate("document.querySelector('.brand img').naturalWidth") == 40

    def accessible(where: str) -> None:
        assert violations(page) == [], where

    pictured(page, f"face-{name}", accessible)


@pytest.mark.parametrize("colour", COLOURS)
def test_every_colour_can_be_read(deployed: Deployed, visit: Callable[..., Visitor], colour: str) -> None:
    with deployed.branded(**NAMES, ASKBACK_BRAND_COLOR=COLOURS[colour]):
        visitor = visit(device_scale_factor=2)
        page = visitor.opens(deployed.ask("ask_user", questions.FOUR).link)
        page.get_by_label("All at once", exact=True).check()

        def accessible(where: str) -> None:
            assert violations(page) == [], where
            button = page.get_by_role("button", name="Send answer")
            shown = button.evaluate("(button) => getComputedStyle(button).backgroundColor")
            channels = [int(COLOURS[colour][at : at + 2], 16) for at in (1, 3, 5)]
            assert shown == f"rgb({', '.join(map(str, channels))})", where

        pictured(page, f"face-colour-{colour}", accessible)


def test_a_logo_is_one_request_to_the_page_s_own_origin(acme: Deployed, visitor: Visitor) -> None:
    visitor.opens(acme.ask("ask_user", questions.ONE).link)
    assert [
        each.url for each in visitor.seen.requests if each.resource_type == "image" and "data:" not in each.url
    ] == [f"{acme.url}/answer/logo"]


@pytest.mark.only_chromium("Firefox asks for an icon of a bare picture, which its policy refuses")
def test_a_script_in_a_logo_runs_neither_in_the_page_nor_alone(acme: Deployed, visitor: Visitor) -> None:
    tab = visitor.tab()
    tab.goto(f"{acme.url}/answer/logo")
    assert tab.evaluate("document.documentElement.getAttribute('fill')") is None
    # The browser says in its console that it has stopped the script; nothing else went wrong.
    assert all("script" in said.lower() for said in visitor.seen.wrong)
    visitor.seen.wrong.clear()


def test_the_receipt_on_paper_has_the_name_and_the_contact(acme: Deployed, visitor: Visitor) -> None:
    STATES["thanks-for-an-approval"].arrive(acme, visitor)
    visitor.sees("Thank you")
    visitor.page.emulate_media(media="print")
    expect(visitor.page.get_by_role("banner")).to_be_visible()
    expect(visitor.page.get_by_text("Contact for questions: help@acme.example")).to_be_visible()


MAILS: Final[dict[str, dict[str, Any]]] = {
    "plain": {"brand": NO_BRAND},
    "acme": {"asker": "Refund agent", "reason": "The parcel was lost on its way, and the customer wrote twice."},
    "high-risk": {"asker": "Payment agent", "reason": "The invoice is due today.", "high_risk": True},
    "yellow": {"brand": Brand(name="Gelbe Post", colour=COLOURS["yellow"], support="https://post.example/hilfe")},
    "navy": {"brand": Brand(name="Navy & Co", colour=COLOURS["navy"])},
    "arabic": {"texts": message_texts("ar"), "asker": "وكيل الاسترداد", "high_risk": True},
    "long": {
        "asked": "Donaudampfschifffahrtsgesellschaftskapitaen" * 6,
        "link": "https://a.example/answer#" + "x" * 260,
    },
}


@pytest.mark.parametrize("name", MAILS)
def test_a_mail_can_be_read_in_every_scheme_and_size(visitor: Visitor, name: str) -> None:
    brand = Brand(name="Acme Bank", colour=COLOURS["violet"], support="help@acme.example")
    given = {"brand": brand, "zone": time_zone("Europe/Berlin"), "recipient": "ada@example.com", **MAILS[name]}
    page = visitor.page
    page.set_content(a_notice(**given).html())

    def readable(where: str) -> None:
        assert [said for said in violations(page) if said.startswith("color-contrast")] == [], where

    pictured(page, f"mail-{name}", readable)
    assert visitor.seen.requests == [], "nothing tells that a mail was opened"
