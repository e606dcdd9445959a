"""What the handlers' AWS clients do, counted, and broken where a test says so."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import ClientError

from askback.adapters.aws import clients


class Probe:
    """Hears of every AWS call of clients that are made while it is installed, retries not counted apart.

    `calls` names the operations in the order they were begun.
    """

    def __init__(self) -> None:
        self.calls: list[str] = []
        self._before: Mapping[str, BaseException] = {}
        self._after: Mapping[str, BaseException] = {}
        self._overtaking: dict[str, Callable[[], object]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Make every client of the product tell this probe, until leaving."""
        clients.default_session = clients.new_session()
        events = clients.default_session.get_component("event_emitter")
        events.register("before-call", self._begin)
        events.register("after-call", self._end)
        try:
            yield
        finally:
            clients.default_session = None

    @contextmanager
    def counting(self) -> Iterator[list[str]]:
        """Give the calls that are made until leaving."""
        counted: list[str] = []
        self.calls = counted
        yield counted

    @contextmanager
    def failing(self, **errors: BaseException) -> Iterator[None]:
        """Let the named operations fail instead of being sent."""
        self._before = errors
        try:
            yield
        finally:
            self._before = {}

    @contextmanager
    def losing_replies(self, **errors: BaseException) -> Iterator[None]:
        """Let the named operations fail after the service did what they say."""
        self._after = errors
        try:
            yield
        finally:
            self._after = {}

    @contextmanager
    def overtaken(self, operation: str, act: Callable[[], object]) -> Iterator[None]:
        """Let something happen once, right before the named operation is sent."""
        self._overtaking = {operation: act}
        try:
            yield
        finally:
            assert not self._overtaking, f"no {operation} was sent"

    def _begin(self, *, model: Any, **_: Any) -> None:
        with self._lock:
            self.calls.append(model.name)
        if model.name in self._before:
            raise self._before[model.name]
        if act := self._overtaking.pop(model.name, None):
            act()

    def _end(self, *, model: Any, **_: Any) -> None:
        if model.name in self._after:
            raise self._after[model.name]


def aws_error(code: str, *, status: int = 400, operation: str = "Operation") -> ClientError:
    """Return what boto3 raises when a service answers with this error."""
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}, operation)  # type: ignore[typeddict-item]
