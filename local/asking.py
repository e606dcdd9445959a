"""The middle of every workflow's story: a person is asked, and the answer is sent twice."""

from __future__ import annotations

from typing import Any, Final

from local.checks import check, expect, text
from local.client import Client
from local.terminal import Terminal, token_shown

QUESTION: Final = "Refund 49.90 EUR?"
TTL_SECONDS: Final = 3600


def ask_and_answer(client: Client, terminal: Terminal, answer_token: str, taken: str | None) -> None:
    """Tell steps 2 and 3; `taken` is the answer when it has been given already, None asks the person."""
    terminal.step(2, "A person is asked")
    shown = client.post("/questions", {"pause_token": answer_token})
    expect(shown, 200)
    question = shown.document["payload"]["questions"][0]
    terminal.fact("answer token", token_shown(answer_token))
    terminal.fact("question", question["question"])
    if taken is None:
        options = [(each["label"], each.get("description") or "") for each in question["options"]]
        taken = terminal.choose(question["question"], options)

    terminal.step(3, f"The answer is sent twice: {taken}")
    body: dict[str, Any] = {
        "pause_token": answer_token,
        "response": {"answers": [{"question_id": question["id"], "selections": [taken]}]},
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
