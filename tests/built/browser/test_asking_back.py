"""A person asks back before they answer: the question stands on the page, and its reply comes to the open page."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.built.browser.accessibility import violations
from tests.built.browser.languages import ALL, ARABIC
from tests.built.browser.screenshots import scrolls_sideways, whole_page
from tests.built.browser.states import ORDER, WHICH, who_takes_questions
from tests.built.browser.steps import ASK_BACK, REFUND, asks_back, refusing
from tests.built.browser.visitor import DESKTOP, Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Asked, Deployed

pytestmark = pytest.mark.browser

ADA = "ada@example.com"
OTHER = f"Something else: {REFUND}"
TYPED = "Half of it"
TAKES = {"about": {"takes_questions": True}}


def opened(deployed: Deployed, visitor: Visitor) -> Asked:
    """Open a question that takes questions, let the page's time be the test's, and type an answer."""
    asked = who_takes_questions(deployed)
    visitor.page.clock.install()
    visitor.opens(asked.link_of(ADA), REFUND)
    visitor.page.get_by_label(OTHER).fill(TYPED)
    return asked


def sends_what_was_typed(deployed: Deployed, visitor: Visitor, asked: Asked) -> None:
    visitor.sends()
    visitor.sees("Thank you")
    assert deployed.outcome(asked)["response"]["answers"][0]["other"] == TYPED
    stored = visitor.page.evaluate("Object.keys(sessionStorage)")
    assert [key for key in stored if asked.jti in key] == []


def test_a_question_stands_on_the_page_as_it_was_asked_and_an_answer_is_still_possible(
    deployed: Deployed, visitor: Visitor
) -> None:
    asked = opened(deployed, visitor)
    visitor.page.get_by_text(ASK_BACK).click()
    expect(visitor.page.get_by_text("Refund assistant gets your question.")).to_be_visible()
    visitor.page.get_by_label("Question", exact=True).fill(WHICH)
    assert visitor.seen.posts("/clarifications") == []
    visitor.sends("Send question")
    shown = visitor.page.locator(".asked")
    expect(shown).to_contain_text(f"Question, {ADA}, ")
    assert shown.locator(".said").inner_text() == WHICH
    expect(shown).to_contain_text("No reply yet.")
    expect(shown.locator(".said")).to_be_focused()
    expect(shown.locator(".said")).to_be_in_viewport()
    (recorded,) = deployed.question(asked)["clarifications"]
    assert (recorded["by"], recorded["question"]) == (ADA, WHICH)
    sends_what_was_typed(deployed, visitor, asked)


def test_it_is_all_done_with_the_keyboard_and_the_return_key_sends_nothing(
    deployed: Deployed, visitor: Visitor
) -> None:
    page = visitor.opens(deployed.ask("ask_user", questions.ONE, **TAKES).link)
    page.get_by_role("button", name="Send answer").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("Why?")
    page.keyboard.press("Enter")
    page.keyboard.type("And when?")
    assert [visitor.seen.posts(path) for path in ("/clarifications", "/answers")] == [[], []]
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Send question")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.locator(".said").inner_text() == "Why?\nAnd when?"
    assert visitor.seen.posts("/answers") == []


def test_a_reply_is_seen_on_the_open_page_and_what_was_typed_stays_in_its_field(
    deployed: Deployed, visitor: Visitor
) -> None:
    asked = opened(deployed, visitor)
    asks_back(visitor, WHICH)
    expect(visitor.page.get_by_text("No reply yet.")).to_be_visible()
    visitor.page.get_by_text(ASK_BACK).click()
    visitor.page.get_by_label("Question", exact=True).fill("And who")
    deployed.reply(asked, 1, ORDER)
    visitor.waits(10)
    expect(visitor.page.get_by_role("alert").first).to_have_text(
        "There is a reply to a question. Please read it before you answer."
    )
    assert visitor.page.locator(".said").all_inner_texts() == [WHICH, ORDER]
    expect(visitor.page.get_by_label(OTHER)).to_have_value(TYPED)
    expect(visitor.page.get_by_label("Question", exact=True)).to_have_value("And who")
    expect(visitor.page.locator(".typed")).to_have_count(0)
    assert violations(visitor.page) == []
    whole_page(visitor.page, "reply-on-the-open-page-phone-light")
    assert visitor.seen.posts("/answers") == []
    sends_what_was_typed(deployed, visitor, asked)


def test_an_answer_that_crosses_the_reply_is_not_taken_and_nothing_is_sent_by_itself(
    deployed: Deployed, visitor: Visitor
) -> None:
    asked = opened(deployed, visitor)
    asks_back(visitor, WHICH)
    expect(visitor.page.get_by_text("No reply yet.")).to_be_visible()
    deployed.reply(asked, 1, ORDER)
    visitor.sends()
    expect(visitor.page.get_by_role("alert").first).to_contain_text("There is a reply to a question.")
    expect(visitor.page.get_by_label(OTHER)).to_have_value(TYPED)
    visitor.waits(20)
    assert len(visitor.seen.posts("/answers")) == 1
    assert deployed.question(asked)["status"] == "issued"
    sends_what_was_typed(deployed, visitor, asked)


def test_a_question_that_crosses_a_reply_is_kept_and_can_be_sent_then(deployed: Deployed, visitor: Visitor) -> None:
    asked = opened(deployed, visitor)
    deployed.ask_back(asked.token_of("bob@example.com"), WHICH)
    deployed.reply(asked, 1, ORDER)
    asks_back(visitor, "Which order?")
    expect(visitor.page.get_by_role("alert").first).to_contain_text("There is a reply to a question.")
    expect(visitor.page.get_by_label("Question", exact=True)).to_have_value("Which order?")
    expect(visitor.page.get_by_label(OTHER)).to_have_value(TYPED)
    visitor.sends("Send question")
    expect(visitor.page.locator(".said")).to_have_text([WHICH, ORDER, "Which order?"])


def test_votes_from_before_the_reply_count_no_more(deployed: Deployed, visitor: Visitor) -> None:
    people = ["ada", "bob"]
    asked = deployed.ask(
        "approval", questions.APPROVAL, approvers=people, recipients=people, quorum={"needed": 2}, **TAKES
    )
    deployed.answer(asked.token_of("ada"), {"decision": "approve", "edits": {"amount": 5}})
    visitor.page.clock.install()
    visitor.opens(asked.link_of("bob"))
    expect(visitor.page.get_by_label("Amount")).to_have_value("5")
    visitor.page.get_by_label("Comment").fill(TYPED)
    deployed.ask_back(asked.token_of("bob"), "Why?")
    deployed.reply(asked, 1, "Because.")
    visitor.waits(10)
    expect(visitor.page.locator(".effects")).to_contain_text("no longer counts")
    expect(visitor.page.locator("#so-far")).to_have_text("Approved: 0. Rejected: 0.")
    expect(visitor.page.get_by_label("Comment")).to_have_value(TYPED)
    expect(visitor.page.get_by_label("Amount")).to_have_value("1249.5")
    whole_page(visitor.page, "votes-void-after-a-reply-phone-light")


def test_a_question_that_cannot_be_sent_stays_in_its_field_also_after_a_reload(
    deployed: Deployed, visitor: Visitor
) -> None:
    visitor.opens(deployed.ask("ask_user", questions.ONE, **TAKES).link)
    visitor.page.route("**/clarifications", refusing(), times=1)
    asks_back(visitor, WHICH)
    expect(visitor.page.get_by_text("Not reachable right now. Your link is still valid.")).to_be_visible()
    field = visitor.page.get_by_label("Question", exact=True)
    expect(field).to_be_focused()
    expect(field).to_have_value(WHICH)
    visitor.page.reload()
    expect(field).to_have_value(WHICH)
    visitor.sends("Send question")
    expect(visitor.page.get_by_text("No reply yet.")).to_be_visible()
    visitor.page.reload()
    expect(visitor.page.locator(".said")).to_have_text(WHICH)
    expect(field).to_be_hidden()


def test_after_five_questions_the_page_offers_no_more_and_says_that_of_one_that_was_too_many(
    deployed: Deployed, visitor: Visitor
) -> None:
    asked = deployed.ask("ask_user", questions.ONE, **TAKES)
    for number in range(4):
        deployed.ask_back(asked.token, f"Why {number}?")
    page = visitor.opens(asked.link)
    deployed.ask_back(asked.token, "Why 4?")
    asks_back(visitor, "Why 5?")
    expect(page.get_by_text("Your question was not accepted. At most 5 questions can be asked.")).to_be_visible()
    page.reload()
    expect(page.locator(".said")).to_have_count(5)
    expect(page.get_by_text(ASK_BACK)).to_have_count(0)


def test_texts_of_others_stay_texts(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE, **TAKES)
    deployed.ask_back(asked.token, f"{questions.MARKUP} {questions.BIDI}")
    deployed.reply(asked, 1, f"javascript:alert(1) {questions.MARKUP}\u200b")
    page = visitor.opens(asked.link)
    assert page.locator(".said").all_text_contents() == [
        f"{questions.MARKUP} {questions.BIDI_SHOWN}",
        f"javascript:alert(1) {questions.MARKUP}[U+200B]",
    ]
    assert page.locator(".asked").locator("a, img, script, b").count() == 0


def test_a_question_that_takes_none_has_no_part_for_them(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("ask_user", questions.ONE).link)
    expect(page.get_by_text(ASK_BACK)).to_have_count(0)
    expect(page.locator(".asked, .aside")).to_have_count(0)


@pytest.mark.parametrize("language", ["ar", "de", "ja"])
def test_it_fits_a_phone_and_a_desktop_in_the_readers_language(
    deployed: Deployed, visit: Callable[..., Visitor], language: str
) -> None:
    visitor, texts = visit(locale=language, device_scale_factor=2), ALL[language]
    about = {"takes_questions": True, "asker": "Refund assistant"}
    payload = ARABIC if language == "ar" else questions.ONE
    asked = deployed.ask("ask_user", payload, about=about, recipients=[ADA])
    for question in ("ما رقم الطلب؟", WHICH) if language == "ar" else (WHICH,):
        deployed.ask_back(asked.token_of(ADA), question)
    deployed.reply(asked, 1, ORDER)
    page = visitor.opens(asked.link_of(ADA))
    page.get_by_text(texts["ask_back"]).click()
    page.get_by_label(texts["asked_back"], exact=True).fill(" ")
    visitor.sends(texts["send_question"])
    expect(page.get_by_text(texts["missing"])).to_be_visible()
    assert not scrolls_sideways(page)
    assert violations(page) == []
    whole_page(page, f"asking-back-{language}-phone-light")
    page.set_viewport_size({"width": DESKTOP["width"], "height": DESKTOP["height"]})
    assert not scrolls_sideways(page)
    whole_page(page, f"asking-back-{language}-desktop-light")
