"""Forms: every kind of field arrives with its type; what is wrong with one is said at it, before anything is sent."""

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Deployed

pytestmark = pytest.mark.browser


def fill_in(page: Page) -> None:
    page.get_by_label("Name").fill("Ada Lovelace")
    page.get_by_label("How to find it").fill("Second yard,\nblue door")
    page.get_by_label("E-mail").fill("ada@example.com")
    page.get_by_label("Website").fill("https://example.com/?q=a+b")
    page.get_by_label("Day of delivery").fill("2026-12-24")
    page.get_by_label("When to ring").fill("2026-12-24T09:30")
    page.get_by_label("Floor").fill("-1")
    page.get_by_role("group", name="Signature needed").get_by_label("No").check()
    page.get_by_label("I fetch it myself").check()
    page.get_by_label("Monday").check()
    page.get_by_label("Wednesday").check()


FILLED = {
    "name": "Ada Lovelace", "directions": "Second yard,\nblue door", "email": "ada@example.com",
    "website": "https://example.com/?q=a+b", "deliver_on": "2026-12-24", "ring_at": "2026-12-24T09:30:00+01:00",
    "floor": -1, "weight": 1.5, "signature": False, "carrier": "pickup", "days": ["mon", "wed"],
}  # fmt: skip


def test_every_kind_of_field_arrives_with_its_type(deployed: Deployed, visitor: Visitor) -> None:
    """The time is the reader's: 9:30 in Berlin."""
    asked = deployed.ask("form", questions.FORM)
    fill_in(visitor.opens(asked.link))
    visitor.sends()
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"] == FILLED


def test_what_may_be_left_out_is_left_out(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("form", questions.FORM)
    page = visitor.opens(asked.link)
    fill_in(page)
    for label in ("How to find it", "E-mail", "Website", "When to ring", "Weight in kilograms"):
        page.get_by_label(label).fill("")
    visitor.sends()
    visitor.sees("Thank you")
    left_out = {"directions", "email", "website", "ring_at", "weight"}
    assert deployed.outcome(asked)["response"] == {name: FILLED[name] for name in FILLED.keys() - left_out}


@pytest.mark.parametrize(
    ("label", "typed", "fault"),
    [
        ("Name", "A", "At least 2 characters."),
        ("Name", "A" * 61, "At most 60 characters; this has 61."),
        ("E-mail", "ada at example", "Enter an e-mail address."),
        ("Website", "example.com", "Enter an address such as https://example.com."),
        ("Floor", "61", "At most 60."),
        ("Floor", "-3", "At least -2."),
        ("Floor", "1.5", "Enter a whole number."),
        ("Day of delivery", "", "This is needed."),
    ],
)
def test_a_field_says_what_is_wrong_with_it_before_anything_is_sent(
    deployed: Deployed, visitor: Visitor, label: str, typed: str, fault: str
) -> None:
    page = visitor.opens(deployed.ask("form", questions.FORM).link)
    fill_in(page)
    page.get_by_label(label).fill(typed)
    visitor.sends()
    field = page.get_by_label(label)
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".fault:not(:empty)")).to_have_text(fault)
    expect(page.get_by_role("alert")).to_contain_text(f"{label}: {fault}")
    assert visitor.seen.posts("/answers") == []


@pytest.mark.only_chromium("Playwright reads no body of a request from Firefox")
def test_what_only_the_service_finds_wrong_is_said_at_its_field(deployed: Deployed, visitor: Visitor) -> None:
    """A third day is one too many; here the page is kept from noticing it itself."""
    asked = deployed.ask("form", questions.FORM)
    page = visitor.opens(asked.link)
    fill_in(page)

    def one_more_day(route: Route) -> None:
        body: Any = route.request.post_data_json
        body["response"]["days"] = ["mon", "tue", "wed"]
        route.continue_(post_data=body)

    page.route("**/answers", one_more_day, times=1)
    visitor.sends()
    expect(page.get_by_role("alert")).to_contain_text("Days that suit: Choose at least 1. Choose at most 2.")
    visitor.sends()
    visitor.sees("Thank you")
