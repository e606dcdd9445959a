"""Fields with more than one control: each is used with the keyboard and by its name, and the answer arrives as seen."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.built.browser.accessibility import violations
from tests.built.browser.visitor import Visitor
from tests.support.page_deployment import Deployed

pytestmark = pytest.mark.browser

CITIES = ("Aachen", "Berlin", "Bremen", "Köln", "Leipzig", "München", "Ulm", "Trier", "Kiel", "Bonn", "Jena", "Gera")


def a_form(**properties: Any) -> dict[str, Any]:
    return {"title": "Where to?", "schema": {"type": "object", "properties": properties, "required": []}}


def test_many_choices_are_searched_chosen_and_cleared_with_the_keyboard(deployed: Deployed, visitor: Visitor) -> None:
    city = {"type": "string", "title": "City", "enum": list(CITIES)}
    asked = deployed.ask("form", a_form(city=city, spare={**city, "title": "Spare"}))
    page = visitor.opens(asked.link)
    assert violations(page) == []
    search = page.get_by_role("searchbox", name="Search in these choices: City", exact=True)
    group = page.get_by_role("group", name="City")
    search.focus()
    page.keyboard.type("koln")
    expect(group.get_by_role("radio")).to_have_count(1)
    expect(group.get_by_role("status")).to_have_text("Shown: 1 of 12")
    page.keyboard.press("Enter")
    assert visitor.seen.posts("/answers") == []
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(group.get_by_role("radio", name="Köln")).to_be_checked()
    search.fill("trier")
    expect(group.get_by_role("radio")).to_have_count(2)
    page.get_by_role("group", name="Spare").get_by_role("radio", name="Ulm").check()
    clear = page.get_by_role("button", name="Clear this choice: Spare")
    clear.press("Enter")
    expect(clear).to_be_hidden()
    expect(page.get_by_role("radio", name="Ulm").last).to_be_focused()
    assert violations(page) == []
    visitor.sends()
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"] == {"city": "Köln"}
