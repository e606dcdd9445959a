"""After an answer the page has a receipt: what was asked and answered, when, and the number to name to others."""

import pytest
from playwright.sync_api import expect

from tests.built.browser.screenshots import SCREENSHOTS
from tests.built.browser.states import STATES
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Deployed

pytestmark = pytest.mark.browser


def test_the_receipt_has_the_answer_as_it_was_recorded(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("approval", questions.APPROVAL, recipients=["ada@example.com"])
    page = visitor.opens(asked.link_of("ada@example.com"))
    page.get_by_label("Amount").fill("1115.63")
    visitor.sends("Approve")
    visitor.sees("Thank you")
    receipt = page.get_by_role("region", name="Receipt")
    for shown in ("Pay the invoice of Lovelace Engines?", "12345678901234567890", asked.jti, "ada@example.com"):
        expect(receipt.get_by_text(shown)).to_be_visible()
    expect(receipt.locator("del")).to_have_text("1249.5")
    expect(receipt.locator("ins")).to_have_text("1115.63")
    expect(receipt.get_by_text("Approve", exact=True)).to_be_visible()


@pytest.mark.only_chromium("Firefox gets no other medium")
def test_on_paper_the_receipt_is_whole_and_has_no_buttons(deployed: Deployed, visitor: Visitor) -> None:
    STATES["thanks-for-an-approval"].arrive(deployed, visitor)
    visitor.sees("Thank you")
    visitor.page.emulate_media(media="print")
    expect(visitor.page.get_by_role("region", name="Receipt")).to_be_visible()
    expect(visitor.page.get_by_role("button", name="Print")).to_be_hidden()
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    visitor.page.pdf(path=SCREENSHOTS / "receipt.pdf")
