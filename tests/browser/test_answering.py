"""People answer: what they choose, type and change arrives exactly; what they get wrong is said before it is sent."""

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import questions
from tests.browser.deployed import Deployed
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser


def test_one_of_the_options_arrives_and_its_author_is_thanked(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE)
    visitor.opens(asked.link, "Refund 49.90 EUR to Ada Lovelace?").get_by_label("Refuse", exact=True).check()
    visitor.sends()
    visitor.sees("Thank you")
    (answer,) = deployed.outcome(asked)["response"]["answers"]
    assert (answer["selections"], answer["other"]) == (["Refuse"], None)


def test_free_text_arrives_to_the_letter(deployed: Deployed, visitor: Visitor) -> None:
    """A-31: nothing is decoded or encoded on the way."""
    asked = deployed.ask("ask_user", questions.ONE)
    page = visitor.opens(asked.link)
    page.get_by_label("Something else: Refund 49.90 EUR to Ada Lovelace?").fill("C++ & 100% sure")
    expect(page.get_by_label("Something else", exact=True)).to_be_checked()
    visitor.sends()
    visitor.sees("Thank you")
    (answer,) = deployed.outcome(asked)["response"]["answers"]
    assert (answer["selections"], answer["other"]) == ([], "C++ & 100% sure")


def test_four_questions_are_answered_at_once(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.FOUR)
    page = visitor.opens(asked.link, "4 questions for you")
    for label in ("Region by region", "Support", "Customers", "No", "Docs", "Metrics"):
        page.get_by_label(label, exact=True).check()
    page.get_by_label("Something else: Who has to be told beforehand?").fill("Everybody")
    visitor.sends()
    visitor.sees("Thank you")
    answers = deployed.outcome(asked)["response"]["answers"]
    assert [answer["selections"] for answer in answers] == [
        ["Region by region"], ["Support", "Customers"], ["No"], ["Docs", "Metrics"],
    ]  # fmt: skip
    assert [answer["other"] for answer in answers] == [None, "Everybody", None, None]


def test_an_approval_records_the_edits_and_keeps_what_was_not_edited(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("approval", questions.APPROVAL)
    page = visitor.opens(asked.link)
    expect(page.get_by_text("12345678901234567890")).to_be_visible()
    page.get_by_label("Amount").fill("1115.63")
    expect(page.locator("del")).to_have_text("1249.5")
    expect(page.locator("ins")).to_have_text("1115.63")
    page.get_by_label("Comment").fill("As ordered")
    visitor.sends("Approve")
    visitor.sees("Thank you")
    taken = deployed.outcome(asked)["response"]
    assert (taken["decision"], taken["comment"]) == ("approve", "As ordered")
    assert taken["edits"] == {"amount": {"before": 1249.5, "after": 1115.63}}
    assert taken["arguments"] == questions.APPROVAL["action"]["arguments"] | {"amount": 1115.63}


def test_an_edit_that_is_taken_back_is_none(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("approval", questions.APPROVAL)
    page = visitor.opens(asked.link)
    page.get_by_label("Amount").fill("1")
    page.get_by_label("Amount").fill("1249.50")
    expect(page.locator("ins")).to_have_count(0)
    visitor.sends("Approve")
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"]["edits"] == {}


def test_a_rejection_says_why_where_that_is_asked_for_and_carries_no_edits(
    deployed: Deployed, visitor: Visitor
) -> None:
    asked = deployed.ask("approval", questions.APPROVAL)
    page = visitor.opens(asked.link)
    page.get_by_label("Amount").fill("99999")
    visitor.sends("Reject")
    expect(page.get_by_role("alert")).to_contain_text("Say why you reject.")
    expect(page.get_by_label("Comment")).to_be_focused()
    page.get_by_label("Comment").fill("Too much")
    visitor.sends("Reject")
    visitor.sees("Thank you")
    taken = deployed.outcome(asked)["response"]
    assert (taken["decision"], taken["comment"], taken["arguments"]) == ("reject", "Too much", None)


@pytest.mark.parametrize(("policy", "fields"), [("none", 0), ("optional", 1), ("required", 1)])
def test_a_comment_is_asked_for_as_the_request_says(
    deployed: Deployed, visitor: Visitor, policy: str, fields: int
) -> None:
    asked = deployed.ask("approval", questions.APPROVAL | {"comment": policy})
    page = visitor.opens(asked.link)
    expect(page.get_by_label("Comment")).to_have_count(fields)
    visitor.sends("Approve")
    if policy == "required":
        expect(page.get_by_role("alert")).to_contain_text("This is needed.")
        page.get_by_label("Comment").fill("Fine")
        visitor.sends("Approve")
    visitor.sees("Thank you")


def test_the_return_key_in_a_field_decides_nothing(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("approval", questions.APPROVAL).link)
    page.get_by_label("Amount").press("Enter")
    page.get_by_label("Note").press("Enter")
    expect(page.get_by_role("button", name="Approve")).to_be_visible()
    assert visitor.seen.posts("/answers") == []


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
    "website": "https://example.com/?q=a+b", "deliver_on": "2026-12-24", "ring_at": "2026-12-24T08:30:00.000Z",
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
    expect(page.get_by_role("alert")).to_contain_text("Days that suit: must have 1 to 2 choices")
    visitor.sends()
    visitor.sees("Thank you")


def test_an_adopters_interaction_is_drawn_from_its_schema(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("assess_incident", questions.INCIDENT)
    page = visitor.opens(asked.link, "Assess incident")
    page.get_by_label("medium").check()
    page.get_by_label("Minutes Lost").fill("35")
    page.get_by_role("group", name="Tell Customers").get_by_label("No").check()
    page.get_by_role("group", name="Contact").get_by_label("Full name").fill("Ada")
    page.get_by_label("Labels").fill("database\n\n disk ")
    visitor.sends()
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"] == {
        "severity": "medium", "cause": None, "minutes_lost": 35, "tell_customers": False,
        "contact": {"name": "Ada", "phone": None}, "follow_up": None, "labels": ["database", "disk"],
    }  # fmt: skip


def test_an_answer_that_is_no_object_has_one_field(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("one_number", questions.INCIDENT)
    visitor.opens(asked.link).get_by_label("Your answer").fill("2.5")
    visitor.sends()
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"] == 2.5


def test_everything_can_be_done_with_the_keyboard(deployed: Deployed, visitor: Visitor) -> None:
    """From the heading: the options, the free text beside them, and the button, in the order in which they stand."""
    asked = deployed.ask("ask_user", questions.ONE)
    page = visitor.opens(asked.link)
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Refund it", exact=True)).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Something else", exact=True)).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.type("Half of it")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Send answer")).to_be_focused()
    page.keyboard.press("Enter")
    visitor.sees("Thank you")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    assert deployed.outcome(asked)["response"]["answers"][0]["other"] == "Half of it"


def test_an_approval_can_be_given_with_the_keyboard(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("approval", questions.APPROVAL)
    page = visitor.opens(asked.link)
    page.keyboard.press("Tab")
    expect(page.get_by_label("Amount")).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("900")
    for _ in range(5):
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Approve")).to_be_focused()
    page.keyboard.press(" ")
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"]["arguments"]["amount"] == 900
