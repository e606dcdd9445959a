"""The bar with the buttons stays in view while a long question scrolls, and covers nothing that a person works with."""

from collections.abc import Callable
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from tests.built.browser.accessibility import violations
from tests.built.browser.screenshots import picture, scrolls_sideways
from tests.built.browser.visitor import PHONE, Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Deployed

pytestmark = pytest.mark.browser

LONG: Final[dict[str, Any]] = {
    **questions.APPROVAL,
    "action": {
        "name": "pay_invoice",
        "arguments": questions.APPROVAL["action"]["arguments"] | {f"reason_{n}": f"Reason {n}" for n in range(25)},
    },
}

COVERED: Final = """() => {
  const active = document.activeElement, bar = document.querySelector(".bar");
  if (bar.contains(active) || active === document.body) return null;
  const {top, bottom} = active.getBoundingClientRect(), edge = bar.getBoundingClientRect().top;
  return top < -8 || bottom > edge ? `${top} ${bottom} ${edge} ${active.outerHTML.slice(0, 90)}` : "";
}"""
"""What has the focus, if the bar or the edge of the window covers it; null outside the question."""


def top_of_the_bar(page: Page) -> float:
    return float(page.locator(".bar").evaluate("bar => bar.getBoundingClientRect().top"))


def test_the_buttons_are_in_view_wherever_a_long_question_is_scrolled_to(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("approval", LONG).link)
    height = page.evaluate("document.documentElement.scrollHeight")
    assert height > 3 * PHONE["height"]
    for name, at in (("top", 0), ("middle", height // 2), ("end", height)):
        page.evaluate("at => scrollTo(0, at)", at)
        for button in ("Approve", "Reject"):
            expect(page.get_by_role("button", name=button)).to_be_in_viewport(ratio=1)
        page.screenshot(path=picture(page, f"bar-{name}"))
    assert top_of_the_bar(page) > PHONE["height"] / 3
    visitor.sends("Approve")
    visitor.sees("Thank you")


@pytest.mark.parametrize(("name", "payload"), [("approval", LONG), ("form", questions.FORM)])
def test_the_bar_covers_no_control_that_has_the_focus(
    deployed: Deployed, visitor: Visitor, name: str, payload: dict[str, Any]
) -> None:
    page = visitor.opens(deployed.ask(name, payload).link)
    for key in ("Tab", "Shift+Tab"):
        covered, reached = [], 0
        for _ in range(60):
            page.keyboard.press(key)
            found = page.evaluate(COVERED)
            if found is None:
                break
            reached += 1
            covered.append(found)
        assert reached > 3
        assert [each for each in covered if each] == []
        page.locator(".bar button").first.focus()


def test_a_fault_and_its_notice_are_not_covered(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("approval", LONG).link)
    visitor.sends("Reject")
    expect(page.get_by_label("Comment")).to_be_focused()
    assert page.evaluate(COVERED) == ""


@pytest.mark.parametrize(
    "size", [{"width": 320, "height": 256}, {"width": 640, "height": 360}], ids=["400 %", "landscape"]
)
def test_a_low_window_keeps_its_height_for_the_content(
    deployed: Deployed, visit: Callable[..., Visitor], size: dict[str, int]
) -> None:
    page = visit(viewport=size).opens(deployed.ask("approval", LONG).link)
    assert page.locator(".bar").evaluate("bar => getComputedStyle(bar).position") == "static"
    assert not scrolls_sideways(page)


def test_approve_is_never_the_default(deployed: Deployed, visitor: Visitor) -> None:
    """Both have one size and one look, neither has the focus, and none is pressed by the Return key."""
    page = visitor.opens(deployed.ask("approval", LONG).link)
    look = """button => { const {backgroundColor, color, borderColor, fontWeight} = getComputedStyle(button);
      const {width, height, top} = button.getBoundingClientRect();
      return [backgroundColor, color, borderColor, fontWeight, width, height, top]; }"""
    approve, reject = (page.get_by_role("button", name=name) for name in ("Approve", "Reject"))
    assert approve.evaluate(look) == reject.evaluate(look)
    assert page.evaluate("document.activeElement.tagName") == "H1"
    page.keyboard.press("Enter")
    page.get_by_label("Amount").press("Enter")
    expect(approve).to_be_visible()
    assert visitor.seen.posts("/answers") == []


@pytest.mark.only_chromium("Firefox gets no other colours")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_forced_colours_the_bar_has_an_edge(deployed: Deployed, visitor: Visitor, scheme: str) -> None:
    page = visitor.opens(deployed.ask("approval", LONG).link)
    page.emulate_media(forced_colors="active", color_scheme="dark" if scheme == "dark" else "light")
    style = "bar => { const style = getComputedStyle(bar); return [style.borderTopColor, style.backgroundColor]; }"
    edge, ground = page.locator(".bar").evaluate(style)
    assert edge != ground
    assert violations(page) == []
    page.screenshot(path=picture(page, f"bar-forced-{scheme}"))
