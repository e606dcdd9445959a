"""A browser of 2022 shows the page and takes an answer; one that cannot read the script says that it is too old."""

import re
from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Route, expect

from tests.built.browser.screenshots import scrolls_sideways
from tests.built.browser.steps import REFUND, choose
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Deployed

pytestmark = pytest.mark.browser

YOUNGER: Final = """
  for (const [owner, ...names] of [
    [globalThis, "structuredClone", "requestIdleCallback", "scheduler", "trustedTypes", "navigation", "Iterator"],
    [AbortSignal, "timeout", "any"], [Object, "groupBy", "hasOwn"], [Promise, "withResolvers", "try"],
    [Array, "fromAsync"], [JSON, "rawJSON", "isRawJSON"], [Intl, "Segmenter", "DurationFormat", "supportedValuesOf"],
    [Array.prototype, "at", "findLast", "findLastIndex", "toSorted", "toReversed", "toSpliced", "with"],
    [String.prototype, "at", "isWellFormed", "toWellFormed"],
    [Element.prototype, "checkVisibility", "setHTMLUnsafe"], [HTMLElement.prototype, "showPopover", "popover"],
    [Set.prototype, "union", "difference", "intersection"], [crypto, "randomUUID"],
  ]) for (const name of names) delete owner[name];
"""
PROGRESSIVE: Final = re.compile(
    r"[^{}]*:has\([^{}]*\{[^{}]*\}|[^{}]*:focus-visible[^{}]*\{[^{}]*\}|(field-sizing|text-wrap|accent-color):[^;}]*;?"
)
"""Rules and declarations that a browser of 2021 passes over."""


def old(visitor: Visitor) -> Visitor:
    """Take away what is younger than Safari 15 and Firefox ESR 102."""

    def plainer(route: Route) -> None:
        served = route.fetch()
        before, styles, after = re.split("(?<=<style>)|(?=</style>)", served.text())
        assert PROGRESSIVE.search(styles)
        # The policy names the hash of the served styles.
        policy = re.sub("style-src [^;]+", "style-src 'unsafe-inline'", served.headers["content-security-policy"])
        route.fulfill(
            response=served,
            headers={**served.headers, "content-security-policy": policy},
            body=before + PROGRESSIVE.sub("", styles) + after,
        )

    visitor.page.route("**/answer", plainer)
    visitor.page.add_init_script(YOUNGER)
    return visitor


def test_a_question_is_answered(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE)
    old(visitor).opens(asked.link, REFUND)
    choose(visitor)
    expect(visitor.page.get_by_label("Refund it", exact=True)).to_be_checked()
    expect(visitor.page.get_by_label("Refund it", exact=True)).to_be_in_viewport()
    assert not scrolls_sideways(visitor.page)
    visitor.sends()
    visitor.sees("Thank you")


def test_an_approval_is_edited_and_given(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("approval", questions.APPROVAL)
    page = old(visitor).opens(asked.link)
    page.get_by_label("Amount").fill("1115,63")
    expect(page.locator("ins")).to_have_text("1115.63")
    page.reload()
    expect(page.get_by_label("Amount")).to_have_value("1115,63")
    page.get_by_role("button", name="Approve").focus()
    ring = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    page.keyboard.press("Shift+Tab")
    assert ring == "auto" or page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "auto"
    visitor.sends("Approve")
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"]["edits"] == {"amount": {"before": 1249.5, "after": 1115.63}}


@pytest.mark.parametrize("script", ["export default;", "let a = b ?!? c;"])
def test_a_browser_that_cannot_read_the_script_says_so_in_the_readers_language(
    deployed: Deployed, visit: Callable[..., Visitor], script: str
) -> None:
    visitor = visit(locale="de-DE")
    visitor.page.route("**/answer/page.js", lambda route: route.fulfill(content_type="text/javascript", body=script))
    visitor.page.goto(deployed.ask("ask_user", questions.ONE).link)
    late = visitor.page.locator(".late")
    expect(late).to_be_hidden()
    visitor.page.evaluate("document.getAnimations().forEach((each) => each.finish())")
    expect(late).to_be_visible()
    expect(late).to_contain_text("Browser")
    assert len(visitor.seen.wrong) == 1
    visitor.seen.wrong.clear()
