"""The wire between the functions and AWS, which can be hurt at one call.

Everything is done at botocore's own hooks, on the session that the functions' clients are made from, so that a call
which is added to the product later is found, counted and hurt like the others.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from botocore.exceptions import EndpointConnectionError, ReadTimeoutError
from botocore.httpsession import URLLib3Session
from botocore.session import Session

from askback.adapters.aws import clients

ATTEMPTS = 3


class Fault(StrEnum):
    """What happens to one call."""

    REFUSED = "fails before it happens"
    REPLY_LOST = "happens, and its first reply is lost"
    REPLIES_LOST = "happens, and every reply is lost"
    DEATH = "happens, and the process dies right after"


class Died(BaseException):
    """The end of the process: nothing catches it, and nothing after it runs."""


class _OneClientEach(Session):
    """A session that makes each client once: making one takes longer than all its calls, and it keeps no state."""

    def __init__(self) -> None:
        super().__init__()
        # With the configuration itself: a later one could have the id of one that no longer exists.
        self._made: dict[tuple[str, int], tuple[Any, Any]] = {}

    def create_client(self, service_name: str, *details: Any, **more: Any) -> Any:
        config = more.get("config")
        key = (service_name, id(config))
        if key not in self._made:
            self._made[key] = (config, super().create_client(service_name, *details, **more))
        return self._made[key][1]


@dataclass
class Wire:
    """Counts the calls of the product's clients; hurts the `target`-th, if there is one.

    A call stays in one thread, so each thread keeps which call it is in.
    """

    fault: Fault | None = None
    target: int = -1
    calls: list[str] = field(default_factory=list)
    deliveries: list[dict[str, Any]] = field(default_factory=list)
    hurt: str = ""
    _here: threading.local = field(default_factory=threading.local)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._session = _OneClientEach()
        events = self._session.get_component("event_emitter")
        events.register("before-call", self._begin)
        events.register("before-send", self._send)
        events.register_first("needs-retry", self._at_once)

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Let every client that the product makes run over this wire, until leaving."""
        clients.default_session = self._session
        try:
            yield
        finally:
            clients.default_session = None

    def rearm(self, fault: Fault | None = None, target: int = -1) -> None:
        """Forget what was and hurt another call."""
        self.fault, self.target, self.hurt = fault, target, ""
        self.calls, self.deliveries = [], []

    def outcomes_of(self, token: str) -> list[str]:
        """Return every outcome that was sent to a task, whatever became of it."""
        return [sent.get("output") or sent["cause"] for sent in self.deliveries if sent["taskToken"] == token]

    def _begin(self, model: Any, params: Any, **_: Any) -> None:
        with self._lock:
            self._here.call = len(self.calls)
            self.calls.append(model.name)
            if model.name in ("SendTaskSuccess", "SendTaskFailure"):
                self.deliveries.append(json.loads(params["body"]))
        self._here.attempt = 0

    def _send(self, request: Any, **_: Any) -> None:
        self._here.attempt += 1
        if self.fault is None or self._here.call != self.target:
            return
        self.hurt = self.calls[self.target]
        if self.fault is Fault.REFUSED:
            raise EndpointConnectionError(endpoint_url=request.url)
        if self.fault is Fault.REPLY_LOST and self._here.attempt > 1:
            return
        URLLib3Session().send(request)
        if self.fault is Fault.DEATH:
            raise Died
        raise ReadTimeoutError(endpoint_url=request.url)

    def _at_once(self, operation: Any, attempts: int, caught_exception: Any = None, **_: Any) -> int | None:
        # The clients' own number of tries, without the pauses between them. Deliveries are tried once.
        tries = 1 if operation.name.startswith(_DELIVERIES) else ATTEMPTS
        return 0 if caught_exception is not None and attempts < tries else None


_DELIVERIES = ("SendTask", "Invoke", "SendDurable")
