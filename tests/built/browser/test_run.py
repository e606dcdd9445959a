"""The demo from end to end: the link that it prints, opened in a browser, lets the workflow in the terminal go on."""

import pytest
from playwright.sync_api import Browser, expect

from tests.built.browser.visitor import visiting
from tests.support.person import PROMPT, at_a_terminal

pytestmark = [pytest.mark.browser, pytest.mark.only_chromium("it starts a demo, and the page is the same")]


def test_the_printed_link_leads_to_the_page_and_its_answer_to_the_waiting_workflow(browser: Browser) -> None:
    with at_a_terminal("--flow", "workflow") as person:
        person.reads_until(PROMPT)
        url, token = person.link()
        with visiting(browser, url) as visitor:
            page = visitor.opens(f"{url}/answer#{token}", "Refund 49.90 EUR?")
            page.get_by_label("Approve", exact=True).check()
            visitor.sends()
            visitor.sees("Thank you")
            expect(page.get_by_text("The work that asked continues with your answer.")).to_be_visible()
        assert person.reads_to_the_end() == 0, person.seen
    assert "Ask → Decide → Approved, SUCCEEDED" in person.seen
