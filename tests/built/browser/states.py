"""Every state of the page: how somebody gets there, and the heading they find. Each leaves the page showing it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from playwright.sync_api import Route, expect

from tests.built.browser.steps import ASK_BACK, PASS_ON, REFUND, asks_back, choose, refusing, the_answer
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_content import CONTENT, MARKDOWN, MARKDOWN_QUESTION
from tests.support.page_deployment import Asked, Deployed


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    arrive: Callable[[Deployed, Visitor], None]
    heading: str


STATES: Final[dict[str, State]] = {}
"""By name; screenshots are called by it."""


def state(heading: str) -> Callable[[Callable[[Deployed, Visitor], None]], Callable[[Deployed, Visitor], None]]:
    def named(arrive: Callable[[Deployed, Visitor], None]) -> Callable[[Deployed, Visitor], None]:
        STATES[arrive.__name__.replace("_", "-")] = State(arrive=arrive, heading=heading)
        return arrive

    return named


@state(REFUND)
def question(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE, requester="Olga (support)", recipients=["ada@example.com"])
    visitor.opens(asked.link_of("ada@example.com"))
    expect(visitor.page.get_by_text("You answer as ada@example.com")).to_be_visible()


@state("4 questions for you")
def questions_four(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("ask_user", questions.FOUR).link)
    page.get_by_label("All at once", exact=True).check()
    page.get_by_text("Preview").first.click()
    page.get_by_label("Support", exact=True).check()
    page.get_by_label("Something else: Who has to be told beforehand?").fill("The night shift")


@state("4 questions for you")
def questions_faulty(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("ask_user", questions.FOUR).link)
    page.get_by_label("Something else", exact=True).check()
    visitor.sends()


@state("Pay the invoice of Lovelace Engines?")
def approval(deployed: Deployed, visitor: Visitor) -> None:
    visitor.opens(deployed.ask("approval", questions.APPROVAL).link)


@state("Pay the invoice of Lovelace Engines?")
def approval_edited(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("approval", questions.APPROVAL).link)
    page.get_by_label("Amount").fill("1115.63")
    page.get_by_label("GBP").check()
    page.get_by_label("Note").fill("Invoice 2026-118, without the 12%")
    page.get_by_role("group", name="Express").get_by_label("Yes").check()


@state("Pay the invoice of Lovelace Engines?")
def approval_faulty(deployed: Deployed, visitor: Visitor) -> None:
    visitor.opens(deployed.ask("approval", questions.APPROVAL).link)
    visitor.sends("Reject")


@state("Pay the invoice of Lovelace Engines?")
def approval_high_risk(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask(
        "approval",
        questions.APPROVAL,
        about=questions.ABOUT_PAYMENT,
        on_expiry={"policy": "default", "response": {"decision": "reject", "comment": "No answer in time."}},
        requester="Olga (support)",
        recipients=["ada@example.com", "bob@example.com", "eve@example.com"],
    )
    visitor.opens(asked.link_of("ada@example.com"))


@state("Check once more")
def approval_check(deployed: Deployed, visitor: Visitor) -> None:
    approval_high_risk(deployed, visitor)
    visitor.page.get_by_label("Amount").fill("1115.63")
    visitor.sends("Approve")


@state("Thank you")
def thanks_for_a_high_risk(deployed: Deployed, visitor: Visitor) -> None:
    approval_check(deployed, visitor)
    visitor.sends("Yes, approve")


@state("Change the limits of the shop?")
def content(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("approval", CONTENT).link)
    expect(page.get_by_text("SHA-256")).to_be_visible()


@state("Change the limits of the shop?")
def markdown(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("approval", MARKDOWN, about={"markdown": ["summary"]}).link)
    expect(page.get_by_text("As written")).to_be_visible()


@state("A question for you")
def markdown_question(deployed: Deployed, visitor: Visitor) -> None:
    about = {"markdown": ["question", "description", "preview"]}
    page = visitor.opens(deployed.ask("ask_user", MARKDOWN_QUESTION, about=about).link)
    expect(page.locator(".choice em")).to_be_visible()


@state("Where should the parcel go?")
def form(deployed: Deployed, visitor: Visitor) -> None:
    visitor.opens(deployed.ask("form", questions.FORM).link)


@state("Where should the parcel go?")
def form_faulty(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("form", questions.FORM).link)
    page.get_by_label("Name").fill("A")
    page.get_by_label("Floor").fill("99")
    page.get_by_label("E-mail").fill("ada at example")
    visitor.sends()


@state("Assess incident")
def own_interaction(deployed: Deployed, visitor: Visitor) -> None:
    visitor.opens(deployed.ask("assess_incident", questions.INCIDENT).link)


@state("Place order")
def own_shapes(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("place_order", questions.INCIDENT).link)
    page.get_by_role("radio", name="Parcel").check()
    page.get_by_role("button", name="Add: Positions").click()
    page.get_by_role("button", name="Add: Stock").click()
    visitor.sends()


@state("One number")
def own_single_value(deployed: Deployed, visitor: Visitor) -> None:
    visitor.opens(deployed.ask("one_number", questions.INCIDENT).link)


@state(questions.MARKUP)
def hostile(deployed: Deployed, visitor: Visitor) -> None:
    payload = {"questions": questions.HOSTILE["questions"][:1]}
    page = visitor.opens(deployed.ask("ask_user", payload, requester=questions.MARKUP).link)
    for preview in page.get_by_text("Preview", exact=True).all():
        preview.click()


@state(questions.MARKUP + questions.BIDI_SHOWN)
def hostile_approval(deployed: Deployed, visitor: Visitor) -> None:
    visitor.opens(deployed.ask("approval", questions.HOSTILE_APPROVAL).link)


WHICH: Final = "Which order is this for?\n\n  A-17 or A-18?"
ORDER: Final = "A-17, of the 3rd of May.\nThe goods came back yesterday:\n\n  1 x lamp\n  2 x bulb"


TWO: Final = ["ada@example.com", "bob@example.com"]


def who_takes_questions(deployed: Deployed) -> Asked:
    about = {"asker": "Refund assistant", "reason": "The sum is above my limit.", "takes_questions": True}
    return deployed.ask(
        "ask_user", questions.ONE, about=about, recipients=TWO, approvers=TWO, delegates=["*@example.com"]
    )


@state(REFUND)
def asking_back_closed(deployed: Deployed, visitor: Visitor) -> None:
    asked = who_takes_questions(deployed)
    page = visitor.opens(asked.link_of("ada@example.com"))
    expect(page.get_by_text(ASK_BACK)).to_be_visible()
    expect(page.get_by_text(PASS_ON)).to_be_visible()


@state(REFUND)
def asking_back_open(deployed: Deployed, visitor: Visitor) -> None:
    asking_back_closed(deployed, visitor)
    visitor.page.get_by_text(ASK_BACK).click()
    visitor.page.get_by_label("Question", exact=True).fill(WHICH)


@state(REFUND)
def asking_back_faulty(deployed: Deployed, visitor: Visitor) -> None:
    asking_back_closed(deployed, visitor)
    asks_back(visitor, "x" * 1001)
    expect(visitor.page.get_by_text("At most 1000 characters; this has 1001.")).to_be_visible()


@state(REFUND)
def asked_back(deployed: Deployed, visitor: Visitor) -> None:
    visitor.opens(who_takes_questions(deployed).link_of("ada@example.com"))
    choose(visitor)
    asks_back(visitor, WHICH)
    expect(visitor.page.get_by_text("No reply yet.")).to_be_visible()


@state(REFUND)
def replied(deployed: Deployed, visitor: Visitor) -> None:
    asked = who_takes_questions(deployed)
    deployed.ask_back(asked.token_of("bob@example.com"), WHICH)
    deployed.ask_back(asked.token_of("ada@example.com"), "Did the customer pay for the way back?")
    deployed.reply(asked, 1, ORDER)
    visitor.opens(asked.link_of("ada@example.com"))
    expect(visitor.page.get_by_text("1 x lamp")).to_be_visible()


@state(REFUND)
def passing_on_open(deployed: Deployed, visitor: Visitor) -> None:
    asking_back_closed(deployed, visitor)
    visitor.page.get_by_text(PASS_ON).click()
    visitor.page.get_by_label("Name or e-mail address").fill("cyd@example.com")


@state("Check once more")
def passing_on_check(deployed: Deployed, visitor: Visitor) -> None:
    passing_on_open(deployed, visitor)
    visitor.sends("Pass on")


@state("You have passed this question on")
def passed_on(deployed: Deployed, visitor: Visitor) -> None:
    passing_on_check(deployed, visitor)
    visitor.sends("Yes, pass on")


@state("Thank you")
def thanks(deployed: Deployed, visitor: Visitor) -> None:
    question(deployed, visitor)
    choose(visitor)
    visitor.sends()


@state("Thank you")
def thanks_for_an_approval(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("approval", questions.APPROVAL, requester="Olga (support)", recipients=["ada@example.com"])
    page = visitor.opens(asked.link_of("ada@example.com"))
    page.get_by_label("Amount").fill("1115.63")
    page.get_by_label("Comment").fill("As ordered")
    visitor.sends("Approve")


@state("Thank you")
def thanks_for_a_workflow(deployed: Deployed, visitor: Visitor) -> None:
    _, link = deployed.start_workflow()
    visitor.opens(link)
    choose(visitor, "Approve")
    visitor.sends()


@state("You have answered this")
def answered_by_you(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE, recipients=["ada", "bob"])
    deployed.answer(asked.token_of("ada"), the_answer(asked.minted["payload"]))
    visitor.opens(asked.link_of("ada"))


@state("Another person has answered this")
def answered_by_somebody_else(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE, recipients=["ada", "bob"])
    deployed.answer(asked.token_of("ada"), the_answer(asked.minted["payload"]))
    visitor.opens(asked.link_of("bob"))


@state("This has been answered")
def answered(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("approval", questions.APPROVAL)
    deployed.answer(asked.token, {"decision": "approve"})
    visitor.opens(asked.link)
    expect(visitor.page.get_by_text("What was asked")).to_have_count(0)


@state("Too late to answer")
def expired(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE, ttl_seconds=60)
    with deployed.later(61):
        visitor.opens(asked.link)


@state("Too late to answer")
def answered_by_policy(deployed: Deployed, visitor: Visitor) -> None:
    agreed = {"policy": "default", "response": {"answers": [{"selections": ["Refuse"]}]}}
    asked = deployed.ask("ask_user", questions.ONE, ttl_seconds=300, on_expiry=agreed)
    with deployed.later(360):
        deployed.sweep()
        visitor.opens(asked.link)
    visitor.page.get_by_text("The default answer for this case was used.").wait_for()


@state("No answer is needed any more")
def revoked(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE)
    deployed.revoke(asked)
    visitor.opens(asked.link)
    expect(visitor.page.get_by_text("What was asked")).to_have_count(0)


@state("No answer is needed any more")
def revoked_for_a_recipient(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE, recipients=["ada"])
    deployed.revoke(asked)
    visitor.opens(asked.link_of("ada"))
    visitor.page.get_by_text("What was asked").click()


@state("No answer is needed any more")
def revoked_with_a_reason(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE)
    deployed.take_back(asked, "The customer has cancelled the order.")
    visitor.opens(asked.link)
    expect(visitor.page.get_by_text("The customer has cancelled the order.")).to_be_visible()


@state("A newer question has replaced this one")
def replaced(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE)
    deployed.ask("ask_user", questions.ONE, supersedes=asked.jti)
    visitor.opens(asked.link)
    expect(visitor.page.get_by_text("Open the newer question")).to_have_count(0)


@state("A newer question has replaced this one")
def replaced_for_a_recipient(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE, recipients=["ada"])
    deployed.ask("ask_user", questions.FOUR, supersedes=asked.jti, recipients=["ada"])
    visitor.opens(asked.link_of("ada"))
    expect(visitor.page.get_by_role("link", name="Open the newer question")).to_be_visible()


@state("The work that asked is no longer waiting")
def no_longer_waiting(deployed: Deployed, visitor: Visitor) -> None:
    execution, link = deployed.start_workflow()
    visitor.opens(link)
    deployed.stop_workflow(execution)
    choose(visitor, "Approve")
    visitor.sends()


@state("This link is damaged")
def damaged(deployed: Deployed, visitor: Visitor) -> None:
    visitor.opens(deployed.ask("ask_user", questions.ONE).link[:-6])


@state("This link is damaged")
def without_a_token(deployed: Deployed, visitor: Visitor) -> None:
    visitor.opens(f"{deployed.url}/answer")


@state("This link cannot be used to answer")
def not_allowed(deployed: Deployed, visitor: Visitor) -> None:
    visitor.opens(deployed.ask("signed_in_only", questions.INCIDENT).link)


@state("This link no longer works")
def link_revoked(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE, recipients=["ada", "bob"])
    deployed.revoke_link(asked, "ada")
    visitor.opens(asked.link_of("ada"))


def leads_to(visitor: Visitor, token: str, address: str | None) -> None:
    """Let the service of this visit have a `SignInUrl`, or none; Playwright reads no body of a request from Firefox."""

    def with_address(route: Route) -> None:
        shown = route.fetch(post_data={"answer_token": token})
        route.fulfill(response=shown, json={**shown.json(), "sign_in_url": address})

    visitor.page.route("**/questions", with_address)


@state("Sign in to answer")
def sign_in(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE, recipients=["ada"], least_assurance="signed_in")
    address = f"https://app.example.com/answers?pause={asked.jti}"
    leads_to(visitor, asked.token_of("ada"), address)
    visitor.opens(asked.link_of("ada"))
    button = visitor.page.get_by_role("link", name="Sign in to answer")
    expect(button).to_have_attribute("href", address)
    expect(button).to_have_attribute("rel", "noreferrer noopener")


@state("Sign in to answer")
def sign_in_elsewhere(deployed: Deployed, visitor: Visitor) -> None:
    visitor.opens(deployed.ask("ask_user", questions.ONE, least_assurance="signed_in").link)
    expect(visitor.page.get_by_text("in the application of your organisation")).to_be_visible()


@state("Not reachable right now")
def unavailable(deployed: Deployed, visitor: Visitor) -> None:
    visitor.page.route("**/questions", refusing())
    visitor.opens(deployed.ask("ask_user", questions.ONE).link)


@state(REFUND)
def not_sent(deployed: Deployed, visitor: Visitor) -> None:
    question(deployed, visitor)
    choose(visitor)
    visitor.page.route("**/answers", refusing())
    visitor.sends()
    visitor.page.get_by_text("could not be sent").wait_for()


@state("Pay the invoice of Lovelace Engines?")
def changed(deployed: Deployed, visitor: Visitor) -> None:
    """Only somebody who tampers with what the page is shown gets there: a recorded question never changes."""
    asked = deployed.ask("approval", questions.APPROVAL)

    def an_older_question(route: Route) -> None:
        shown = route.fetch(post_data={"answer_token": asked.token})
        older = {**shown.json(), "request_hash": "0" * 64}
        older["payload"]["title"] = "Pay half of the invoice?"
        route.fulfill(response=shown, json=older)

    visitor.page.route("**/questions", an_older_question, times=1)
    visitor.opens(asked.link, "Pay half of the invoice?")
    visitor.sends("Approve")


@state("This question cannot be shown")
def unusable(deployed: Deployed, visitor: Visitor) -> None:
    visitor.page.route("**/questions", refusing(424, "payload-unreadable"))
    visitor.opens(deployed.ask("ask_user", questions.ONE).link)


@state("This question is no longer stored")
def unknown(deployed: Deployed, visitor: Visitor) -> None:
    visitor.page.route("**/questions", refusing(404, "unknown-pause"))
    visitor.opens(deployed.ask("ask_user", questions.ONE).link)
