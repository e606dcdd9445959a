"""Markdown in the texts that the mint marked: drawn as elements, with the addresses of links, and never in a value."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.built.browser.accessibility import violations
from tests.built.browser.screenshots import scrolls_sideways
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_content import MARKDOWN, MARKDOWN_QUESTION, MARKDOWN_TEXT
from tests.support.page_deployment import Deployed

pytestmark = pytest.mark.browser

SUMMARY = {"markdown": ["summary"]}


def summary(deployed: Deployed, visitor: Visitor, text: str) -> Page:
    asked = deployed.ask("approval", MARKDOWN | {"summary": text}, about=SUMMARY)
    page = visitor.opens(asked.link)
    expect(page.get_by_text("As written")).to_be_visible()
    return page


def test_a_marked_text_is_drawn_with_four_requests_and_an_argument_never(deployed: Deployed, visitor: Visitor) -> None:
    page = summary(deployed, visitor, MARKDOWN_TEXT)
    assert [
        len(page.locator(f".markdown {name}").all()) for name in ("h2", "ol > li", "ul > li", "blockquote", "pre")
    ] == [
        1,
        2,
        2,
        1,
        2,
    ]
    expect(page.get_by_text("<b>text</b>").first).to_be_visible()
    expect(page.locator(".action")).to_contain_text("**not** [markdown](https://example.com)")
    assert page.locator(".action a, img").count() == 0
    page.wait_for_load_state("networkidle")
    assert len(visitor.seen.requests) <= 4
    assert sum(each.sizes()["responseBodySize"] for each in visitor.seen.requests if each.method == "GET") < 40_000
    assert violations(page) == []


def test_a_link_shows_its_address_and_tells_the_other_page_nothing(deployed: Deployed, visitor: Visitor) -> None:
    page = summary(deployed, visitor, MARKDOWN_TEXT)
    link = page.get_by_role("link", name="the minutes")
    address = "https://wiki.example.com/minutes?page=7"
    expect(link).to_have_attribute("href", address)
    expect(link).to_have_attribute("rel", "noreferrer noopener")
    expect(link).to_have_attribute("target", "_blank")
    expect(page.locator("blockquote")).to_contain_text(f'the minutes ({address} "Minutes of May")')


def test_the_text_can_be_seen_as_it_is_written(deployed: Deployed, visitor: Visitor) -> None:
    page = summary(deployed, visitor, MARKDOWN_TEXT)
    page.get_by_text("As written").click()
    assert page.locator("details pre").first.inner_text().replace("\u21b5", "") == MARKDOWN_TEXT
    assert violations(page) == []


def test_every_text_of_ask_user_can_be_markdown(deployed: Deployed, visitor: Visitor) -> None:
    about = {"markdown": ["question", "description", "preview"]}
    page = visitor.opens(deployed.ask("ask_user", MARKDOWN_QUESTION, about=about).link, "A question for you")
    expect(page.locator("legend strong")).to_have_text("limit")
    expect(page.get_by_text("**Low**")).to_be_visible()
    expect(page.locator(".choice em")).to_have_text("as today")
    page.get_by_text("Preview").click()
    expect(page.locator(".choice details li")).to_have_text(["a", "b"])
    page.get_by_label("**Low**").check()
    assert not scrolls_sideways(page)
    assert violations(page) == []
    visitor.sends()
    visitor.sees("Thank you")


def test_the_texts_of_a_form_and_of_an_own_interaction_can_be_markdown(deployed: Deployed, visitor: Visitor) -> None:
    described = questions.FORM | {"description": "The *carrier* asks."}
    page = visitor.opens(deployed.ask("form", described, about={"markdown": ["description"]}).link)
    expect(page.locator(".markdown em")).to_have_text("carrier")
    incident = questions.INCIDENT | {"service": "The **shop**", "since": "*now*"}
    page = visitor.opens(deployed.ask("assess_incident", incident, about={"markdown": ["service"]}).link)
    expect(page.locator("dd .markdown strong")).to_have_text("shop")
    expect(page.locator("dl").first).to_contain_text("*now*")
    assert violations(page) == []


@pytest.mark.parametrize("body", [None, "throw 1", "export const treeOf = 1"])
def test_without_its_parser_a_text_is_shown_as_it_is_written(
    deployed: Deployed, visitor: Visitor, body: str | None
) -> None:
    if body is None:
        visitor.page.route("**/page-markdown.js", lambda route: route.abort())
    else:
        visitor.page.route(
            "**/page-markdown.js", lambda route: route.fulfill(content_type="text/javascript", body=body)
        )
    page = visitor.opens(deployed.ask("approval", MARKDOWN, about=SUMMARY).link)
    page.wait_for_load_state("networkidle")
    expect(page.get_by_text("The **daily limit** of the shop")).to_be_visible()
    visitor.sends("Approve")
    visitor.sees("Thank you")


HOSTILE = f"""{questions.MARKUP}

<script>alert(1)</script> <iframe src="https://evil.example/"></iframe> <!-- hidden -->

[click](javascript:alert(2)) [data](data:text/html,<script>alert(3)</script>) ![i](https://evil.example/i.png)
<javascript:alert(4)> [x](vbscript:a "t") [blob](blob:https://evil.example/1) [rel](/answers) [two](//evil.example)

[https://good.example/](https://evil.example/) 1\u202e000,1\u200b `a\u202eb`

[ref]: javascript:alert(5)
[ref]
"""


def test_markdown_of_ill_will_is_text_and_leads_nowhere_else(deployed: Deployed, visitor: Visitor) -> None:
    page = summary(deployed, visitor, HOSTILE)
    drawn = page.locator(".markdown > :not(details)")
    shown = "\n".join(drawn.all_inner_texts())
    assert page.locator("main :is(img, svg, iframe, script, style)").count() == 0
    assert page.locator(".markdown a").evaluate_all("(all) => all.map((each) => each.href)") == [
        "https://evil.example/"
    ]
    assert "https://good.example/ (https://evil.example/)" in shown
    assert not re.search("[\u202e\u200b]", shown)
    for part in (
        "<script>alert(1)</script>",
        "<!-- hidden -->",
        "(javascript:alert(2))",
        "vbscript:a",
        "[ref]: javascript",
    ):
        assert part in shown
    assert not scrolls_sideways(page)
    assert violations(page) == []
