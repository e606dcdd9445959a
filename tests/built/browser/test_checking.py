"""An answer of high risk is sent after a second look alone, and the reader reads what happens before they decide."""

import pytest
from playwright.sync_api import expect

from tests.built.browser.accessibility import violations
from tests.built.browser.steps import choose
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Asked, Deployed

pytestmark = pytest.mark.browser

TITLE = "Pay the invoice of Lovelace Engines?"


def ask(deployed: Deployed, visitor: Visitor) -> Asked:
    asked = deployed.ask("approval", questions.APPROVAL, about=questions.ABOUT_PAYMENT)
    visitor.opens(asked.link, TITLE)
    return asked


def test_the_reader_sees_who_asks_why_and_what_each_answer_does(deployed: Deployed, visitor: Visitor) -> None:
    ask(deployed, visitor)
    page = visitor.page
    expect(page.get_by_text("Asked by Accounts payable agent")).to_be_visible()
    expect(page.locator(".reason")).to_have_text(f"Why: {questions.ABOUT_PAYMENT['reason']}")
    effects = page.locator(".effects dl > div").all_inner_texts()
    assert effects == [
        f"If you approve\n{questions.ABOUT_PAYMENT['if_approved']}",
        "If you reject\nThe action does not run.",
        "If no answer comes in time\nThe question ends without an answer.",
    ]


def test_an_approval_is_sent_after_the_second_look_alone(deployed: Deployed, visitor: Visitor) -> None:
    asked = ask(deployed, visitor)
    visitor.page.get_by_label("Amount").fill("1115.63")
    visitor.sends("Approve")
    visitor.sees("Check once more")
    sheet = visitor.page.locator(".check")
    expect(sheet).to_contain_text("1115.63")
    # The agent's text names the amount before the edit.
    expect(sheet).not_to_contain_text("1,249.50")
    assert violations(visitor.page) == []
    assert visitor.seen.posts("/answers") == []
    visitor.sends("Yes, approve")
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"]["arguments"]["amount"] == 1115.63
    expect(visitor.page.get_by_text("Questions to accounts@example.com")).to_be_visible()


def test_going_back_sends_nothing_and_keeps_what_was_typed(deployed: Deployed, visitor: Visitor) -> None:
    asked = ask(deployed, visitor)
    visitor.page.get_by_label("Comment").fill("As ordered")
    visitor.sends("Approve")
    visitor.sends("Go back")
    visitor.sees(TITLE)
    expect(visitor.page.get_by_label("Comment")).to_have_value("As ordered")
    expect(visitor.page.get_by_role("button", name="Approve", exact=True)).to_be_focused()
    assert (visitor.seen.posts("/answers"), deployed.question(asked)["status"]) == ([], "issued")


def test_a_double_click_does_not_fall_through_the_second_look(deployed: Deployed, visitor: Visitor) -> None:
    asked = ask(deployed, visitor)
    visitor.sends("Approve")
    visitor.page.get_by_role("button", name="Yes, approve").dispatch_event("click", {"detail": 2})
    visitor.sees("Check once more")
    assert deployed.question(asked)["status"] == "issued"


def test_a_rejection_lets_nothing_run_so_it_is_sent_at_once(deployed: Deployed, visitor: Visitor) -> None:
    ask(deployed, visitor)
    visitor.page.get_by_label("Comment").fill("Too high")
    visitor.sends("Reject")
    visitor.sees("Thank you")


def test_a_refused_answer_is_back_in_its_fields_after_the_second_look(deployed: Deployed, visitor: Visitor) -> None:
    ask(deployed, visitor)
    refusal = {"code": "answer-invalid", "errors": [{"field": "response.edits.amount", "message": "must be less"}]}
    visitor.page.route("**/answers", lambda route: route.fulfill(status=422, json=refusal))
    visitor.sends("Approve")
    visitor.sends("Yes, approve")
    visitor.sees(TITLE)
    expect(visitor.page.get_by_label("Amount")).to_have_attribute("aria-invalid", "true")


def test_a_question_that_ends_during_the_second_look_is_over(deployed: Deployed, visitor: Visitor) -> None:
    visitor.page.clock.install()
    asked = ask(deployed, visitor)
    visitor.sends("Approve")
    deployed.revoke(asked)
    visitor.waits(10)
    visitor.sees("No answer is needed any more")


def test_every_answer_to_a_question_of_high_risk_is_looked_at_twice(deployed: Deployed, visitor: Visitor) -> None:
    visitor.opens(deployed.ask("ask_user", questions.ONE, about={"risk": "high"}).link)
    choose(visitor)
    visitor.sends()
    visitor.sees("Check once more")
    expect(visitor.page.locator(".check")).to_contain_text("Refund it")
    visitor.sends("Yes, send the answer")
    visitor.sees("Thank you")
