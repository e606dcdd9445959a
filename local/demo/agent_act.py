"""The demo's agent: it pauses, you answer, it goes on with its whole turn."""

from __future__ import annotations

import json
from typing import Any

from local.demo.api_client import Client
from local.demo.checks import check, expect, text
from local.demo.story import Transcript, resume_request
from local.demo.terminal import Terminal, message_shown, token_shown


def tell(url: str, terminal: Terminal) -> str:
    """Go through the story once, against the API at `url`, and return the answer that was taken."""
    client = Client(url)
    transcript = Transcript.refund()
    pause = _pause(client, terminal, transcript)
    question, labels, taken = _ask(client, terminal, pause)
    answer = resume_request(pause["pause_token"], question, taken)
    receipt = _resume(client, terminal, transcript, answer, taken)

    other = next(label for label in labels if label != taken)
    terminal.step(4, f"Somebody answers again, with {other}")
    refused = client.post("/resume", resume_request(pause["pause_token"], question, other))
    expect(refused, 409, "already-answered")
    terminal.fact("POST /resume", f"{refused.status} {refused.code}")
    terminal.fact("answered at", text(refused.document, "answered_at"))
    check(refused.document["answered_at"] == receipt["answered_at"], "the refusal tells another time")

    terminal.step(5, f"The first answer is sent again: {taken}")
    replay = client.post("/resume", answer)
    expect(replay, 200)
    terminal.fact("POST /resume", f"{replay.status}, the first receipt again")
    check(replay.document.get("replayed") is True, "the same answer again was not replayed")
    check(replay.document["answered_at"] == receipt["answered_at"], "the replay tells another time")
    return taken


def _pause(client: Client, terminal: Terminal, transcript: Transcript) -> dict[str, Any]:
    terminal.step(1, "The agent pauses")
    minted = client.post("/pauses", transcript.mint_request())
    expect(minted, 201)
    pause = minted.document
    terminal.fact("POST /pauses", str(minted.status))
    terminal.fact("pause", text(pause, "jti"))
    terminal.fact("token", token_shown(text(pause, "pause_token")))
    terminal.fact("good until", text(pause, "expires_at"))
    terminal.fact("recorded", f"{len(transcript.messages)} messages of the paused turn")
    check(pause.get("resumable") is True, "the turn was not recorded")
    return pause


def _ask(client: Client, terminal: Terminal, pause: dict[str, Any]) -> tuple[str, list[str], str]:
    terminal.step(2, "A person is asked")
    shown = client.post("/questions", {"pause_token": pause["answer_token"]})
    expect(shown, 200)
    terminal.fact("POST /questions", str(shown.status))
    question = shown.document["payload"]["questions"][0]
    options = [(each["label"], each.get("description") or "") for each in question["options"]]
    taken = terminal.choose(question["question"], options)
    return question["id"], [label for label, _ in options], taken


def _resume(
    client: Client, terminal: Terminal, transcript: Transcript, answer: dict[str, Any], taken: str
) -> dict[str, Any]:
    terminal.step(3, "The agent goes on")
    resumed = client.post("/resume", answer)
    expect(resumed, 200)
    outcome = resumed.document
    terminal.fact("POST /resume", str(resumed.status))
    terminal.fact("answer", taken)
    terminal.fact("answered at", text(outcome, "answered_at"))
    messages = outcome["turn"]["messages"]
    # As text: 1 and 1.0 are equal to Python and not to a provider.
    same = json.dumps(messages, sort_keys=True) == json.dumps(transcript.messages, sort_keys=True)
    check(same, "the messages that came back are not those that were recorded")
    terminal.fact("turn", f"{len(messages)} messages, equal to those recorded:")
    for message in messages:
        terminal.fact(f"  {message['role']}", message_shown(message))
    open_calls = outcome["turn"]["open_tool_call_ids"]
    check(open_calls == [], f"calls are open beside the answered one: {open_calls}")
    terminal.fact("answers call", f"{outcome['tool_call_id']}; no other call is open")
    check(outcome["tool_call_id"] == transcript.paused_call_id, "the answer belongs to another call")
    return outcome
