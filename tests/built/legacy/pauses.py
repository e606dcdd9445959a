"""What the legacy engine left behind: its pauses with their tokens, the exports, and what its own stores say."""

import base64
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.cutover_deployment import SECRET

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ".venv-legacy/bin/python"
SCOPE = {"tenant_id": "acme", "sub_tenant_id": "eu"}


@dataclass(frozen=True, kw_only=True)
class LegacyPause:
    """One pause of the engine: its token, what was asked, and the text that it hashed or would have stored."""

    label: str
    name: str
    token: str
    payload: dict[str, Any]
    text: str

    @property
    def claims(self) -> dict[str, Any]:
        body = self.token.split(".")[1]
        claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        return claims

    @property
    def key(self) -> str:
        """The frozen key, written out."""
        if self.name == "ask_user":
            return f"ask_user_request:{self.claims['tool_call_id']}"
        return f"interrupt_payload:{self.claims['interrupt_id']}"

    def response(self, *, agreed: bool = True) -> dict[str, Any]:
        if self.name != "ask_user":
            return {"approved": agreed}
        question = self.payload["questions"][0]["id"]
        return {"answers": [{"question_id": question, "selections": ["Approve" if agreed else "Reject"]}]}

    def body(self, **over: Any) -> dict[str, Any]:
        """Return the direct invocation that answers it."""
        return {
            "action": "answer",
            "pause_token": self.token,
            "scope": SCOPE,
            "response": self.response(),
            "answerer": "ada",
            **over,
        }


@dataclass(kw_only=True)
class LeftBehind:
    """Everything of one run of the engine; `recorded` is what it filed under its keys by itself."""

    pauses: list[LegacyPause] = field(default_factory=list)
    recorded: dict[str, str] = field(default_factory=dict)
    requests: list[dict[str, str]] = field(default_factory=list)
    documents: list[dict[str, Any]] = field(default_factory=list)
    collection: str = ""

    def pause(self, label: str, name: str = "ask_user") -> LegacyPause:
        (found,) = [pause for pause in self.pauses if (pause.label, pause.name) == (label, name)]
        return found


def left_behind(saver: str, *, consuming: str = "") -> LeftBehind:
    """Run the engine over a saver, then the exporter, each as a process in the engine's own environment."""
    left = LeftBehind()
    for line in _lines([str(ROOT / "tests/built/legacy/engine.py"), saver, *filter(None, [consuming])]):
        match line:
            case {"recorded": key, "text": text}:
                left.recorded[key] = text
            case {"export": request}:
                left.requests.append(request)
            case {"collection": name, "document": document}:
                left.collection = name
                left.documents.append(document)
            case _:
                left.pauses.append(LegacyPause(**line))
    if saver != "memory":
        left.requests = _lines(
            ["-m", "askback.cutover", "export-requests", "--saver", "engine:saver"], LEGACY_SAVER=saver
        )
    return left


def _lines(arguments: list[str], **environment: str) -> list[dict[str, Any]]:
    assert PYTHON.exists(), "make .venv-legacy/.ready installs the legacy engine"
    path: Mapping[str, str] = {"PYTHONPATH": f"{ROOT / 'layers/core'}{os.pathsep}{ROOT / 'tests/built/legacy'}"}
    ran = subprocess.run(
        [PYTHON, "-W", "ignore", *arguments],
        env={**os.environ, **path, **environment, "JWT_SECRET": SECRET},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]
