"""The demo as shell commands: curl, and python3 to read fields of the replies."""

from __future__ import annotations

import json
import shlex
from typing import Any, Final

from local.demo.story import Transcript, resume_request

_JSON: Final = "-H 'content-type: application/json'"
# After every reply, its status on a separate line.
_STATUS: Final = r"-w '\n%{http_code}\n\n'"
_PICK: Final = "import json, sys; document = json.load(sys.stdin); print({expression})"


def curl_lines(url: str) -> str:
    """Return the shell commands against `url`; each line can be pasted separately."""
    return "\n".join(
        (
            "# 1. An agent pauses (201). PAUSE is the reply; TOKEN and QUESTION are used below.",
            f"PAUSE=$(curl -sS {url}/pauses {_JSON} -d {_quoted(_pause())})",
            f"""TOKEN=$({_picked('document["pause_token"]')})""",
            f"""QUESTION=$({_picked('document["payload"]["questions"][0]["id"]')})""",
            f"""{_picked('json.dumps(dict(document, pause_token="...", answer_token="..."), indent=1)')}""",
            "",
            "# 2. Read the question (200). This does not consume the token.",
            f"""curl -sS {_STATUS} {url}/questions {_JSON} -d '{{"pause_token": "'"$TOKEN"'"}}'""",
            "",
            "# 3. Send an answer that is not an option: 422. The token can still be used.",
            _resume(url, "Maybe"),
            "",
            "# 4. Send the answer: 200, with the whole turn.",
            _resume(url, "Approve"),
            "",
            "# 5. Send the same answer again: 200, replayed.",
            _resume(url, "Approve"),
            "",
            "# 6. Send another answer: 409, with the time of the first answer.",
            _resume(url, "Reject"),
        )
    )


def _pause() -> dict[str, Any]:
    arguments = {
        "questions": [
            {
                "question": "Refund 49.90 EUR?",
                "header": "Refund",
                "options": [
                    {"label": "Approve", "description": "Pay it out"},
                    {"label": "Reject", "description": "Do nothing"},
                ],
            }
        ]
    }
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "ask_user", "arguments": json.dumps(arguments)},
    }
    return Transcript(
        paused_call_id="call_1",
        messages=[
            {"role": "user", "content": "Refund order A-1009, the box was crushed."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
        ],
    ).mint_request()


def _resume(url: str, label: str) -> str:
    # The shell variables must be outside the single quotes.
    body = _quoted(resume_request("$TOKEN", "$QUESTION", label))
    for name in ("$TOKEN", "$QUESTION"):
        body = body.replace(name, f"""'"{name}"'""")
    return f"curl -sS {_STATUS} {url}/resume {_JSON} -d {body}"


def _picked(expression: str) -> str:
    return f"""printf '%s' "$PAUSE" | python3 -c {shlex.quote(_PICK.format(expression=expression))}"""


def _quoted(body: dict[str, Any]) -> str:
    return shlex.quote(json.dumps(body))
