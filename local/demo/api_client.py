"""A small client of the HTTP API: it sends JSON and returns the status and the JSON reply."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A reply; `document` is the result or the problem, depending on the status."""

    status: int
    document: dict[str, Any]

    @property
    def code(self) -> str:
        """The problem's code; empty for a result."""
        return str(self.document.get("code", ""))


class Client:
    """Calls one API, with a new connection for each request; `patience_seconds` is the timeout of a reply."""

    def __init__(self, url: str, *, patience_seconds: float = 30) -> None:
        self._address = urlsplit(url).netloc
        self._patience_seconds = patience_seconds

    def post(self, path: str, body: dict[str, Any]) -> Answer:
        """Send an object and return the reply."""
        return self.send("POST", path, body)

    def send(self, method: str, target: str, body: dict[str, Any] | None = None) -> Answer:
        """Send a request, with or without an object, and return the reply."""
        content = None if body is None else json.dumps(body)
        headers = {} if body is None else {"content-type": "application/json"}
        connection = http.client.HTTPConnection(self._address, timeout=self._patience_seconds)
        try:
            connection.request(method, target, content, headers)
            response = connection.getresponse()
            return Answer(status=response.status, document=json.loads(response.read()))
        finally:
            connection.close()
