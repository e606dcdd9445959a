"""A person passes the question on to another one, who then decides."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.built.browser.accessibility import violations
from tests.built.browser.languages import ALL
from tests.built.browser.screenshots import scrolls_sideways, whole_page
from tests.built.browser.states import TWO, passing_on_open
from tests.built.browser.steps import PASS_ON, REFUND, choose
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Asked, Deployed

pytestmark = pytest.mark.browser

ADA, BOB = TWO
CYD = "cyd@example.com"
FIELD = "Name or e-mail address"


def ask(deployed: Deployed, **over: object) -> Asked:
    return deployed.ask("ask_user", questions.ONE, recipients=TWO, approvers=TWO, **over)


def passes_on(visitor: Visitor, to: str) -> None:
    visitor.page.get_by_text(PASS_ON).click()
    visitor.page.get_by_label(FIELD).fill(to)
    visitor.sends("Pass on")
    visitor.sends("Yes, pass on")


def fits(visitor: Visitor, name: str) -> None:
    assert not scrolls_sideways(visitor.page)
    assert violations(visitor.page) == []
    whole_page(visitor.page, f"{name}-phone-light")


def test_a_reader_who_may_not_pass_it_on_has_no_part_for_that(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(ask(deployed).link_of(ADA))
    expect(page.get_by_text(PASS_ON)).to_have_count(0)


def test_it_takes_two_presses_and_going_back_sends_nothing(deployed: Deployed, visitor: Visitor) -> None:
    passing_on_open(deployed, visitor)
    page = visitor.page
    page.get_by_label(FIELD).press("Enter")
    expect(page.get_by_role("heading", name=REFUND)).to_be_visible()
    visitor.sends("Pass on")
    visitor.sees("Check once more")
    expect(page.locator(".check")).to_contain_text(f"{CYD} then decides instead of you. Your link no longer works")
    visitor.sends("Go back")
    expect(page.get_by_role("button", name="Pass on", exact=True)).to_be_focused()
    expect(page.get_by_label(FIELD)).to_have_value(CYD)
    assert visitor.seen.posts("/delegations") == []


def test_the_other_person_decides_and_the_page_of_the_first_is_a_receipt(
    deployed: Deployed, visit: Callable[..., Visitor]
) -> None:
    asked = ask(deployed, delegates=["*@example.com"])
    ada, cyd = visit(), visit()
    ada.opens(asked.link_of(ADA))
    choose(ada)
    passes_on(ada, f" {CYD} ")
    ada.sees("You have passed this question on")
    expect(ada.page.locator("main")).to_contain_text(f"Passed on to {CYD} on ")
    expect(ada.page.locator(".receipt")).to_contain_text(asked.jti)
    assert ada.seen.posts("/answers") == []
    assert [key for key in ada.page.evaluate("Object.keys(sessionStorage)") if asked.jti in key] == []
    ada.page.reload()
    ada.sees("This link no longer works")

    cyd.opens(deployed.link_now(asked, CYD), REFUND)
    expect(cyd.page.get_by_text(f"{ADA} passed this question on to you.")).to_be_visible()
    whole_page(cyd.page, "passed-on-to-you-phone-light")
    choose(cyd)
    cyd.sends()
    cyd.sees("Thank you")
    assert deployed.outcome(asked)["answered_by"] == CYD


@pytest.mark.parametrize("person", ["cyd@elsewhere.example", BOB])
def test_a_person_who_cannot_be_asked_is_said_at_the_field(deployed: Deployed, visitor: Visitor, person: str) -> None:
    visitor.opens(ask(deployed, delegates=["*@example.com"]).link_of(ADA))
    passes_on(visitor, person)
    expect(visitor.page.get_by_text("This person cannot be asked.")).to_be_visible()
    expect(visitor.page.get_by_label(FIELD)).to_be_focused()
    expect(visitor.page.get_by_label(FIELD)).to_have_value(person)
    assert violations(visitor.page) == []
    whole_page(visitor.page, "passing-on-faulty-phone-light")


def test_a_question_that_ended_meanwhile_is_not_passed_on(deployed: Deployed, visitor: Visitor) -> None:
    asked = ask(deployed, delegates=["*@example.com"])
    visitor.opens(asked.link_of(ADA))
    deployed.revoke(asked)
    passes_on(visitor, CYD)
    visitor.sees("No answer is needed any more")


def test_votes_say_for_whom_they_are(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask(
        "approval", questions.APPROVAL, recipients=TWO, approvers=TWO, quorum={"needed": 2}, delegates=[CYD]
    )
    visitor.opens(asked.link_of(ADA))
    passes_on(visitor, CYD)
    visitor.sees("You have passed this question on")
    deployed.answer(deployed.link_now(asked, CYD).partition("#")[2], {"decision": "approve"})
    visitor.opens(asked.link_of(BOB))
    expect(visitor.page.locator(".votes")).to_contain_text(f"{CYD} for {ADA}: Approve")


@pytest.mark.parametrize("language", ["ar", "de"])
def test_it_fits_a_phone_in_the_readers_language(
    deployed: Deployed, visit: Callable[..., Visitor], language: str
) -> None:
    visitor, texts = visit(locale=language, device_scale_factor=2), ALL[language]
    page = visitor.opens(ask(deployed, delegates=["*@example.com"]).link_of(ADA))
    page.get_by_text(texts["pass_on"]).click()
    page.get_by_label(texts["pass_on_to"]).fill(CYD)
    visitor.sends(texts["pass_on_now"])
    visitor.sees(texts["check_title"])
    fits(visitor, f"passing-on-check-{language}")
    visitor.sends(texts["confirm_pass_on"])
    visitor.sees(texts["passed_on_title"])
    fits(visitor, f"passed-on-{language}")
