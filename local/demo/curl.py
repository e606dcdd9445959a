"""The demo as shell commands: curl, and python3 to read fields of the replies."""

from __future__ import annotations

import json
import shlex
from typing import Any, Final

from local.demo.story import SCOPE, Transcript, resume_request
from local.emulated import clock

_JSON: Final = "-H 'content-type: application/json'"
# The status goes to standard error: standard output has only the reply, for the program that indents it.
_STATUS: Final = r"-w '%{stderr}%{http_code}\n'"
_READABLE: Final = "| python3 -m json.tool --no-ensure-ascii --indent 2"
_PICK: Final = "import json, sys; document = json.load(sys.stdin); print({expression})"
_WITHOUT_TOKENS: Final = (
    'json.dumps({name: "..." if "token" in name else document[name] for name in document}, indent=2)'
)
_QUESTION: Final = 'document["payload"]["questions"][0]["id"] if "payload" in document else ""'

_DEFAULT_ANSWER: Final = {
    # The least that `make serve` takes with a default answer; a deployment takes 300 by default.
    "ttl_seconds": 30,
    "on_expiry": {"policy": "default", "response": {"answers": [{"selections": ["Reject"]}]}},
}


def curl_lines(url: str) -> str:
    """Return the shell commands against `url`; each line can be pasted separately."""
    return "\n".join(
        (
            "# 1. An agent pauses (201). PAUSE is the reply; TOKEN and QUESTION are used below.",
            *_ask(url, _pause()),
            f"QUESTION=$({_picked(_QUESTION)})",
            "",
            "# 2. Read the question (200). This does not consume the token.",
            _post(f"{url}/questions", _with_variables({"pause_token": "$TOKEN"})),
            "",
            "# 3. A backend sends an answer that is not an option: 422. The token can still be used.",
            _resume(url, "Maybe"),
            "",
            "# 4. The backend sends the answer: 200, with the whole turn. On AWS its role is not that of the agent.",
            _resume(url, "Approve"),
            "",
            "# 5. The backend sends the same answer again: 200, replayed.",
            _resume(url, "Approve"),
            "",
            "# 6. The backend sends another answer: 409, with the time of the first answer.",
            _resume(url, "Reject"),
            "",
            "# 7. Another agent pauses (201). After 30 seconds without an answer, the default answer counts.",
            *_ask(url, _pause() | {"run_id": "run-2"} | _DEFAULT_ANSWER),
            "",
            "# 8. Move the clock instead of waiting (200): the sweep ends the pause.",
            _post(f"{url}{clock.PATH}", _quoted({clock.FIELD: 60})),
            "",
            "# 9. The agent reads the outcome (200): Reject, by policy.",
            _post(f"{url}/outcomes", _with_variables({"pause_token": "$TOKEN", "scope": SCOPE})),
        )
    )


def _ask(url: str, body: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"PAUSE=$(curl -sS {_STATUS} {url}/pauses {_JSON} -d {_quoted(body)})",
        _picked(_WITHOUT_TOKENS),
        "TOKEN=$(" + _picked('document.get("pause_token", "")') + ")",
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
    return _post(f"{url}/resume", _with_variables(resume_request("$TOKEN", "$QUESTION", label)))


def _post(url: str, body: str) -> str:
    return f"curl -sS {_STATUS} {url} {_JSON} -d {body} {_READABLE}"


def _with_variables(body: dict[str, Any]) -> str:
    # The shell variables must be outside the single quotes.
    quoted = _quoted(body)
    for name in ("$TOKEN", "$QUESTION"):
        quoted = quoted.replace(name, f"""'"{name}"'""")
    return quoted


def _picked(expression: str) -> str:
    return f"""printf '%s' "$PAUSE" | python3 -c {shlex.quote(_PICK.format(expression=expression))}"""


def _quoted(body: dict[str, Any]) -> str:
    return shlex.quote(json.dumps(body))
