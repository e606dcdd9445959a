"""Fields with more than one control: each is used with the keyboard and by its name, and the answer arrives as seen."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.built.browser.accessibility import violations
from tests.built.browser.screenshots import scrolls_sideways
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
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


def test_d21_times_of_the_two_nights_when_the_clocks_change(deployed: Deployed, visitor: Visitor) -> None:
    """An untouched default is sent as it was. In Berlin 2:30 is missing on 29 March 2026, and twice on 25 October."""
    kept = {"a": "2026-10-25T02:30:07+01:00", "b": "2026-10-25T00:30:00.123Z", "text": "one\n  two "}
    moment = {"type": "string", "format": "date-time"}
    asked = deployed.ask(
        "form",
        a_form(
            a={**moment, "default": kept["a"]},
            b={**moment, "default": kept["b"]},
            text={"type": "string", "default": kept["text"]},
            due={**moment, "title": "Due"},
        ),
    )
    page = visitor.opens(asked.link)
    expect(page.get_by_text(kept["a"])).to_be_visible()
    due = page.get_by_label("Due", exact=False).first
    due.fill("2026-03-29T02:30")
    visitor.sends()
    expect(page.get_by_role("alert")).to_contain_text("This time does not exist on that day")
    due.fill("2026-10-25T02:30")
    visitor.sends()
    expect(page.get_by_role("alert")).to_contain_text("Due: Choose one.")
    expect(page.get_by_role("group", name="Which one do you mean?")).to_be_visible()
    assert not scrolls_sideways(page)
    assert visitor.seen.posts("/answers") == []
    assert violations(page) == []
    page.get_by_role("radio", name="02:30").last.check()
    page.reload()
    expect(page.get_by_role("radio", name="02:30").last).to_be_checked()
    visitor.sends()
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"] == {**kept, "due": "2026-10-25T02:30:00+01:00"}


def test_d22_d23_every_shape_of_a_model_has_fields(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("place_order", questions.INCIDENT)
    page = visitor.opens(asked.link)
    assert violations(page) == []
    page.get_by_label("Price").fill("12345678901234567891.50")
    page.get_by_role("radio", name="rail").check()
    page.get_by_role("radio", name="Text", exact=True).check()
    page.get_by_role("textbox", name="Text").fill("007")
    page.get_by_label("Article").fill("Engine")
    page.get_by_label("Pieces").fill("10")
    page.get_by_role("button", name="Add: Positions").press("Enter")
    second = page.get_by_role("group", name="Positions 2")
    expect(second).to_be_focused()
    second.get_by_label("Article").fill("Cards")
    second.get_by_role("button", name="Remove: Positions 2").press("Enter")
    expect(page.get_by_role("button", name="Add: Positions")).to_be_focused()
    page.get_by_role("button", name="Add: Stock").click()
    stock = page.get_by_role("group", name="Stock 1")
    stock.get_by_label("Name").fill("Milan")
    stock.get_by_label("Value").fill("3")
    page.get_by_role("radio", name="Pickup").check()
    page.get_by_label("Shop").fill("Corner")
    page.get_by_role("group", name="Receiver").get_by_label("Street").fill("Via Roma")
    expect(page.get_by_text('For example: [1,"text"]')).to_be_visible()
    assert violations(page) == []
    assert not scrolls_sideways(page)
    page.reload()
    visitor.sends()
    expect(page.get_by_role("alert")).to_contain_text("Pieces: Only 9 are there.")
    expect(page.get_by_label("Pieces")).to_be_focused()
    page.get_by_label("Pieces").fill("9")
    visitor.sends()
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"] == {
        "price": "12345678901234567891.50",
        "discount": None,
        "way": "rail",
        "limit": "007",
        "positions": [{"article": "Engine", "pieces": 9}],
        "stock": {"Milan": 3},
        "handover": {"kind": "pickup", "shop": "Corner"},
        "sender": None,
        "receiver": {"street": "Via Roma", "country": "IT"},
        "pair": None,
    }
