"""Content with a form of its own: diffs, tables, images and code, on a phone, for the keyboard and with ill will."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.built.browser.accessibility import violations
from tests.built.browser.screenshots import scrolls_sideways
from tests.built.browser.visitor import Visitor
from tests.support.page_content import CONTENT, DIFF, long_diff, png
from tests.support.page_deployment import Deployed

pytestmark = pytest.mark.browser


def opened(deployed: Deployed, visitor: Visitor, **arguments: Any) -> Page:
    payload = {"title": "Run it?", "action": {"name": "run_it", "arguments": arguments}, "comment": "none"}
    return visitor.opens(deployed.ask("approval", payload).link)


def test_a_diff_of_200_lines_is_at_most_three_phone_screens_before_it_is_unfolded(
    deployed: Deployed, visitor: Visitor
) -> None:
    page = opened(deployed, visitor, diff=long_diff(200))
    assert page.evaluate("document.documentElement.scrollHeight <= 3 * 640")
    expect(page.get_by_text("position 196")).to_have_count(0)
    more = page.get_by_role("button", name="Show all 200 lines")
    more.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("position 196")).to_be_visible()
    assert page.locator(".lines > div").count() == 200
    assert not scrolls_sideways(page)
    assert violations(page) == []


def test_a_pair_with_200_changed_lines_is_at_most_three_phone_screens_too(deployed: Deployed, visitor: Visitor) -> None:
    lines = [f"total = total + amount_of_position[{at}]  # position {at}" for at in range(200)]
    page = opened(deployed, visitor, before="\n".join(lines), after="\n".join(line.upper() for line in lines))
    assert page.evaluate("document.documentElement.scrollHeight <= 3 * 640")
    assert page.get_by_role("button", name="Show all").count() == 3


def test_a_changed_line_has_a_sign_a_colour_and_a_name(deployed: Deployed, visitor: Visitor) -> None:
    page = opened(deployed, visitor, diff=DIFF)
    looks = {
        kind: page.locator(f".lines .{kind}").first.evaluate(
            "(line) => [getComputedStyle(line).color, getComputedStyle(line).backgroundColor]"
        )
        for kind in ("same", "added", "removed", "head")
    }
    assert len({tuple(look) for look in looks.values()}) == 4
    expect(page.get_by_role("img", name="added", exact=True)).to_have_count(2)
    expect(page.get_by_role("img", name="removed", exact=True)).to_have_count(2)
    assert page.locator(".lines .added").first.inner_text() == "+    amount: 100000"
    assert "monospace" in page.locator(".lines").evaluate("(block) => getComputedStyle(block).fontFamily")


def test_a_wide_table_scrolls_by_the_keyboard_in_its_own_frame(deployed: Deployed, visitor: Visitor) -> None:
    rows = [{f"a_long_name_of_column_{at}": "some words of text" for at in range(6)} for _ in range(3)]
    page = opened(deployed, visitor, rows=rows)
    frame = page.get_by_role("group", name="3 items")
    assert frame.evaluate("(each) => each.scrollWidth > each.clientWidth")
    assert not scrolls_sideways(page)
    frame.focus()
    moved = "each.addEventListener('scroll', () => done(each.scrollLeft), { once: true })"
    frame.evaluate(f"(each) => void (window.moved = new Promise((done) => {moved}))")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("window.moved") > 0
    assert page.locator("th").all_inner_texts() == list(rows[0])
    assert violations(page) == []


def test_values_in_a_table_are_drawn_as_elsewhere(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("approval", CONTENT).link)
    cells = [row.locator("td").all_inner_texts() for row in page.locator("tbody tr").all()]
    assert [row[1] for row in cells] == ["rm -rf\u2423\u2423/a", "\u201c{}\u201d", "a\u21b5\nb"]
    assert [row[2:] for row in cells] == [
        ["1", "1249.5", "No value (null)"],
        ["500", "1.0", 'Empty text ("")'],
        ["\u201c5\u201d text", "3", "(not given)"],
    ]


@pytest.mark.parametrize(
    "code", ["def f(x):\n    go()", '{"a": [1, 2]}', "kubectl apply -f x.yaml", "x = 1", "/usr/bin/env", "a\n\nb"]
)
def test_code_is_in_one_width_also_in_a_table(deployed: Deployed, visitor: Visitor, code: str) -> None:
    page = opened(deployed, visitor, code=code, inside={"code": code}, rows=[{"a": code, "b": 1}, {"a": code, "b": 2}])
    values = page.locator(".action .value:not(.number)")
    assert values.count() == 4
    for value in values.all():
        look = value.evaluate("(each) => [getComputedStyle(each).fontFamily, getComputedStyle(each).whiteSpace]")
        assert ("monospace" in look[0], look[1]) == (True, "pre-wrap")


def test_an_image_is_drawn_and_says_what_tells_it_from_another_one(deployed: Deployed, visitor: Visitor) -> None:
    page = opened(
        deployed, visitor, first=png(40, 20, (200, 0, 0)), second=png(40, 20, (201, 0, 0)), wide=png(900, 9, (0, 0, 9))
    )
    for name in ("first", "second", "wide"):
        image = page.get_by_role("img", name=name, exact=True)
        expect(image).to_be_visible()
        assert image.evaluate("(each) => each.decode().then(() => each.naturalWidth)") in (40, 900)
    notes = page.locator(".image .note")
    expect(notes.first).to_contain_text("SHA-256")
    assert len(set(notes.all_inner_texts())) == 3
    assert not scrolls_sideways(page)
    assert violations(page) == []


def test_a_broken_image_is_its_text(deployed: Deployed, visitor: Visitor) -> None:
    page = opened(deployed, visitor, broken="data:image/png;base64,AAAA")
    expect(page.locator("img")).to_have_count(0)
    expect(page.get_by_text("data:image/png;base64,AAAA")).to_be_visible()


def test_content_of_ill_will_draws_nothing_else(deployed: Deployed, visitor: Visitor) -> None:
    """No SVG, no other address, no markup: a request or a script would fail the visit."""
    markup = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    svg = "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIiB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4="
    page = opened(
        deployed,
        visitor,
        svg=svg,
        address="https://evil.example/a.png",
        html="data:text/html;base64,PHNjcmlwdD4=",
        diff=f"--- {markup}\n+++ {markup}\n@@ -1 +1 @@ {markup}\n-{markup}\u202e\n+{markup}",
        rows=[{markup: markup, "b": "\u202e000,1"}, {markup: svg[:60], "b": 1}],
        before=f"a\n{markup}",
        after=f"a\n{markup}!",
    )
    assert page.locator("img, svg, iframe, main a, main script").count() == 0
    assert "\u202e" not in page.inner_text("main")
    assert page.locator("th").first.inner_text() == markup
    assert page.locator(".lines .removed").first.inner_text() == f"-{markup}[U+202E]"
    assert not scrolls_sideways(page)
    assert violations(page) == []
