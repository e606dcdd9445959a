"""The end of a question is the service's to say, and the page says it when it comes; a link is its own question's."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Request, Route, expect

from tests.built.browser.states import leads_to
from tests.built.browser.steps import REFUND, choose, the_answer
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Deployed

pytestmark = pytest.mark.browser


def test_a_question_that_ends_while_it_is_open_is_over_on_the_page_too(deployed: Deployed, visitor: Visitor) -> None:
    visitor.page.clock.install()
    visitor.opens(deployed.ask("ask_user", questions.ONE, ttl_seconds=90).link)
    expect(visitor.page.locator(".deadline strong")).to_have_text(re.compile(r"^1 minute, \d+ seconds left$"))
    with deployed.later(91):
        visitor.waits(92)
        visitor.sees("Too late to answer")


def test_a_clock_that_runs_ahead_ends_nothing(deployed: Deployed, visitor: Visitor) -> None:
    """The service's clock decides; what was chosen stays."""
    visitor.page.clock.install()
    visitor.opens(deployed.ask("ask_user", questions.ONE, ttl_seconds=90).link)
    choose(visitor)
    with visitor.page.expect_response("**/questions"):
        visitor.waits(95)
    visitor.sees(REFUND)
    expect(visitor.page.get_by_label("Refund it", exact=True)).to_be_checked()


def test_the_deadline_is_in_the_readers_own_time_zone(deployed: Deployed, visit: Callable[..., Visitor]) -> None:
    asked = deployed.ask("ask_user", questions.ONE)
    at = {}
    for zone in ("Europe/Berlin", "America/Los_Angeles"):
        page = visit(timezone_id=zone).opens(asked.link)
        at[zone] = page.locator("time").text_content()
    assert at["Europe/Berlin"] != at["America/Los_Angeles"]


@pytest.mark.only_chromium("Playwright reads no body of a request from Firefox")
def test_another_question_than_the_one_that_was_read_takes_no_answer(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("approval", questions.APPROVAL)

    def an_older_question(route: Route) -> None:
        shown = route.fetch()
        route.fulfill(response=shown, json={**shown.json(), "request_hash": "0" * 64})

    visitor.page.route("**/questions", an_older_question, times=1)
    page = visitor.opens(asked.link)
    visitor.sends("Approve")
    expect(page.get_by_role("alert").first).to_have_text(
        "The question has changed since you opened it. Please read it again."
    )
    assert deployed.question(asked)["status"] == "issued"
    visitor.sends("Approve")
    visitor.sees("Thank you")


def test_a_link_that_is_opened_in_the_tab_of_another_shows_its_own_question(
    deployed: Deployed, visitor: Visitor
) -> None:
    visitor.opens(deployed.ask("ask_user", questions.ONE).link, REFUND)
    visitor.opens(deployed.ask("approval", questions.APPROVAL).link, "Pay the invoice of Lovelace Engines?")


@pytest.mark.parametrize("added", [".", ")", ">", "%3E", "&utm_source=mail"])
def test_what_a_mail_program_adds_to_a_link_does_no_harm(deployed: Deployed, visitor: Visitor, added: str) -> None:
    visitor.opens(deployed.ask("ask_user", questions.ONE).link + added, REFUND)


@pytest.mark.parametrize("sign", ["%23", "%2523", "/%23", "/#"])
def test_a_link_whose_number_sign_a_filter_encoded_opens_and_leaves_the_address(
    deployed: Deployed, visitor: Visitor, sign: str
) -> None:
    """D-27."""
    page = visitor.opens(deployed.ask("ask_user", questions.ONE).link.replace("#", sign), REFUND)
    assert page.url.endswith("/answer")


def test_somebody_who_answered_in_time_is_told_so_after_the_time(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE, ttl_seconds=60, recipients=["ada"])
    deployed.answer(asked.token_of("ada"), the_answer(asked.minted["payload"]))
    with deployed.later(61):
        visitor.opens(asked.link_of("ada"), "You have answered this")


@pytest.mark.only_chromium("Playwright reads no body of a request from Firefox")
def test_the_button_to_sign_in_takes_the_id_along_and_nothing_else(
    deployed: Deployed, visit: Callable[..., Visitor]
) -> None:
    visitor = visit()
    asked = deployed.ask("ask_user", questions.ONE, recipients=["ada"], least_assurance="signed_in")
    address = f"https://app.example.com/answers?pause={asked.jti}"
    leads_to(visitor, asked.token_of("ada"), address)
    arrived: list[Request] = []

    def the_adopters_page(route: Route) -> None:
        arrived.append(route.request)
        route.fulfill(content_type="text/html", body="<h1>Sign in</h1>")

    visitor.page.route("https://app.example.com/**", the_adopters_page)
    visitor.opens(asked.link_of("ada"), "Sign in to answer")
    visitor.page.get_by_role("link", name="Sign in to answer").click()
    expect(visitor.page.get_by_role("heading", name="Sign in")).to_be_visible()
    (request,) = arrived
    assert (request.url, request.post_data) == (address, None)
    headers = request.all_headers()
    assert "referer" not in headers
    assert asked.token_of("ada") not in str(headers) + request.url
    assert visitor.page.evaluate("document.referrer") == ""
    assert visitor.page.evaluate("sessionStorage.length") == 0
    # The adopter's page is no page of ours: what it loads is not the answer page's doing.
    visitor.seen.requests.clear()
