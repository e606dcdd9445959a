"""The TypeScript client's file for browsers, on a page of another origin that the deployment allows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.support.page_deployment import Deployed
from tests.support.page_questions import ONE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

BUNDLE: Final = Path(__file__).parents[3] / "clients" / "typescript" / "dist" / "askback.min.js"
ANSWER: Final = """async ([code, api, token]) => {
  const address = URL.createObjectURL(new Blob([code], {type: "text/javascript"}));
  const {PersonClient, HttpTransport, choose} = await import(address);
  const askback = new PersonClient(new HttpTransport(api));
  const shown = await askback.question(token);
  const receipt = await askback.answer(token, choose(shown, "Refund it"));
  const other = await askback.answer(token, choose(shown, "Refuse")).catch((error) => error);
  return [shown.status, receipt.answeredBy, receipt.answeredAt instanceof Date, other.name, other.answeredAt > 0];
}"""


def test_a_page_of_ones_own_answers_with_the_client(deployed: Deployed, browser: Browser) -> None:
    asked = deployed.ask("ask_user", ONE)
    page = browser.new_page()
    page.goto(deployed.listed_origin)
    answered = page.evaluate(ANSWER, [BUNDLE.read_text(encoding="utf-8"), deployed.url, asked.token])
    page.close()
    assert answered == ["issued", "link", True, "AlreadyAnswered", True]
