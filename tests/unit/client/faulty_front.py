"""A front before the local API that does to a request what it was told to, and notes what was sent."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import urlsplit

Forward = Callable[[], tuple[int, dict[str, str], bytes]]
Fault = Callable[[Forward], tuple[int, dict[str, str], bytes] | None]
"""Takes a way to let the request through; returns what is sent back, or None to hang up."""


def reply_lost(forward: Forward) -> None:
    """Let the request happen, and hang up."""
    forward()


def request_lost(forward: Forward) -> None:
    """Hang up at once."""


def saying(status: int, body: bytes = b'{"message":"x"}', **headers: str) -> Fault:
    """Answer without letting the request through."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda forward: (status, {"content-type": "application/json", **named}, body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A request as it came in; header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class FaultyFront:
    """Passes requests on to `target`, but each next one through the next of `faults` while there are any."""

    target: str
    faults: list[Fault] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)

    def __post_init__(self) -> None:
        handler = type("Handler", (_Handler,), {"front": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def calm(self) -> None:
        """Let everything through again."""
        self.faults.clear()
        self.sent.clear()

    def forward(self, sent: Sent) -> tuple[int, dict[str, str], bytes]:
        """Send a request on and return what came back."""
        connection = http.client.HTTPConnection(urlsplit(self.target).netloc, timeout=30)
        try:
            connection.request("POST", sent.path, sent.body, {"content-type": "application/json"})
            response = connection.getresponse()
            kept = {name: value for name, value in response.headers.items() if name in ("content-type", "retry-after")}
            return response.status, kept, response.read()
        finally:
            connection.close()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *details: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    front: FaultyFront
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        sent = Sent(path=self.path, headers={k.lower(): v for k, v in self.headers.items()}, body=body)
        self.front.sent.append(sent)
        fault = self.front.faults.pop(0) if self.front.faults else None
        told = fault(lambda: self.front.forward(sent)) if fault else self.front.forward(sent)
        self.close_connection = True
        if told is None:
            return
        status, headers, content = told
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(content)), "connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its name
        """Say nothing."""
