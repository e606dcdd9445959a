"""The gateway as an HTTP server on a port of the loopback address."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

from local.emulated.gateway import Gateway
from local.emulated.http_events import Request, Response

HOST: Final = "127.0.0.1"
REQUEST_LIMIT_BYTES: Final = 10 * 1024 * 1024
# How much of a body over the limit is read and discarded: a caller that is still sending then
# reads the refusal instead of a broken connection.
_DRAIN_LIMIT_BYTES: Final = 8 * REQUEST_LIMIT_BYTES
_CHUNK_BYTES: Final = 64 * 1024


Route = Callable[[Request], Response | None]
"""Answers a request; None leaves it to the next route."""


class PortUnavailableError(Exception):
    """The server cannot listen on the port; usually another program uses it."""


class Front:
    """The gateway on a port of the loopback address; port 0 means any free port.

    The constructor opens the port, so that the functions can use its address before it serves. Entering the context
    starts the server. Raises PortUnavailableError when the port cannot be opened.
    """

    def __init__(self, port: int = 0) -> None:
        self._handler: type[_Handler] = type("Handler", (_Handler,), {})
        try:
            self._server = _Server((HOST, port), self._handler)
        except OSError as error:
            reason = error.strerror or str(error)
            raise PortUnavailableError(f"cannot listen on {HOST}:{port}: {reason}") from error
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self._server.server_port}"

    def lead_to(self, gateway: Gateway, *, before: tuple[Route, ...] = ()) -> Self:
        """Set the gateway that answers, and what can answer before it; call this before entering the context."""
        self._handler.gateway = gateway
        self._handler.before = before
        return self

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self.close()
        self._thread.join()

    def close(self) -> None:
        """Close the port; needed only when the server never started."""
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    gateway: Gateway
    before: tuple[Route, ...]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _serve(self) -> None:
        if "chunked" in (self.headers.get("Transfer-Encoding") or "").lower():
            self.close_connection = True
            self._reply(Response.of_gateway(411, "Length Required"))
            return
        length = self.headers.get("Content-Length") or "0"
        if not length.isdecimal():
            self.close_connection = True
            self._reply(Response.of_gateway(400, "Bad Request"))
            return
        if int(length) > REQUEST_LIMIT_BYTES:
            self._drain(int(length))
            self.close_connection = True
            self._reply(Response.of_gateway(413, "Request Entity Too Large"))
            return
        request = Request(
            method=self.command,
            target=self.path,
            headers=tuple(self.headers.items()),
            body=self.rfile.read(int(length)),
            source_ip=self.client_address[0],
        )
        if not _names_this_machine(request.header("host")):
            self._reply(Response.of_gateway(403, "Forbidden"))
            return
        own = (response for route in self.before if (response := route(request)) is not None)
        self._reply(next(own, None) or self.gateway.answer(request))

    def _drain(self, length: int) -> None:
        left = min(length, _DRAIN_LIMIT_BYTES)
        while left > 0 and (chunk := self.rfile.read(min(left, _CHUNK_BYTES))):
            left -= len(chunk)

    def _reply(self, response: Response) -> None:
        self.send_response(response.status)
        for name, value in response.headers.items():
            if name != "content-length":
                self.send_header(name, value)
        for cookie in response.cookies:
            self.send_header("set-cookie", cookie)
        if self.close_connection:
            self.send_header("connection", "close")
        if response.status != 204:
            # The reply to HEAD has no body, and the emulated S3 says the length of what it leaves out.
            said = response.headers.get("content-length") if self.command == "HEAD" else None
            self.send_header("content-length", said or str(len(response.body)))
        self.end_headers()
        if self.command != "HEAD" and response.status != 204:
            self.wfile.write(response.body)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _serve  # noqa: N815  the names http.server calls

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its name
        """Log nothing: the functions log their requests."""


def _names_this_machine(host: str | None) -> bool:
    """Return whether a request is for this machine by its own name.

    A web page can let a name of its own lead to the loopback address, and then read what this server answers to its
    scripts. A real gateway, too, refuses a host that is not one of its own.
    """
    if host is None:
        return True
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return name in (HOST, "::1", "localhost") or name.endswith(".localhost")
