"""The main states in forced colours and at a zoom of 400 %, and as a screen reader gets them."""

from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.built.browser.accessibility import violations
from tests.built.browser.screenshots import scrolls_sideways, whole_page
from tests.built.browser.states import STATES
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Deployed

pytestmark = pytest.mark.browser

MAIN: Final = (
    "question", "questions-faulty", "approval-edited", "form-faulty", "own-shapes", "thanks-for-an-approval",
    "asking-back-open", "replied", "passing-on-check", "passed-on",
)  # fmt: skip
ZOOMED: Final = {"width": 320, "height": 256}
"""What a window of 1280 by 1024 pixels has at a zoom of 400 %."""


@pytest.mark.parametrize("name", MAIN)
def test_a_state_at_a_zoom_of_400_percent(deployed: Deployed, visit: Callable[..., Visitor], name: str) -> None:
    visitor = visit(viewport=ZOOMED)
    STATES[name].arrive(deployed, visitor)
    visitor.sees(STATES[name].heading)
    assert not scrolls_sideways(visitor.page)
    assert violations(visitor.page) == []
    whole_page(visitor.page, f"{name}-zoomed")


@pytest.mark.only_chromium("Firefox gets no other colours")
@pytest.mark.parametrize("name", MAIN)
def test_a_state_in_forced_colours(deployed: Deployed, visitor: Visitor, name: str) -> None:
    visitor.page.emulate_media(forced_colors="active")
    STATES[name].arrive(deployed, visitor)
    visitor.sees(STATES[name].heading)
    assert violations(visitor.page) == []
    chosen = visitor.page.locator(".choice", has=visitor.page.locator("input:checked"))
    for choice in chosen.all():
        assert choice.evaluate("each => getComputedStyle(each).outlineStyle") == "solid"
    whole_page(visitor.page, f"{name}-forced")


def test_a_screen_reader_gets_every_control_with_its_group_and_its_name(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("approval", questions.APPROVAL).link)
    expect(page.locator("form")).to_match_aria_snapshot(
        """
        - heading "Pay the invoice of Lovelace Engines?" [level=1]
        - heading "Pay invoice pay_invoice" [level=2]
        - textbox "Amount amount"
        - group "Currency currency":
          - radio "EUR" [checked]
          - radio "GBP"
        - textbox "Note note"
        - group "Express express":
          - radio "Yes"
          - radio "No" [checked]
        - textbox "Comment (optional)"
        - button "Approve"
        - button "Reject"
        """
    )
    visitor.sends("Reject")
    expect(page.get_by_role("alert")).to_match_aria_snapshot(
        """
        - alert:
          - list:
            - listitem:
              - link "Comment"
        """
    )
    expect(page.get_by_label("Comment")).to_have_accessible_description("Needed if you reject. Say why you reject.")
