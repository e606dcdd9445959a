"""moto on a loopback port, so that all processes on this machine can use the same emulated AWS.

moto's own server needs Flask and a dozen more packages, so this is a small dispatcher. A request's
signature contains its service and region. From these the dispatcher restores the address that the
request would have on AWS, and passes it to moto. Other code can answer a request before moto does.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Final, Self

from botocore.awsrequest import AWSPreparedRequest
from botocore.compat import HTTPHeaders
from moto.core.base_backend import BackendDict
from moto.core.botocore_stubber import BotocoreStubber

from local.emulated import atomic_moto
from local.emulated.http_events import Request, Response

LOOPBACK: Final = "127.0.0.1"
_SCOPE = re.compile(r"Credential=[^/]+/\d{8}/(?P<region>[a-z0-9-]+)/(?P<service>[a-z0-9-]+)/")
# The service name in the signature is the first part of the host name, except for these services.
_HOSTS: Final = {"ses": "email"}
# The streams of tables are signed as the service of the tables, and have a host of their own.
_STREAMS: Final = "DynamoDBStreams_"
_API_SERVICE: Final = "execute-api"
# This server sets these headers itself; moto's values would contradict them.
_OWN_HEADERS = frozenset({"connection", "content-length", "status", "transfer-encoding"})

Reply = tuple[int, dict[str, object], bytes]
"""Status, headers and body."""
Answerer = Callable[[str, bytes], Reply | None]
"""Takes the path and the body of a request to one service; None leaves it to moto."""
_answerers: list[tuple[str, Answerer]] = []


@contextmanager
def answering(service: str, answerer: Answerer) -> Iterator[None]:
    """Let `answerer` answer the requests to a service (by its signing name) before moto, until the context ends."""
    entry = (service, answerer)
    _answerers.append(entry)
    try:
        yield
    finally:
        _answerers.remove(entry)


def answer_signed(request: Request) -> Response | None:
    """Answer a request that is signed for an AWS service; None for one without a signature, and for our own API.

    So the address of our API is an endpoint of the emulated AWS too.
    """
    scope = _SCOPE.search(request.header("authorization") or "")
    if scope is None or scope["service"] == _API_SERVICE:
        return None
    status, headers, body = _answer(request.method, request.target, request.headers, request.body)
    own = _OWN_HEADERS - ({"content-length"} if request.method == "HEAD" else set())
    kept = {name.lower(): str(value) for name, value in headers.items() if name.lower() not in own}
    return Response(status=status, headers=kept, body=body)


def _answer(method: str, target: str, given: Iterable[tuple[str, str]], body: bytes) -> Reply:
    """Answer one request to a service of AWS; its signature says which."""
    sent = list(given)
    scope = _SCOPE.search(next((value for name, value in sent if name.lower() == "authorization"), ""))
    if scope is None:
        return 403, {}, b"the request is not signed, so its service is not known"
    for name, answerer in _answerers:
        if name == scope["service"] and (own := answerer(target, body)) is not None:
            return own
    streams = any(name.lower() == "x-amz-target" and value.startswith(_STREAMS) for name, value in sent)
    service = "streams.dynamodb" if streams else _HOSTS.get(scope["service"], scope["service"])
    host = f"{service}.{scope['region']}.amazonaws.com"
    headers = HTTPHeaders()
    for name, value in sent:
        headers[name] = host if name.lower() == "host" else value
    request = AWSPreparedRequest(
        method=method,
        url=f"https://{host}{target}",
        headers=headers,
        body=body,
        stream_output=False,
    )
    answer = BotocoreStubber().process_request(request)
    if answer is None:
        return 404, {}, b"the emulator does not have this service"
    status, answer_headers, answer_body = answer
    raw = answer_body.encode() if isinstance(answer_body, str) else bytes(answer_body)
    return status, dict(answer_headers), raw


class Emulator:
    """An empty AWS at `endpoint`, while the context is open.

    A process has one moto, so it can have one emulator at a time. Opening the context deletes all data of moto.
    `host` is the address to listen on: the loopback address, unless containers must reach the emulator.
    """

    def __init__(self, host: str = LOOPBACK) -> None:
        self._host = host
        self._server = _Server((host, 0), _Dispatcher)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def endpoint(self) -> str:
        """The value for AWS_ENDPOINT_URL."""
        return f"http://{self._host}:{self._server.server_port}"

    def __enter__(self) -> Self:
        atomic_moto.install()
        BackendDict.reset()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        BackendDict.reset()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class _Dispatcher(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body are two writes; with Nagle's algorithm the second waits for an acknowledgement.
    disable_nagle_algorithm = True

    def _dispatch(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._reply(*_answer(self.command, self.path, self.headers.items(), body))

    def _reply(self, status: int, headers: dict[str, object], body: bytes) -> None:
        self.send_response(status)
        length = str(len(body))
        for name, value in headers.items():
            if name.lower() not in _OWN_HEADERS:
                self.send_header(name, str(value))
            elif name.lower() == "content-length" and self.command == "HEAD":
                length = str(value)
        self.send_header("Content-Length", length)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _dispatch  # noqa: N815  the names http.server calls

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its name
        """Log nothing: one line for each AWS call would hide the program's own output."""
