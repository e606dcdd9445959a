"""The reader's language, in either direction; texts of any length and script stay in their place."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.built.browser.accessibility import violations
from tests.built.browser.languages import ALL, ARABIC
from tests.built.browser.screenshots import scrolls_sideways, whole_page
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Deployed

pytestmark = pytest.mark.browser


def shot(page: Page, name: str) -> None:
    whole_page(page, f"{name}-phone-light")


@pytest.mark.parametrize(
    ("locale", "language"), [("en-US", "en"), ("de-AT", "de"), ("pt-BR", "pt"), ("ja-JP", "ja"), ("sv-SE", "en")]
)
def test_the_browser_chooses_the_language(
    deployed: Deployed, visit: Callable[..., Visitor], locale: str, language: str
) -> None:
    page = visit(locale=locale).opens(deployed.ask("ask_user", questions.ONE).link)
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.get_by_role("button", name=ALL[language]["send"])).to_be_visible()


@pytest.mark.parametrize("language", ALL)
def test_a_question_in_every_language_fits_a_phone(
    deployed: Deployed, visit: Callable[..., Visitor], language: str
) -> None:
    """Every text between the heading and the end is in the language, but for those of the agent."""
    visitor, texts = visit(locale=language, device_scale_factor=2), ALL[language]
    asked = deployed.ask("approval", questions.APPROVAL, requester="Olga", recipients=["ada@example.com"])
    page = visitor.opens(asked.link_of("ada@example.com"))
    expect(page.locator("html")).to_have_attribute("dir", texts["direction"])
    for key in ("for_requester", "answer_as", "answer_by"):
        expect(page.get_by_text(texts[key])).to_be_visible()
    visitor.sends(texts["reject"])
    expect(page.get_by_role("alert")).to_contain_text(texts["say_why"])
    assert not scrolls_sideways(page)
    assert violations(page) == []
    shot(page, f"language-{language}-approval")


@pytest.mark.parametrize("language", ALL)
def test_a_question_is_answered_in_every_language(
    deployed: Deployed, visit: Callable[..., Visitor], language: str
) -> None:
    visitor, texts = visit(locale=language, device_scale_factor=2), ALL[language]
    page = visitor.opens(deployed.ask("ask_user", questions.ONE, requester="Olga").link)
    shot(page, f"language-{language}-question")
    assert violations(page) == []
    page.get_by_role("radio").first.check()
    visitor.sends(texts["send"])
    expect(page.get_by_text(texts["reference"], exact=True)).to_be_visible()
    assert not scrolls_sideways(page)
    assert violations(page) == []
    shot(page, f"language-{language}-receipt")


@pytest.mark.only_chromium("Firefox reports no sizes")
@pytest.mark.parametrize("language", ALL)
def test_a_first_view_is_at_most_four_requests_and_forty_kilobytes(
    deployed: Deployed, visit: Callable[..., Visitor], language: str
) -> None:
    """With the question, and with the headers of every reply."""
    visitor = visit(locale=language)
    visitor.opens(deployed.ask("approval", questions.APPROVAL).link)
    visitor.page.wait_for_load_state("networkidle")
    sizes = [request.sizes() for request in visitor.seen.requests if not request.url.startswith("data:")]
    assert len(sizes) <= 4
    assert sum(size["responseHeadersSize"] + size["responseBodySize"] for size in sizes) <= 40_000


def test_german_is_german_throughout(deployed: Deployed, visit: Callable[..., Visitor]) -> None:
    visitor = visit(locale="de-DE", device_scale_factor=2)
    page = visitor.opens(deployed.ask("approval", questions.APPROVAL, ttl_seconds=3000).link)
    visitor.sends("Ablehnen")
    expect(page.get_by_role("alert")).to_contain_text("Bitte sagen Sie, warum Sie ablehnen.")
    expect(page.locator(".deadline")).to_have_text(
        re.compile(r"^noch \d+ Minuten(, \d+ Sekunden?)? Antworten bis .+ MEZ$|GMT")
    )
    assert not scrolls_sideways(page)
    assert violations(page) == []
    shot(page, "german")


def pseudo(direction: str) -> dict[str, Any]:
    """Return a language whose every text is half as long again; from right to left it is spelled in Hebrew letters."""
    letters = "אבגדהוזחטיכלמנסעפצקרשתםןף" if direction == "rtl" else "àßçđéƒĝħîĵķļɱñöþǫŕšţûṽŵẋýž"

    def text(english: str) -> str:
        # Placeholders stay as they are.
        parts = re.split(r"(\{\w+\})", english)
        spelled = [
            part if index % 2 else re.sub("[a-z]", lambda match: letters[(ord(match[0]) - 97) % len(letters)], part)
            for index, part in enumerate(parts)
        ]
        return "".join(spelled) + " " + "".join(spelled[0][: len(english) // 2])

    return {key: direction if key == "direction" else text(value) for key, value in ALL["en"].items()}


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
@pytest.mark.parametrize("name", ["ask_user", "approval"])
def test_a_language_that_is_added_is_laid_out_in_its_direction_however_long_its_texts(
    deployed: Deployed, visit: Callable[..., Visitor], direction: str, name: str
) -> None:
    visitor = visit(locale="he-IL", device_scale_factor=2)

    def with_another_language(route: Route) -> None:
        served = route.fetch()
        added = json.dumps(pseudo(direction)).replace("<", "\\u003c")
        page = re.sub(r'(id="strings">).*?(</script>)', lambda match: match[1] + added + match[2], served.text())
        body = page.replace('<html lang="en" dir="ltr">', f'<html lang="he" dir="{direction}">')
        route.fulfill(response=served, body=body)

    visitor.page.route("**/answer", with_another_language)
    page = visitor.opens(deployed.ask(name, {"ask_user": questions.FOUR, "approval": questions.APPROVAL}[name]).link)
    expect(page.locator("html")).to_have_attribute("dir", direction)
    if name == "ask_user":
        page.get_by_role("button").first.click()
        expect(page.get_by_role("alert")).not_to_be_empty()
    start = page.evaluate("getComputedStyle(document.querySelector('h1')).direction")
    assert start == ("ltr" if name == "approval" else direction), "a model's text has its own direction"
    assert not scrolls_sideways(page)
    assert violations(page) == []
    shot(page, f"pseudo-{direction}-{name}")


def test_a_right_to_left_question_is_right_to_left_in_a_left_to_right_page(
    deployed: Deployed, visitor: Visitor
) -> None:
    page = visitor.opens(deployed.ask("ask_user", ARABIC).link)
    direction = "(each) => getComputedStyle(document.querySelector(each)).direction"
    directions = [page.evaluate(direction, each) for each in ("html", "h1", ".choice span", ".buttons button")]
    assert directions == ["ltr", "rtl", "rtl", "ltr"]
    assert not scrolls_sideways(page)
    shot(page, "arabic-question")


def test_text_of_twice_the_size_still_fits(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("ask_user", questions.FOUR).link)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert not scrolls_sideways(page)
    shot(page, "large-text")
