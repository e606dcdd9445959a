"""The demo: an agent pauses, you answer, the agent goes on with its whole turn.

    python -m local.run

Exit status 0 means that everything was as it should be; 1 that something was not, and says what.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from local.client import Answer, Client
from local.front import PortUnavailableError
from local.options import read_options
from local.stack import Stack
from local.story import Transcript, resume_request
from local.template import TemplateError
from local.terminal import NoAnswerError, Terminal, message_shown, token_shown


class DemoError(Exception):
    """Something is not as it should be."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo on this process's terminal and return its exit status."""
    options = read_options(
        arguments,
        program="local.run",
        description="Run the whole deployment on this machine and answer one question.",
        default_port=0,
    )
    # Taken before the stack starts: from then on standard output is where handlers log to.
    terminal = Terminal(sys.stdin, sys.stdout)
    try:
        with Stack(port=options.port, parameters=options.parameters) as stack:
            tell(stack.url, terminal)
    except (PortUnavailableError, TemplateError) as error:
        print(f"askback: {error}", file=sys.stderr)
        return 1
    except DemoError as error:
        terminal.line()
        print(f"askback: not as it should be: {error}", file=sys.stderr)
        return 1
    except (NoAnswerError, KeyboardInterrupt):
        terminal.line()
        print("askback: no answer given", file=sys.stderr)
        return 1
    return 0


def tell(url: str, terminal: Terminal) -> None:
    """Go through the story once, against the API at `url`; raises DemoError where it departs."""
    client = Client(url)
    transcript = Transcript.refund()
    terminal.line(f"askback on this machine at {url}: emulated AWS, the real functions.")

    pause = _pause(client, terminal, transcript)
    question, labels, taken = _ask(client, terminal, pause)
    answer = resume_request(pause["pause_token"], question, taken)
    receipt = _resume(client, terminal, transcript, answer, taken)

    other = next(label for label in labels if label != taken)
    terminal.step(4, f"Somebody answers again, with {other}")
    refused = client.post("/resume", resume_request(pause["pause_token"], question, other))
    _expect(refused, 409, "already-answered")
    terminal.fact("POST /resume", f"{refused.status} {refused.code}")
    terminal.fact("answered at", _text(refused.document, "answered_at"))
    _check(refused.document["answered_at"] == receipt["answered_at"], "the refusal tells another time")

    terminal.step(5, f"The first answer is sent again: {taken}")
    replay = client.post("/resume", answer)
    _expect(replay, 200)
    terminal.fact("POST /resume", f"{replay.status}, the first receipt again")
    _check(replay.document.get("replayed") is True, "the same answer again was not replayed")
    _check(replay.document["answered_at"] == receipt["answered_at"], "the replay tells another time")

    terminal.line()
    terminal.line("Everything was as it should be.")


def _pause(client: Client, terminal: Terminal, transcript: Transcript) -> dict[str, Any]:
    terminal.step(1, "The agent pauses")
    minted = client.post("/pauses", transcript.mint_request())
    _expect(minted, 201)
    pause = minted.document
    terminal.fact("POST /pauses", str(minted.status))
    terminal.fact("pause", _text(pause, "jti"))
    terminal.fact("token", token_shown(_text(pause, "pause_token")))
    terminal.fact("good until", _text(pause, "expires_at"))
    terminal.fact("recorded", f"{len(transcript.messages)} messages of the paused turn")
    _check(pause.get("resumable") is True, "the turn was not recorded")
    return pause


def _ask(client: Client, terminal: Terminal, pause: dict[str, Any]) -> tuple[str, list[str], str]:
    terminal.step(2, "A person is asked")
    shown = client.post("/questions", {"pause_token": pause["answer_token"]})
    _expect(shown, 200)
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
    _expect(resumed, 200)
    outcome = resumed.document
    terminal.fact("POST /resume", str(resumed.status))
    terminal.fact("answer", taken)
    terminal.fact("answered at", _text(outcome, "answered_at"))
    messages = outcome["turn"]["messages"]
    # As text: 1 and 1.0 are equal to Python and not to a provider.
    same = json.dumps(messages, sort_keys=True) == json.dumps(transcript.messages, sort_keys=True)
    _check(same, "the messages that came back are not those that were recorded")
    terminal.fact("turn", f"{len(messages)} messages, equal to those recorded:")
    for message in messages:
        terminal.fact(f"  {message['role']}", message_shown(message))
    open_calls = outcome["turn"]["open_tool_call_ids"]
    _check(open_calls == [], f"calls are open beside the answered one: {open_calls}")
    terminal.fact("answers call", f"{outcome['tool_call_id']}; no other call is open")
    _check(outcome["tool_call_id"] == transcript.paused_call_id, "the answer belongs to another call")
    return outcome


def _expect(answer: Answer, status: int, code: str = "") -> None:
    if (answer.status, answer.code) != (status, code):
        wanted = f"{status} {code}".strip()
        raise DemoError(f"{wanted} was due, {answer.status} {answer.code} came: {answer.document}")


def _check(holds: bool, complaint: str) -> None:
    if not holds:
        raise DemoError(complaint)


def _text(document: dict[str, Any], name: str) -> str:
    value = document.get(name)
    if not isinstance(value, str) or not value:
        raise DemoError(f"the answer has no {name}")
    return value


if __name__ == "__main__":
    raise SystemExit(main())
