"""What the functions write while a test runs, and the texts that must never stand in it."""

import json
from typing import Any

from tests.support.function_deployment import Deployment
from tests.support.request_bodies import a_mint, a_question

ASKED, LABEL, SAID, HEARD = "Wire 1,000,000 to Luzern", "Zugestimmt", "meine-geheime-antwort", "geheimes-gespraech"


QUESTION = a_question(question=ASKED, options=[{"label": LABEL}, {"label": "Nein"}], allow_other=True)


class Recorded:
    """What was written since it was made, and the secrets that must not stand there."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._start = len(deployment.output.getvalue())
        self.secrets = [ASKED, LABEL, SAID, HEARD]
        ring = json.loads(deployment.key_ring)
        self.secrets += [value for name, value in ring.items() if name.startswith("key:")]

    @property
    def text(self) -> str:
        return self._deployment.output.getvalue()[self._start :]

    def keep(self, minted: dict[str, Any]) -> None:
        for name in ("pause_token", "answer_token"):
            self.secrets += [minted[name], *minted[name].split(".")[1:]]

    def entries(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines() if line.startswith("{")]

    def require_clean(self) -> None:
        assert self.text
        found = [secret for secret in self.secrets if secret in self.text]
        assert not found, self.text


def a_secret_mint(**over: Any) -> dict[str, Any]:
    return a_mint(
        payload={"questions": [QUESTION]}, messages=[{"role": "user", "content": HEARD}], prompt=HEARD, **over
    )
