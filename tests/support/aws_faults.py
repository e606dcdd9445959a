"""Faults of AWS, put into a real client at botocore's own hooks; nothing of ours is replaced.

A client's retries, its parsing of errors and its types stay what they are in a deployment.
"""

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ReadTimeoutError

Call = tuple[str, dict[str, Any]]


@dataclass
class Calls:
    """Every call made through some clients from now on: the operation and its parameters."""

    made: list[Call] = field(default_factory=list)

    @classmethod
    def of(cls, *clients: Any) -> "Calls":
        calls = cls()
        for client in clients:
            client.meta.events.register("before-parameter-build", calls._note)
        return calls

    @property
    def operations(self) -> list[str]:
        return [operation for operation, _ in self.made]

    def _note(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        self.made.append((model.name, params))


@dataclass
class Attempts:
    """How many requests of one operation really left a client, its own retries included."""

    count: int = 0

    @classmethod
    def of(cls, client: Any, operation: str) -> "Attempts":
        attempts = cls()
        client.meta.events.register(f"before-send.{_service(client)}.{operation}", attempts._note)
        return attempts

    def _note(self, **_: Any) -> None:
        self.count += 1


@dataclass
class Refusals:
    """The codes of every refusal that a client gave to its caller, after its own retries."""

    codes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, client: Any) -> "Refusals":
        refusals = cls()
        client.meta.events.register("after-call", refusals._note)
        return refusals

    def _note(self, parsed: dict[str, Any], **_: Any) -> None:
        if "Error" in parsed:
            self.codes.append(parsed["Error"]["Code"])


def reply(client: Any, operation: str, *, status: int, body: str, headers: Mapping[str, str] | None = None) -> None:
    """Let every request of the operation get this reply from the wire; no emulator may be running."""

    def answer(request: Any, **_: Any) -> AWSResponse:
        return AWSResponse(request.url, status, HTTPHeaders.from_dict(dict(headers or {})), _Raw(body.encode()))

    client.meta.events.register_first(f"before-send.{_service(client)}.{operation}", answer)


def break_wire(client: Any, operation: str, error: Exception) -> None:
    """Let every request of the operation fail with this error before it leaves."""

    def fail(**_: Any) -> None:
        raise error

    client.meta.events.register_first(f"before-send.{_service(client)}.{operation}", fail)


def refuse(client: Any, operation: str, *, code: str, status: int, times: int = 1, **more: Any) -> None:
    """Let the service refuse the next calls of the operation without doing anything; `more` is in the response."""
    left = iter(range(times))

    def answer(**_: Any) -> tuple[AWSResponse, dict[str, Any]] | None:
        if next(left, None) is None:
            return None
        parsed = {"Error": {"Code": code, "Message": code}, "ResponseMetadata": {"HTTPStatusCode": status}, **more}
        return AWSResponse("", status, HTTPHeaders(), _Raw(b"")), parsed

    client.meta.events.register_first(f"before-call.{_service(client)}.{operation}", answer)


def lose_replies(client: Any, operation: str, *, times: int = 1) -> None:
    """Let the emulator do the next requests of the operation, and lose what it says."""
    left = iter(range(times))
    lost = f"before-send.{_service(client)}.{operation}"

    def lose(request: Any, event_name: str, **_: Any) -> None:
        if event_name == lost and next(left, None) is not None:
            raise ReadTimeoutError(endpoint_url=request.url)

    # Last of all that listen to every request: the emulator's own hook is one of them and has acted by now.
    client.meta.events.register_last("before-send", lose)


def _service(client: Any) -> str:
    return str(client.meta.service_model.service_id.hyphenize())


class _Raw(io.BytesIO):
    """A body as urllib3 gives it."""

    def stream(self, *_: Any, **__: Any) -> Iterator[bytes]:
        yield self.read()
