"""What people and the service do again and again in these tests."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from playwright.sync_api import Route

from tests.built.browser.visitor import Visitor

CHOSEN: Final = "Refund it"
REFUND: Final = "Refund 49.90 EUR to Ada Lovelace?"


def choose(visitor: Visitor, label: str = CHOSEN) -> None:
    visitor.page.get_by_label(label, exact=True).check()


def the_answer(question: Mapping[str, Any], label: str = CHOSEN) -> dict[str, Any]:
    """Return the response that takes one option of a single question."""
    return {"answers": [{"question_id": question["questions"][0]["id"], "selections": [label]}]}


def refusing(status: int = 503, code: str = "store-unavailable") -> Callable[[Route], None]:
    """Return what answers as the service does when it cannot."""
    body = json.dumps({"status": status, "code": code})
    return lambda route: route.fulfill(status=status, content_type="application/problem+json", body=body)


ASK_BACK: Final = "Ask a question before you decide"
PASS_ON: Final = "Ask another person to decide"


def asks_back(visitor: Visitor, question: str) -> None:
    visitor.page.get_by_text(ASK_BACK).click()
    visitor.page.get_by_label("Question", exact=True).fill(question)
    visitor.sends("Send question")
