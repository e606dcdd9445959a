"""A page that stays open sees within ten seconds how its question ended, and keeps what was typed in it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from tests.built.browser.accessibility import violations
from tests.built.browser.screenshots import whole_page
from tests.built.browser.steps import REFUND, choose, refusing, the_answer
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Asked, Deployed

pytestmark = pytest.mark.browser

TYPED = "Half of it, & a <b>note</b>"
TEN_SECONDS = 10


def opened(visitor: Visitor, link: str) -> None:
    """Open the question, let the page's time be the test's, and type something."""
    visitor.page.clock.install()
    visitor.opens(link, REFUND)
    visitor.page.get_by_label(f"Something else: {REFUND}").fill(TYPED)


def answered(deployed: Deployed, asked: Asked) -> None:
    deployed.answer(asked.token_of("ada"), the_answer(asked.minted["payload"]))


def revoked(deployed: Deployed, asked: Asked) -> None:
    deployed.revoke(asked)


def link_revoked(deployed: Deployed, asked: Asked) -> None:
    deployed.revoke_link(asked, "bob")


def replaced(deployed: Deployed, asked: Asked) -> None:
    deployed.ask("ask_user", questions.FOUR, supersedes=asked.jti, recipients=["bob"])


@pytest.mark.parametrize(
    ("end", "heading"),
    [
        (answered, "Another person has answered this"),
        (revoked, "No answer is needed any more"),
        (link_revoked, "This link no longer works"),
        (replaced, "A newer question has replaced this one"),
    ],
)
def test_an_end_is_seen_within_ten_seconds_and_what_was_typed_stays(
    deployed: Deployed, visitor: Visitor, end: Callable[[Deployed, Asked], None], heading: str
) -> None:
    asked = deployed.ask("ask_user", questions.ONE, recipients=["ada", "bob"])
    opened(visitor, asked.link_of("bob"))
    end(deployed, asked)
    visitor.waits(TEN_SECONDS)
    visitor.sees(heading)
    kept = visitor.page.locator(".typed")
    expect(kept.locator("summary")).to_have_text("What you had entered")
    assert kept.locator("dd").all_inner_texts() == ["Something else", TYPED]
    assert violations(visitor.page) == []
    whole_page(visitor.page, f"open-{end.__name__}-phone-light")
    before = len(visitor.seen.posts("/questions"))
    visitor.waits(6 * TEN_SECONDS)
    assert len(visitor.seen.posts("/questions")) == before


def test_the_looks_are_small_and_have_the_token_in_their_body_alone(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE)
    opened(visitor, asked.link)
    with visitor.page.expect_response("**/questions") as looked:
        visitor.waits(TEN_SECONDS)
    reply = looked.value.json()
    assert (reply["unchanged"], reply["status"], "payload" in reply) == (True, "issued", False)
    assert len(looked.value.body()) < 300
    request = looked.value.request
    assert asked.token not in request.url + str(request.all_headers())
    visitor.sees(REFUND)


def test_too_many_requests_and_failures_end_nothing(deployed: Deployed, visitor: Visitor) -> None:
    opened(visitor, deployed.ask("ask_user", questions.ONE).link)
    visitor.page.route("**/questions", refusing(429, "too-many"))
    visitor.waits(3 * TEN_SECONDS)
    visitor.sees(REFUND)
    expect(visitor.page.get_by_label(f"Something else: {REFUND}")).to_have_value(TYPED)


@pytest.mark.only_chromium("Playwright reads no body of a request from Firefox")
def test_another_question_is_shown_with_a_notice_and_with_what_was_typed(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE)

    def an_older_question(route: Route) -> None:
        shown = route.fetch()
        route.fulfill(response=shown, json={**shown.json(), "request_hash": "0" * 64})

    visitor.page.route("**/questions", an_older_question, times=1)
    opened(visitor, asked.link)
    visitor.waits(TEN_SECONDS)
    expect(visitor.page.get_by_role("alert").first).to_contain_text("The question has changed")
    expect(visitor.page.locator(".typed dd").last).to_have_text(TYPED)


@pytest.mark.only_chromium("Playwright reads no body of a request from Firefox")
def test_a_deadline_that_moved_is_shown_and_the_form_stays(deployed: Deployed, visitor: Visitor) -> None:
    opened(visitor, deployed.ask("ask_user", questions.ONE).link)

    def later(route: Route) -> None:
        shown = route.fetch()
        route.fulfill(response=shown, json={**shown.json(), "expires_at": "2099-05-01T12:00:00Z"})

    visitor.page.route("**/questions", later)
    visitor.waits(TEN_SECONDS)
    expect(visitor.page.locator(".deadline")).to_contain_text("2099")
    expect(visitor.page.get_by_text("The time to answer has changed.")).to_be_visible()
    expect(visitor.page.get_by_label(f"Something else: {REFUND}")).to_have_value(TYPED)


@pytest.mark.only_chromium("Playwright reads no body of a request from Firefox")
def test_an_answer_that_is_on_its_way_is_thanked_for_and_not_reported_as_answered(
    deployed: Deployed, visitor: Visitor
) -> None:
    asked = deployed.ask("ask_user", questions.ONE, recipients=["ada"])
    visitor.page.clock.install()
    visitor.opens(asked.link_of("ada"))
    choose(visitor)

    def slowly(route: Route) -> None:
        reply = route.fetch()
        # Not `waits`: it would wait for this reply.
        visitor.page.clock.run_for(2 * TEN_SECONDS * 1000)
        route.fulfill(response=reply)

    visitor.page.route("**/answers", slowly)
    visitor.sends()
    visitor.sees("Thank you")


def test_the_link_of_a_question_that_was_replaced_opens_the_newer_one(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE, recipients=["bob"])
    replaced(deployed, asked)
    visitor.opens(asked.link_of("bob"), "A newer question has replaced this one")
    visitor.page.get_by_role("link", name="Open the newer question").click()
    visitor.sees("4 questions for you")
    expect(visitor.page.get_by_text("You answer as bob")).to_be_visible()
    assert "#" not in visitor.page.url
