"""A person asks back about a pause, and the program that asked replies, over the handlers."""

from typing import Any

from tests.support.function_deployment import Answer, Handlers
from tests.support.several import Several

TAKES_QUESTIONS = {"takes_questions": True}
WHY = "Which invoice is this for?"
INVOICE = "Invoice 2026-117, attached to the order."


def a_pause(handlers: Handlers, **over: Any) -> Several:
    """Mint a pause whose program takes questions; two must approve, unless `quorum` says otherwise."""
    return Several(handlers, **{"quorum": {"needed": 2}, "about": TAKES_QUESTIONS, **over})


def ask(several: Several, person: str = "ada", question: str = WHY, **over: Any) -> Answer:
    """Ask back by the link of a member."""
    body = {"answer_token": several.link(person), "question": question, **over}
    return several.handlers.post("/clarifications", body)


def reply(several: Several, number: int = 1, text: str = INVOICE, **options: Any) -> Answer:
    """Reply to a question as the program that asked."""
    path = f"/pauses/{several.minted['jti']}/clarifications"
    return several.handlers.post(path, {"number": number, "reply": text}, **options)


def asked(several: Several, **options: Any) -> Answer:
    """Read the questions as the program that asked."""
    return several.handlers.post(f"/pauses/{several.minted['jti']}/clarifications", {}, **options)
