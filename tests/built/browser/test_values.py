"""What is shown is what is approved, and what is typed is what is recorded: the shown cases of values and numbers."""

import http.client
import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.built.browser.accessibility import violations
from tests.built.browser.screenshots import scrolls_sideways
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Asked, Deployed
from tests.support.request_bodies import SCOPE

pytestmark = pytest.mark.browser

CODE = "def f(x):\n    if x:\n        go()"


def approval(arguments: dict[str, Any], editable: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "title": "Run it?",
        "action": {"name": "run_it", "arguments": arguments},
        "editable": editable or {},
        "comment": "none",
    }


def form(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"title": "How much?", "schema": {"type": "object", "properties": properties, "required": list(properties)}}


def shown(page: Page) -> dict[str, str]:
    """Return the text on the screen for each argument, by the name on the screen."""
    names = page.locator(".action > dl > div > dt").all_inner_texts()
    return dict(zip(names, page.locator(".action > dl > div > dd").all_inner_texts(), strict=True))


def recorded(deployed: Deployed, asked: Asked) -> str:
    """Return the answer as the agent gets it, as text: a number has the digits of the record."""
    connection = http.client.HTTPConnection(deployed.url.removeprefix("http://"))
    body = json.dumps({"pause_token": asked.minted["pause_token"], "scope": SCOPE})
    connection.request("POST", "/outcomes", body, {"content-type": "application/json"})
    text = connection.getresponse().read().decode()
    connection.close()
    assert json.loads(text)["by_policy"] is False
    return text.partition('"response": ')[2].partition(', "answered_at"')[0]


def test_code_and_commands_are_shown_as_they_are(deployed: Deployed, visitor: Visitor) -> None:
    """D-10."""
    page = visitor.opens(deployed.ask("approval", approval({"code": CODE, "command": "rm -rf  /a   /b"})).link)
    assert shown(page)["code"].rstrip("\n").replace("\u21b5", "") == CODE
    assert shown(page)["command"].replace("\u2423", " ") == "rm -rf  /a   /b"
    for value in page.locator(".action .value").all():
        style = value.evaluate("(each) => [getComputedStyle(each).whiteSpace, getComputedStyle(each).fontFamily]")
        assert style[0] == "pre-wrap"
        assert "monospace" in style[1]


def test_values_and_names_that_are_alike_look_different(deployed: Deployed, visitor: Visitor) -> None:
    """D-11."""
    values: list[Any] = [
        None,
        "",
        [],
        {},
        "\u2013",
        True,
        "Yes",
        5,
        "5",
        ["a, b"],
        ["a", "b"],
        False,
        "No",
        "null",
        1.0,
        1,
        "1",
    ]
    # Nested, because such names of arguments are refused at the mint.
    names = {"to": 1, "To": 2, "to_": 3, "to\u200b": 4, "t\u043e": 5}
    page = visitor.opens(
        deployed.ask(
            "approval", approval({f"v{index}": value for index, value in enumerate(values)} | {"names": names})
        ).link
    )
    assert len(set(shown(page).values())) >= len(values)
    assert page.locator("dd dt").all_inner_texts() == ["to", "To", "to_", "to[U+200B]", "t[U+043E]"]


def test_hidden_characters_are_visible_in_values_and_below_fields(deployed: Deployed, visitor: Visitor) -> None:
    """D-12: a screen reader gets a name for each of them."""
    arguments = {"payee": "pay\u200bpal.com", "account": "\u200f12 34 56", "note": "\u202e000,1"}
    asked = deployed.ask("approval", approval(arguments, {"note": {"type": "string", "maxLength": 100}}))
    page = visitor.opens(asked.link)
    assert shown(page) == {"payee": "pay[U+200B]pal.com", "account": "[U+200F]12 34 56"}
    expect(page.get_by_role("img", name="character U+200B")).to_be_visible()
    expect(page.get_by_text("With hidden characters shown: [U+202E]000,1")).to_be_visible()
    page.get_by_label("Note").fill("1,000")
    expect(page.get_by_text("With hidden characters")).to_have_count(0)
    visitor.sends("Approve")
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"]["arguments"] == arguments | {"note": "1,000"}


@pytest.mark.only_chromium("Playwright reads no body of a request from Firefox")
@pytest.mark.parametrize("amount", ["99999 EUR", {"value": 1}])
def test_a_recorded_value_that_its_field_cannot_show_is_shown_and_stays(
    deployed: Deployed, visitor: Visitor, amount: Any
) -> None:
    """D-13: such a question is refused at the mint; an earlier version has recorded it."""
    asked = deployed.ask("approval", approval({"amount": 1}, {"amount": {"type": "number"}}))

    def an_earlier_one(route: Route) -> None:
        reply = route.fetch()
        question = reply.json()
        question["payload"]["action"]["arguments"]["amount"] = amount
        route.fulfill(response=reply, json=question)

    visitor.page.route("**/questions", an_earlier_one)
    page = visitor.opens(asked.link)
    expect(page.locator("form input")).to_have_count(0)
    expect(page.get_by_text("Cannot be changed here, because its value does not fit its field: amount")).to_be_visible()
    assert "99999 EUR" in shown(page)["amount"] or "value" in shown(page)["amount"]


def test_a_long_number_has_all_its_digits_in_every_browser(deployed: Deployed, visitor: Visitor) -> None:
    """D-14: here is one that gives no source of a number to a reviver."""
    visitor.page.add_init_script(
        "const parse = JSON.parse; JSON.parse = (text, revive) => parse(text, revive && ((k, v) => revive(k, v)));"
    )
    page = visitor.opens(deployed.ask("approval", approval({"account": 12345678901234567890, "rate": 1.0})).link)
    assert shown(page) == {"account": "12345678901234567890", "rate": "1.0"}


def test_everything_inside_is_reachable_however_deep(deployed: Deployed, visitor: Visitor) -> None:
    """D-15: nothing is cut off at a height."""
    deep: Any = {"end": "at the bottom"}
    for level in range(40):
        deep = {f"level{level}": deep, "lines": ["x"] * 3}
    page = visitor.opens(deployed.ask("approval", approval({"deep": deep})).link)
    expect(page.get_by_text("at the bottom")).to_be_visible()
    cut = "(all) => all.filter((each) => each.scrollHeight > each.clientHeight + 1).length"
    assert page.locator("pre").evaluate_all(cut) == 0
    assert not scrolls_sideways(page)
    assert violations(page) == []


def test_long_content_is_folded_says_its_length_and_is_shown_in_full(deployed: Deployed, visitor: Visitor) -> None:
    lines = "\n".join(f"line {number}" for number in range(1, 201))
    page = visitor.opens(deployed.ask("approval", approval({"diff": lines})).link)
    expect(page.get_by_text("line 200")).to_have_count(0)
    more = page.get_by_role("button", name="Show all 200 lines, 1691 characters")
    assert page.evaluate("document.documentElement.scrollHeight <= 3 * innerHeight")
    more.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("line 200")).to_be_visible()
    expect(page.get_by_role("button", name="Show less")).to_be_focused()
    assert violations(page) == []


def test_arguments_are_in_the_callers_order_at_every_level(deployed: Deployed, visitor: Visitor) -> None:
    """D-16."""
    arguments = {"repository": "r", "before": {"z": 1, "a": 2, "10": 3, "9": 4}, "after": "y", "diff": "d", "1": "n"}
    page = visitor.opens(deployed.ask("approval", approval(arguments)).link)
    assert list(shown(page)) == list(arguments)
    assert page.locator("dd dt").all_inner_texts() == ["z", "a", "10", "9"]


def test_the_exact_json_can_be_seen_and_copied(deployed: Deployed, visit: Callable[..., Visitor]) -> None:
    visitor = visit(permissions=["clipboard-read", "clipboard-write"])
    arguments = {"b": "pay\u200bpal  ", "a": [1.0, 12345678901234567890, None], "1": "\t"}
    page = visitor.opens(deployed.ask("approval", approval(arguments)).link)
    page.get_by_text("View as JSON").click()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert page.locator("details.json pre").inner_text() == copied
    assert "pay\\u200bpal  " in copied
    assert "12345678901234567890" in copied
    assert "1.0" in copied
    assert list(json.loads(copied)["arguments"].items()) == list(arguments.items())
    assert violations(page) == []


@pytest.mark.parametrize(
    ("name", "payload"),
    [("ask_user", questions.ONE), ("form", questions.FORM), ("assess_incident", questions.INCIDENT)],
)
def test_every_kind_of_question_can_be_seen_as_json(
    deployed: Deployed, visitor: Visitor, name: str, payload: dict[str, Any]
) -> None:
    asked = deployed.ask(name, payload)
    page = visitor.opens(asked.link)
    page.get_by_text("View as JSON").click()
    assert json.loads(page.locator("details.json pre").inner_text()) == asked.minted["payload"]
    assert violations(page) == []


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
@pytest.mark.parametrize(
    ("typed", "english", "german"),
    [("49,90", "49.90", "49.90"), ("1.000,50", "1000.50", "1000.50"), ("1.000", "1.000", "1000")],
)
def test_a_number_is_understood_in_the_readers_way_and_the_page_says_how(
    deployed: Deployed, visit: Callable[..., Visitor], locale: str, typed: str, english: str, german: str
) -> None:
    """D-18."""
    meant = english if locale == "en-GB" else german
    visitor = visit(locale=locale)
    asked = deployed.ask("form", form(amount={"type": "number", "title": "Amount"}))
    page = visitor.opens(asked.link)
    page.get_by_label("Amount").fill(typed)
    expect(page.locator(".reads .number")).to_have_count(int(meant != typed))
    if meant != typed:
        expect(page.locator(".reads .number")).to_have_text(meant)
        assert violations(page) == []
    page.locator(".buttons button").click()
    expect(page.locator("form")).to_have_count(0)
    assert recorded(deployed, asked) == f'{{"amount": {meant}}}'


def test_what_could_be_no_number_is_not_sent(deployed: Deployed, visitor: Visitor) -> None:
    """D-18."""
    page = visitor.opens(deployed.ask("form", form(amount={"type": "number", "title": "Amount"})).link)
    for typed in ("1,00,0", "1.2.3", "12 EUR", "1e999"):
        page.get_by_label("Amount").fill(typed)
        visitor.sends()
        expect(page.locator(".fault:not(:empty)")).to_have_text("Enter a number.")
    assert visitor.seen.posts("/answers") == []


def test_a_turn_of_the_wheel_changes_no_number(deployed: Deployed, visitor: Visitor) -> None:
    """D-19."""
    page = visitor.opens(deployed.ask("form", form(amount={"type": "number", "title": "Amount", "default": 100})).link)
    field = page.get_by_label("Amount")
    field.click()
    for _ in range(3):
        page.mouse.wheel(0, 100)
    page.keyboard.press("ArrowUp")
    assert field.input_value() == "100"


def test_digits_travel_as_they_are_written(deployed: Deployed, visitor: Visitor) -> None:
    """D-20: an untouched default too."""
    number = {"type": "number"}
    asked = deployed.ask(
        "form",
        form(
            untouched={"type": "integer", "default": 653247040368672768},
            price={**number, "title": "Price"},
            whole={"type": "integer", "title": "Whole"},
            fine={**number, "title": "Fine"},
        ),
    )
    page = visitor.opens(asked.link)
    for label, typed in (("Price", "0.10"), ("Whole", "12345678901234567891"), ("Fine", "0.12345678901234567891")):
        page.get_by_label(label).fill(typed)
    visitor.sends()
    visitor.sees("Thank you")
    whole, fine = "12345678901234567891", "0.12345678901234567891"
    answer = f'{{"fine": {fine}, "price": 0.10, "untouched": 653247040368672768, "whole": {whole}}}'
    assert recorded(deployed, asked) == answer


def test_an_edited_argument_is_recorded_as_it_was_typed(deployed: Deployed, visitor: Visitor) -> None:
    """D-18, D-20: before and after have the digits of their writer."""
    asked = deployed.ask(
        "approval", approval({"amount": 1249.5, "account": 12345678901234567890}, {"amount": {"type": "number"}})
    )
    page = visitor.opens(asked.link)
    page.get_by_label("Amount").fill("1.249,10")
    expect(page.locator("ins")).to_have_text("1249.10")
    visitor.sends("Approve")
    visitor.sees("Thank you")
    answer = recorded(deployed, asked)
    assert '"edits": {"amount": {"after": 1249.10, "before": 1249.5}}' in answer
    assert '"arguments": {"account": 12345678901234567890, "amount": 1249.10}' in answer
