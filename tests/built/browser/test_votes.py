"""Several people decide on the page: each sees how far it is, votes once, and reads the end."""

import pytest
from playwright.sync_api import expect

from tests.built.browser.accessibility import violations
from tests.built.browser.screenshots import SCREENSHOTS, whole_page
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Asked, Deployed

pytestmark = pytest.mark.browser

TITLE = "Pay the invoice of Lovelace Engines?"
PEOPLE = ["ada", "bob", "cyd"]
YES = {"decision": "approve"}


def ask(deployed: Deployed, **quorum: object) -> Asked:
    return deployed.ask(
        "approval", questions.APPROVAL, approvers=PEOPLE, recipients=PEOPLE, quorum={"needed": 2, **quorum}
    )


def shot(visitor: Visitor, name: str) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    whole_page(visitor.page, f"{name}-phone-light")


def test_two_of_three_approve_and_each_sees_how_far_it_is(deployed: Deployed, visitor: Visitor) -> None:
    asked = ask(deployed)
    deployed.answer(asked.token_of("ada"), {**YES, "comment": "It is the price that we agreed on."})
    visitor.opens(asked.link_of("bob"), TITLE)
    effects = visitor.page.locator(".effects")
    expect(effects).to_contain_text("2 of 3 people")
    expect(effects).to_contain_text("One rejection ends the question.")
    expect(effects).to_contain_text("Approved: 1. Rejected: 0.")
    expect(effects).to_contain_text("It is the price that we agreed on.")
    shot(visitor, "votes-open")
    assert violations(visitor.page) == []
    visitor.sends("Approve")
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"]["decision"] == "approve"


def test_a_vote_that_leaves_the_question_open_says_so_and_again_after_a_reload(
    deployed: Deployed, visitor: Visitor
) -> None:
    asked = ask(deployed)
    visitor.opens(asked.link_of("ada"), TITLE)
    visitor.sends("Approve")
    visitor.sees("Your vote is recorded")
    expect(visitor.page.locator("main")).to_contain_text("Approved: 1. Rejected: 0.")
    shot(visitor, "votes-recorded")
    assert violations(visitor.page) == []
    visitor.page.reload()
    visitor.sees("Your vote is recorded")
    assert visitor.page.get_by_role("button", name="Approve", exact=True).count() == 0


def test_the_next_member_votes_on_the_values_of_the_first(deployed: Deployed, visitor: Visitor) -> None:
    asked = ask(deployed)
    deployed.answer(asked.token_of("ada"), {**YES, "edits": {"amount": 1115.63, "currency": "GBP"}})
    visitor.opens(asked.link_of("bob"), TITLE)
    expect(visitor.page.get_by_text("Another person has approved changed values")).to_be_visible()
    expect(visitor.page.get_by_label("Amount")).to_have_value("1115.63")
    expect(visitor.page.get_by_label("GBP")).to_be_checked()
    shot(visitor, "votes-other-values")
    visitor.sends("Approve")
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"]["arguments"]["amount"] == 1115.63


def test_an_open_page_sees_a_vote_and_a_new_round(deployed: Deployed, visitor: Visitor) -> None:
    asked = ask(deployed)
    visitor.page.clock.install()
    visitor.opens(asked.link_of("cyd"), TITLE)
    deployed.answer(asked.token_of("ada"), YES)
    visitor.waits(10)
    expect(visitor.page.locator("#so-far")).to_have_text("Approved: 1. Rejected: 0.")
    deployed.answer(asked.token_of("bob"), {**YES, "edits": {"amount": 1}})
    visitor.waits(10)
    expect(visitor.page.get_by_text("Another person has approved changed values")).to_be_visible()
    expect(visitor.page.locator(".effects")).to_contain_text("no longer counts")


def test_hidden_votes_are_not_on_the_page_before_the_end(deployed: Deployed, visitor: Visitor) -> None:
    asked = ask(deployed, hidden=True)
    deployed.answer(asked.token_of("ada"), YES)
    visitor.opens(asked.link_of("bob"), TITLE)
    expect(visitor.page.locator("#so-far")).to_have_text("Votes given: 1. The page shows them at the end.")
    assert "ada" not in visitor.page.locator("main").inner_text()


def test_after_the_end_a_member_reads_every_vote(deployed: Deployed, visitor: Visitor) -> None:
    asked = ask(deployed)
    deployed.answer(asked.token_of("ada"), {"decision": "reject", "comment": "Too much"})
    visitor.opens(asked.link_of("bob"), "This has been answered")
    expect(visitor.page.locator("main")).to_contain_text("Too much")
    shot(visitor, "votes-ended")
    assert violations(visitor.page) == []


def test_a_person_to_whom_the_question_was_passed_on_reads_why_it_comes_now(
    deployed: Deployed, visitor: Visitor
) -> None:
    asked = ask(deployed)
    visitor.opens(deployed.pass_on(asked, "ada", "eve"), TITLE)
    expect(visitor.page.get_by_text("You are asked now because this question was passed on to you.")).to_be_visible()
    expect(visitor.page.locator(".effects")).to_contain_text("2 of 3 people")
    shot(visitor, "votes-passed-on")
    assert violations(visitor.page) == []
