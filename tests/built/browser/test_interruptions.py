"""What gets in the way of an answer: reloads, failures, impatience, other tabs, other people, and time."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from tests.built.browser.steps import REFUND, choose, refusing
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Deployed

pytestmark = pytest.mark.browser

TYPED = "Half of it, & a <b>note</b>"


def type_something(visitor: Visitor) -> None:
    visitor.page.get_by_label(f"Something else: {REFUND}").fill(TYPED)


def require_kept(visitor: Visitor) -> None:
    expect(visitor.page.get_by_label(f"Something else: {REFUND}")).to_have_value(TYPED)
    expect(visitor.page.get_by_label("Something else", exact=True)).to_be_checked()


def test_a_reload_in_the_middle_keeps_what_was_typed(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE)
    visitor.opens(asked.link)
    type_something(visitor)
    visitor.page.reload()
    require_kept(visitor)
    visitor.sends()
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"]["answers"][0]["other"] == TYPED


def test_a_reload_keeps_edits_and_shows_them_as_such(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("approval", questions.APPROVAL).link)
    page.get_by_label("GBP").check()
    page.get_by_label("Comment").fill("In pounds")
    page.reload()
    expect(page.get_by_label("GBP")).to_be_checked()
    expect(page.get_by_label("Comment")).to_have_value("In pounds")
    expect(page.locator("ins")).to_have_text("GBP")


def test_a_reload_keeps_every_field_of_an_adopters_form(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("assess_incident", questions.INCIDENT).link)
    page.get_by_label("high").check()
    page.get_by_label("Full name").fill("Ada")
    page.get_by_label("Labels").fill("a\nb")
    page.reload()
    expect(page.get_by_label("high")).to_be_checked()
    expect(page.get_by_label("Full name")).to_have_value("Ada")
    expect(page.get_by_label("Labels")).to_have_value("a\nb")


def test_nothing_that_was_typed_stays_in_the_browser_after_it_was_sent(deployed: Deployed, visitor: Visitor) -> None:
    visitor.opens(deployed.ask("ask_user", questions.ONE).link)
    type_something(visitor)
    assert visitor.page.evaluate("sessionStorage.length") == 2
    visitor.sends()
    visitor.sees("Thank you")
    # The token stays in this tab, so that a reload says how the question ended.
    assert visitor.page.evaluate("Object.keys(sessionStorage)") == ["askback:token"]
    assert visitor.page.evaluate("[localStorage.length, document.cookie]") == [0, ""]


def test_the_token_leaves_the_address_and_a_reload_still_shows_the_question(
    deployed: Deployed, visitor: Visitor
) -> None:
    asked = deployed.ask("ask_user", questions.ONE)
    page = visitor.opens(asked.link, REFUND)
    assert page.url == asked.link.partition("#")[0]
    assert asked.token not in page.evaluate("JSON.stringify([location.href, history.state, document.title])")
    page.reload()
    visitor.sees(REFUND)


def test_a_link_without_a_token_does_not_open_the_question_that_was_open_before(
    deployed: Deployed, visitor: Visitor
) -> None:
    asked = deployed.ask("ask_user", questions.ONE)
    visitor.opens(asked.link, REFUND)
    visitor.page.goto(asked.link.partition("#")[0] + "#broken")
    visitor.sees("This link is damaged")


def test_without_storage_the_token_stays_in_the_address(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE)
    visitor.page.add_init_script("Object.defineProperty(window, 'sessionStorage', { get() { throw new Error(); } })")
    page = visitor.opens(asked.link, REFUND)
    assert page.url == asked.link


def test_a_double_click_sends_once(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("ask_user", questions.ONE).link)
    choose(visitor)
    page.get_by_role("button", name="Send answer").dblclick()
    visitor.sees("Thank you")
    assert len(visitor.seen.posts("/answers")) == 1


def test_while_it_is_being_sent_the_button_says_so_and_presses_do_nothing(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("ask_user", questions.ONE).link)
    choose(visitor)
    held: list[Route] = []
    page.route("**/answers", lambda route: held.append(route))  # noqa: PLW0108  it takes no built-in
    visitor.sends()
    button = page.get_by_role("button", name="Sending…")
    expect(button).to_have_attribute("aria-disabled", "true")
    button.click(force=True)
    button.press("Enter")
    held[0].continue_()
    visitor.sees("Thank you")
    assert len(visitor.seen.posts("/answers")) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_service_that_cannot_take_the_answer_now_is_asked_again_with_the_same_one(
    deployed: Deployed, visitor: Visitor, status: int
) -> None:
    asked = deployed.ask("ask_user", questions.ONE)
    page = visitor.opens(asked.link)
    type_something(visitor)
    page.route("**/answers", refusing(status), times=1)
    visitor.sends()
    expect(page.get_by_role("alert")).to_have_text(
        "Your answer could not be sent. It is still on this page. Try again in a moment."
    )
    require_kept(visitor)
    visitor.sends()
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"]["answers"][0]["other"] == TYPED


def test_a_question_that_cannot_be_fetched_now_is_fetched_again(deployed: Deployed, visitor: Visitor) -> None:
    visitor.page.route("**/questions", refusing(), times=1)
    visitor.opens(deployed.ask("ask_user", questions.ONE).link, "Not reachable right now")
    visitor.sends("Try again")
    visitor.sees(REFUND)


def test_a_reply_that_is_no_json_is_a_service_that_is_not_reachable(deployed: Deployed, visitor: Visitor) -> None:
    visitor.page.route(
        "**/questions", lambda route: route.fulfill(status=200, body="<html>Log in first</html>"), times=1
    )
    visitor.opens(deployed.ask("ask_user", questions.ONE).link, "Not reachable right now")


def test_somebody_who_is_offline_keeps_the_answer_and_sends_it_later(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE)
    page = visitor.opens(asked.link)
    type_something(visitor)
    visitor.context.set_offline(True)
    visitor.sends()
    expect(page.get_by_role("alert")).to_contain_text("could not be sent")
    require_kept(visitor)
    visitor.context.set_offline(False)
    visitor.sends()
    visitor.sees("Thank you")


@pytest.mark.only_chromium("Playwright reads no body of a request from Firefox")
def test_an_answer_whose_receipt_was_lost_is_sent_again_and_counts_once(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("ask_user", questions.ONE).link)
    choose(visitor)

    def accepted_and_lost(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/answers", accepted_and_lost, times=1)
    visitor.sends()
    expect(page.get_by_role("alert")).to_contain_text("could not be sent")
    visitor.sends()
    visitor.sees("Thank you")
    expect(page.get_by_text("Your answer had already been received, on")).to_be_visible()


@pytest.mark.parametrize(
    ("first", "second", "heading"),
    [("Refund it", "Refund it", "Thank you"), ("Refund it", "Refuse", "You have answered this")],
)
def test_of_two_tabs_the_first_answer_counts(
    deployed: Deployed, visitor: Visitor, first: str, second: str, heading: str
) -> None:
    asked = deployed.ask("ask_user", questions.ONE, recipients=["ada"])
    visitor.opens(asked.link_of("ada"))
    other = visitor.tab()
    other.goto(asked.link_of("ada"))
    other.get_by_label(second, exact=True).check()
    choose(visitor, first)
    visitor.sends()
    visitor.sees("Thank you")
    other.get_by_role("button", name="Send answer").click()
    expect(other.get_by_role("heading", level=1)).to_have_text(heading)
    assert deployed.outcome(asked)["response"]["answers"][0]["selections"] == [first]


def test_of_two_recipients_the_first_wins_and_the_other_is_told(
    deployed: Deployed, visit: Callable[..., Visitor]
) -> None:
    asked = deployed.ask("ask_user", questions.ONE, recipients=["ada", "bob"])
    ada, bob = visit(), visit()
    ada.opens(asked.link_of("ada"))
    bob.opens(asked.link_of("bob"))
    choose(bob, "Refuse")
    choose(ada)
    ada.sends()
    ada.sees("Thank you")
    bob.sends()
    bob.sees("Another person has answered this")
    outcome = deployed.outcome(asked)
    assert (outcome["answered_by"], outcome["answered_via"]) == ("ada", "link")
