"""A person passes the question on to another one, who then decides."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from tests.built.browser.accessibility import violations
from tests.built.browser.languages import ALL
from tests.built.browser.screenshots import scrolls_sideways, whole_page
from tests.built.browser.states import passing_on_check, passing_on_open
from tests.built.browser.steps import PASS_ON, REFUND, may_pass_on, refusing
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Deployed

pytestmark = pytest.mark.browser

ADA = "ada@example.com"
CYD = "cyd@example.com"


def test_a_reader_who_may_not_pass_it_on_has_no_part_for_that(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("ask_user", questions.ONE, recipients=[ADA]).link_of(ADA))
    expect(page.get_by_text(PASS_ON)).to_have_count(0)


def test_it_takes_two_presses_and_going_back_sends_nothing(deployed: Deployed, visitor: Visitor) -> None:
    passing_on_open(deployed, visitor)
    page = visitor.page
    page.get_by_label("Name or e-mail address").press("Enter")
    expect(page.get_by_role("heading", name=REFUND)).to_be_visible()
    visitor.sends("Pass on")
    visitor.sees("Check once more")
    expect(
        page.get_by_text(f"{CYD} then decides instead of you. Your link no longer works after that.")
    ).to_be_visible()
    visitor.sends("Go back")
    expect(page.get_by_role("button", name="Pass on", exact=True)).to_be_focused()
    expect(page.get_by_label("Name or e-mail address")).to_have_value(CYD)
    assert visitor.seen.posts("/delegations") == []


def test_a_person_who_cannot_be_asked_is_said_at_the_field(deployed: Deployed, visitor: Visitor) -> None:
    passing_on_check(deployed, visitor)
    visitor.page.route("**/delegations", refusing(400, "bad-request"))
    visitor.sends("Yes, pass on")
    expect(visitor.page.get_by_text("This person cannot be asked.")).to_be_visible()
    expect(visitor.page.get_by_label("Name or e-mail address")).to_be_focused()
    assert violations(visitor.page) == []
    whole_page(visitor.page, "passing-on-faulty-phone-light")


def test_a_person_to_whom_it_was_passed_on_reads_by_whom(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE, recipients=[CYD])

    def delegated(route: Route) -> None:
        shown = route.fetch(post_data={"answer_token": asked.token_of(CYD)})
        more = {"asked_because": "delegated", "delegated_by": ADA}
        route.fulfill(response=shown, json={**shown.json(), **more})

    visitor.page.route("**/questions", delegated)
    page = visitor.opens(asked.link_of(CYD))
    expect(page.get_by_text(f"{ADA} passed this question on to you.")).to_be_visible()
    whole_page(page, "passed-on-to-you-phone-light")


@pytest.mark.parametrize("language", ["ar", "de"])
def test_it_fits_a_phone_in_the_readers_language(
    deployed: Deployed, visit: Callable[..., Visitor], language: str
) -> None:
    visitor, texts = visit(locale=language, device_scale_factor=2), ALL[language]
    asked = deployed.ask("ask_user", questions.ONE, recipients=[ADA])
    may_pass_on(visitor, asked.token_of(ADA))
    page = visitor.opens(asked.link_of(ADA))
    page.get_by_text(texts["pass_on"]).click()
    page.get_by_label(texts["pass_on_to"]).fill(CYD)
    visitor.sends(texts["pass_on_now"])
    visitor.sees(texts["check_title"])
    assert not scrolls_sideways(page)
    assert violations(page) == []
    whole_page(page, f"passing-on-check-{language}-phone-light")
    reply = {"jti": asked.jti, "from": ADA, "to": CYD, "replayed": False, "status": "issued"}
    page.route("**/delegations", lambda route: route.fulfill(json=reply))
    visitor.sends(texts["confirm_pass_on"])
    visitor.sees(texts["passed_on_title"])
    assert not scrolls_sideways(page)
    assert violations(page) == []
    whole_page(page, f"passed-on-{language}-phone-light")
