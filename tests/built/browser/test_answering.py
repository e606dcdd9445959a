"""People answer: what they choose, type and change arrives exactly; what they get wrong is said before it is sent."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Deployed

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


@pytest.mark.parametrize(("interaction", "payload"), [("approval", questions.APPROVAL), ("ask_user", questions.ONE)])
def test_without_the_press_of_a_button_nothing_is_sent(
    deployed: Deployed, visitor: Visitor, interaction: str, payload: dict[str, Any]
) -> None:
    """D-29: neither a script's submit, nor Space and Return on a choice or in a field."""
    page = visitor.opens(deployed.ask(interaction, payload).link)
    page.evaluate("document.querySelector('form').requestSubmit()")
    for field in page.locator("input").all():
        field.press("Space")
        field.press("Enter")
    assert page.locator("button[type=submit], input[type=submit]").count() == 0
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert visitor.seen.posts("/answers") == []


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
    expect(page.get_by_role("group", name="2 items")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_text("View as JSON")).to_be_focused()
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
