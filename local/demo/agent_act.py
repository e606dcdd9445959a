"""The agent of the demo: it pauses, you answer through the link, and it continues with its whole turn.

The agent calls the routes of its own role and no other: `POST /pauses` and `POST /outcomes`.
"""

from __future__ import annotations

import json
from typing import Any

from local.demo.api_client import Client
from local.demo.checks import check, expect, text
from local.demo.mailbox import Mailbox
from local.demo.story import SCOPE, Transcript, response_to
from local.demo.terminal import Terminal, message_shown, token_shown


def show(url: str, terminal: Terminal, mailbox: Mailbox) -> str:
    """Run the agent once against the API at `url`, and return the chosen label."""
    client = Client(url)
    transcript = Transcript.refund()
    pause = _pause(client, terminal, transcript)
    token, question, labels, chosen = _ask(client, terminal, pause, mailbox)
    answer = {"answer_token": token, "response": response_to(question, chosen)}
    receipt = _answer(client, terminal, answer)
    _continue(client, terminal, transcript, pause, chosen)

    other = next(label for label in labels if label != chosen)
    terminal.step(4, f"A second, different answer is sent: {other}")
    refused = client.post("/answers", {"answer_token": token, "response": response_to(question, other)})
    expect(refused, 409, "already-answered")
    terminal.fact("POST /answers", f"{refused.status} {refused.code}")
    terminal.fact("answered at", text(refused.document, "answered_at"))
    check(refused.document["answered_at"] == receipt["answered_at"], "the refusal has another time")

    terminal.step(5, f"The first answer is sent again: {chosen}")
    replay = client.post("/answers", answer)
    expect(replay, 200)
    terminal.fact("POST /answers", f"{replay.status}, the first receipt again")
    check(replay.document.get("replayed") is True, "the repeated answer was not replayed")
    check(replay.document["answered_at"] == receipt["answered_at"], "the replay has another time")
    return chosen


def _pause(client: Client, terminal: Terminal, transcript: Transcript) -> dict[str, Any]:
    terminal.step(1, "The agent pauses")
    minted = client.post("/pauses", transcript.mint_request())
    expect(minted, 201)
    pause = minted.document
    terminal.fact("POST /pauses", str(minted.status))
    terminal.fact("pause", text(pause, "jti"))
    terminal.fact("pause token", token_shown(text(pause, "pause_token")))
    terminal.fact("expires at", text(pause, "expires_at"))
    terminal.fact("recorded", f"{len(transcript.messages)} messages of the paused turn")
    check(pause.get("resumable") is True, "the turn was not recorded")
    return pause


def _ask(
    client: Client, terminal: Terminal, pause: dict[str, Any], mailbox: Mailbox
) -> tuple[str, str, list[str], str]:
    terminal.step(2, "A person gets the link by mail, because the reply to the agent has none")
    check("answer_token" not in pause, "the agent got what answers")
    mail = mailbox.next()
    check(mail.jti == pause["jti"], "the link belongs to another pause")
    terminal.fact("answer token", token_shown(mail.token))
    shown = client.post("/questions", {"answer_token": mail.token})
    expect(shown, 200)
    terminal.fact("POST /questions", str(shown.status))
    question = shown.document["payload"]["questions"][0]
    options = [(each["label"], each.get("description") or "") for each in question["options"]]
    chosen = terminal.choose(question["question"], options)
    return mail.token, question["id"], [label for label, _ in options], chosen


def _answer(client: Client, terminal: Terminal, answer: dict[str, Any]) -> dict[str, Any]:
    answered = client.post("/answers", answer)
    expect(answered, 200)
    terminal.line()
    terminal.fact("POST /answers", str(answered.status))
    check("turn" not in answered.document, "the person got the transcript")
    return answered.document


def _continue(client: Client, terminal: Terminal, transcript: Transcript, pause: dict[str, Any], chosen: str) -> None:
    terminal.step(3, "The agent fetches the answer and continues")
    fetched = client.post("/outcomes", {"pause_token": pause["pause_token"], "scope": SCOPE})
    expect(fetched, 200)
    outcome = fetched.document
    terminal.fact("POST /outcomes", str(fetched.status))
    check(outcome["response"]["answers"][0]["selections"] == [chosen], "the outcome has another answer")
    terminal.fact("answer", chosen)
    terminal.fact("known by", f"{text(outcome, 'assurance')}: the holder of a link that names no person")
    terminal.fact("answered at", text(outcome, "answered_at"))
    messages = outcome["turn"]["messages"]
    # As text: Python says that 1 equals 1.0, but a model provider may not.
    same = json.dumps(messages, sort_keys=True) == json.dumps(transcript.messages, sort_keys=True)
    check(same, "the returned messages differ from the recorded ones")
    terminal.fact("turn", f"{len(messages)} messages, equal to the recorded ones:")
    for message in messages:
        terminal.fact(f"  {message['role']}", message_shown(message))
    open_calls = outcome["turn"]["open_tool_call_ids"]
    check(open_calls == [], f"there are other open calls: {open_calls}")
    terminal.fact("answered call", f"{outcome['tool_call_id']}; no other call is open")
    check(outcome["tool_call_id"] == transcript.paused_call_id, "the answer belongs to another call")
