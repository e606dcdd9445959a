"""What is read determines the value: no two different values read the same on the page.

What a person reads of a value is its text on the screen, signs and notes included, and not its colours. Taken away are
what the eye does not see or does not tell apart: invisible characters, the width of white space inside a line and at
its end, the other forms of a letter, and letters of one script that look like those of another.
"""

import json
import re
import unicodedata
from collections.abc import Callable
from itertools import product
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from playwright.sync_api import Page, Route

from tests.built.browser.visitor import Visitor
from tests.support.page_deployment import Deployed
from tests.support.tricky_content import contents
from tests.support.tricky_json import TRICKY, families, text_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.only_chromium("it takes long; the script is the same"),
]

ALIKE: Final = str.maketrans(
    # Cyrillic, then Greek, then signs.
    "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0458\u0455\u0501\u04cf"
    "\u0410\u0412\u0415\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7\u03bf\u03bd"
    "\u2010\u2011\u2012\u2212\u02bc\u2032\u2215\u2044\u2236\ua789\u09e7",
    "aceopxyijsdlABEIJKMHOPCTXABEZHIKMNOPTXov----''//::8",
)
VISIBLY_OTHER: Final = re.compile("[\u00a1-\u00ff\u2026\u2122]")
EAST_ASIAN: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff66-\uffdc]")
WIDE: Final = re.compile("[\u3001-\u33ff\uff01-\uffef]")
UNSEEN: Final = {"Cc", "Cf", "Cn", "Co", "Cs", "Zs", "Zl", "Zp"}
IGNORABLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def seen(text: str) -> str:
    """Return what a person sees of a text on the screen."""
    lines = []
    for line in text.split("\n"):
        plain = "".join(_folded(sign, text) for sign in line)
        shown = unicodedata.normalize("NFC", plain).rstrip()
        margin = len(shown) - len(shown.lstrip())
        lines.append(shown[:margin] + re.sub(" +", " ", shown[margin:]))
    return "\n".join(line for line in lines if line)


def _folded(sign: str, text: str) -> str:
    if sign in " \t":
        return " "
    if unicodedata.category(sign) in UNSEEN or IGNORABLE.match(sign):
        return " " if unicodedata.category(sign) == "Zs" else ""
    if not VISIBLY_OTHER.match(sign) and not (WIDE.match(sign) and EAST_ASIAN.search(text)):
        sign = unicodedata.normalize("NFKC", sign)
    return sign.translate(ALIKE)


class Screen:
    """The page with many values at once, as one question of an interaction that an adopter has made."""

    def __init__(self, page: Page, link: str, question: dict[str, Any]) -> None:
        self._page = page
        self._question = {**question, "payload": "{{values}}"}
        self._values = "{}"
        page.route("**/questions", self._answer)
        page.goto(link)

    def _answer(self, route: Route) -> None:
        # As text: Python would read 1e3 and 1000.0 as one number.
        body = json.dumps(self._question).replace('"{{values}}"', self._values)
        route.fulfill(status=200, content_type="application/json", body=body)

    def readings(self, values: list[str]) -> list[str]:
        """Return the text on the screen for each value, with everything unfolded; a border ends a cell of a table."""
        self._values = "{" + ",".join(f'"v{index}":{value}' for index, value in enumerate(values)) + "}"
        self._page.reload()
        self._page.get_by_role("heading", level=1).wait_for()
        read: list[str] = self._page.evaluate(
            """() => {
              for (let more; (more = document.querySelector("button[aria-expanded=false]")); ) more.click();
              for (const cell of document.querySelectorAll("th, td")) cell.append("\u2502");
              const outermost = (item) => !item.closest("dl").parentElement.closest("dl, ol");
              return [...document.querySelectorAll("main .action dd")].filter(outermost).map((item) => item.innerText);
            }"""
        )
        assert len(read) == len(values)
        return read


@pytest.fixture
def screen(deployed: Deployed, visitor: Visitor) -> Callable[[list[str]], list[str]]:
    asked = deployed.ask("assess_incident", {"service": "s", "symptoms": [], "since": "now", "affected": {}})
    return Screen(visitor.page, asked.link, deployed.question(asked)).readings


SHORT: Final = (
    ("".join(dict.fromkeys(TRICKY)), 2),
    (" \n\ta\u0430\u200b\u0301[", 3),
    ("o\u03bf\u0435\u041eO0-\u2013", 3),
    ("\u05d0\u0628a1 .", 3),
)
"""Characters, and the length up to which each text of them is shown."""


@pytest.mark.parametrize("form", ["{}", "{{{}:1}}"], ids=["values", "names"])
def test_no_two_short_texts_read_the_same(screen: Callable[[list[str]], list[str]], form: str) -> None:
    """D-10, D-11, D-12: every text of a few characters, as a value and as a name."""
    for characters, longest in SHORT:
        texts = ("".join(text) for size in range(1, longest + 1) for text in product(characters, repeat=size))
        require_all_different(screen, [form.format(text_of(text)) for text in texts])


def require_all_different(screen: Callable[[list[str]], list[str]], values: list[str]) -> None:
    known: dict[str, str] = {}
    for value, reading in zip(values, screen(values), strict=True):
        other = known.setdefault(seen(reading), value)
        assert other == value, f"{other} and {value} read the same: {reading!r}"


@settings(max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(values=families())
def _no_two_read_the_same(screen: Callable[[list[str]], list[str]], values: list[str]) -> None:
    require_all_different(screen, values)


@settings(max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(values=contents())
def _no_two_drawings_read_the_same(screen: Callable[[list[str]], list[str]], values: list[str]) -> None:
    require_all_different(screen, values)


def test_no_two_tables_diffs_or_images_read_the_same(screen: Callable[[list[str]], list[str]]) -> None:
    """What has a form of its own on the screen says as much as the plain form of the value."""
    _no_two_drawings_read_the_same(screen=screen)


def test_no_two_different_values_read_the_same(screen: Callable[[list[str]], list[str]]) -> None:
    """D-10, D-11, D-12, D-14, D-15: white space, types, invisible and similar characters, digits, and nesting."""
    _no_two_read_the_same(screen=screen)
