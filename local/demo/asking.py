"""The part that all workflows share: a person gets the question, and answers by the link or at the terminal."""

from __future__ import annotations

from typing import Any, Final

from local.demo.api_client import Client
from local.demo.checks import check, expect, text
from local.demo.terminal import Terminal, token_shown

QUESTION: Final = "Refund 49.90 EUR?"
TTL_SECONDS: Final = 3600


def ask_and_answer(url: str, terminal: Terminal, answer_token: str, chosen: str | None) -> None:
    """Show steps 2 and 3. At a terminal the link is shown too, and the first answer counts.

    Without a terminal `chosen` is the answer; None chooses the first option.
    """
    client = Client(url)
    terminal.step(2, "A person gets the question")
    shown = client.post("/questions", {"answer_token": answer_token})
    expect(shown, 200)
    question = shown.document["payload"]["questions"][0]
    terminal.fact("answer token", token_shown(answer_token))
    terminal.fact("question", question["question"])
    if terminal.interactive or chosen is None:
        chosen = _asked(client, terminal, question, answer_token, f"{url}/answer#{answer_token}")
    if chosen is None:
        terminal.step(3, "The answer came through the link")
        terminal.fact("answered at", text(_status(client, answer_token), "answered_at"))
    else:
        _send_twice(client, terminal, answer_token, question["id"], chosen)


def _asked(client: Client, terminal: Terminal, question: dict[str, Any], answer_token: str, link: str) -> str | None:
    """Return the label chosen at the terminal, or None when the answer came through the link."""
    if terminal.interactive:
        terminal.line()
        terminal.line("   Answer here, or open this link and answer there:")
        terminal.line(f"   {link}")
    return terminal.choose_or_wait(
        question["question"],
        [(each["label"], each.get("description") or "") for each in question["options"]],
        answered_elsewhere=lambda: _status(client, answer_token)["status"] != "issued",
    )


def _status(client: Client, answer_token: str) -> dict[str, Any]:
    shown = client.post("/questions", {"answer_token": answer_token})
    expect(shown, 200)
    return shown.document


def _send_twice(client: Client, terminal: Terminal, answer_token: str, question_id: str, chosen: str) -> None:
    terminal.step(3, f"The answer is sent twice: {chosen}")
    body: dict[str, Any] = {
        "answer_token": answer_token,
        "response": {"answers": [{"question_id": question_id, "selections": [chosen]}]},
    }
    first, again = client.post("/answers", body), client.post("/answers", body)
    expect(first, 200)
    terminal.fact("POST /answers", f"{first.status}, {text(first.document, 'delivery')}")
    check(first.document["delivery"] == "delivered", "the answer was not delivered at once")
    expect(again, 200)
    terminal.fact("POST /answers", f"{again.status}, the first receipt again")
    check(again.document.get("replayed") is True, "the repeated answer was not replayed")
    check(again.document["answered_at"] == first.document["answered_at"], "the replay has another time")


def decided(result: dict[str, Any], terminal: Terminal) -> None:
    """Show the decision of a workflow."""
    terminal.fact("decision", text(result, "decision"))
    terminal.fact("answered by", text(result, "answered_by"))
    check(result["decision"] in ("approved", "rejected"), "the workflow's decision is neither approved nor rejected")
