"""The middle of every workflow's story: a person is asked, and answers by the link or at the terminal."""

from __future__ import annotations

from typing import Any, Final

from local.demo.api_client import Client
from local.demo.checks import check, expect, text
from local.demo.terminal import Terminal, token_shown

QUESTION: Final = "Refund 49.90 EUR?"
TTL_SECONDS: Final = 3600


def ask_and_answer(url: str, terminal: Terminal, answer_token: str, taken: str | None) -> None:
    """Tell steps 2 and 3: at a terminal the link is shown, and whichever answer comes first counts.

    With nobody there, `taken` is the answer; None takes the first option.
    """
    client = Client(url)
    terminal.step(2, "A person is asked")
    shown = client.post("/questions", {"pause_token": answer_token})
    expect(shown, 200)
    question = shown.document["payload"]["questions"][0]
    terminal.fact("answer token", token_shown(answer_token))
    terminal.fact("question", question["question"])
    if terminal.interactive or taken is None:
        taken = _asked(client, terminal, question, answer_token, f"{url}/answer#{answer_token}")
    if taken is None:
        terminal.step(3, "The answer has come through the link")
        terminal.fact("answered at", text(_status(client, answer_token), "answered_at"))
    else:
        _send_twice(client, terminal, answer_token, question["id"], taken)


def _asked(client: Client, terminal: Terminal, question: dict[str, Any], answer_token: str, link: str) -> str | None:
    """Return the label that was taken at the terminal, or None when the answer came through the link."""
    if terminal.interactive:
        terminal.line()
        terminal.line("   Open this link and answer there, or answer here:")
        terminal.line(f"   {link}")
    return terminal.choose_or_wait(
        question["question"],
        [(each["label"], each.get("description") or "") for each in question["options"]],
        answered_elsewhere=lambda: _status(client, answer_token)["status"] != "issued",
    )


def _status(client: Client, answer_token: str) -> dict[str, Any]:
    shown = client.post("/questions", {"pause_token": answer_token})
    expect(shown, 200)
    return shown.document


def _send_twice(client: Client, terminal: Terminal, answer_token: str, question_id: str, taken: str) -> None:
    terminal.step(3, f"The answer is sent twice: {taken}")
    body: dict[str, Any] = {
        "pause_token": answer_token,
        "response": {"answers": [{"question_id": question_id, "selections": [taken]}]},
    }
    first, again = client.post("/answers", body), client.post("/answers", body)
    expect(first, 200)
    terminal.fact("POST /answers", f"{first.status}, {text(first.document, 'delivery')}")
    check(first.document["delivery"] == "delivered", "the answer was not delivered at once")
    expect(again, 200)
    terminal.fact("POST /answers", f"{again.status}, the first receipt again")
    check(again.document.get("replayed") is True, "the same answer again was not replayed")
    check(again.document["answered_at"] == first.document["answered_at"], "the replay tells another time")


def decided(result: dict[str, Any], terminal: Terminal) -> None:
    """Show what a workflow ended with."""
    terminal.fact("decision", text(result, "decision"))
    terminal.fact("answered by", text(result, "answered_by"))
    check(result["decision"] in ("approved", "rejected"), "the workflow decided otherwise than the person")
