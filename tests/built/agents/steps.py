"""The steps of an example that a process can die at, and the effects that it has had.

A step is what leaves the process: a call to the deployment (`HttpTransport`), the writing of what the run waits for
(`keep` of the example) and the payment (`pay` of the example). `watched` ends the process before one of them, or after
one. To die after a step and before the next is the same, because nothing in between can be seen from outside.

An example has these two functions in its module, and calls them by their names:

    keep(tokens, state)           writes what the next process needs
    pay(provider, key, order)     the effect, once for each key: the file `paid-<key>` of the folder `provider`
"""

import itertools
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from askback.client.http_transport import HttpTransport
from askback.client.transport import Action, Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """A process ends by SIGKILL at its step with this number: before it, or after it."""

    step: int
    after: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What processes did, one line each. A line is written at once, so it outlives the process."""

    path: Path

    def write(self, kind: str, text: str) -> None:
        """Append a line."""
        opened = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            os.write(opened, f"{kind} {text}\n".encode())
        finally:
            os.close(opened)

    def of(self, kind: str) -> list[str]:
        """Return the texts of the lines of a kind."""
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        return [line.removeprefix(f"{kind} ") for line in lines if line.startswith(f"{kind} ")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A payment that waits: `arrived` says that the process is there, and reading `go` waits until it may pay."""

    arrived: int
    go: int


@contextmanager
def watched(
    example: ModuleType, record: Record, *, dies: Death | None = None, held: Held | None = None, keyed: bool = True
) -> Iterator[None]:
    """Record the steps of this process, and end it where `dies` says.

    Without `keyed`, the provider takes no idempotency key: each request is a payment.
    """
    pay = _provider(example.pay, record, held=held, keyed=keyed)
    around = partial(_step, record, dies, itertools.count())
    its_send = HttpTransport.send

    def send(transport: HttpTransport, action: Action, body: Any) -> Reply:
        reply: Reply = around(action.value, its_send)(transport, action, body)
        if action is Action.PAUSE:
            record.write("minted", str(reply.document.get("jti")))
        return reply

    with (
        patch.object(HttpTransport, "send", send),
        patch.object(example, "keep", around("keep", example.keep)),
        patch.object(example, "pay", around("pay", pay)),
    ):
        yield


def _step(
    record: Record, dies: Death | None, numbers: Iterator[int], name: str, call: Callable[..., Any]
) -> Callable[..., Any]:
    def run(*given: Any, **named: Any) -> Any:
        number = next(numbers)
        record.write("step", name)
        if dies == Death(step=number):
            os.kill(os.getpid(), signal.SIGKILL)
        result = call(*given, **named)
        if dies == Death(step=number, after=True):
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return run


def _provider(
    pay: Callable[[Path, str, str], None], record: Record, *, held: Held | None, keyed: bool
) -> Callable[[Path, str, str], None]:
    def run(provider: Path, key: str, order: str) -> None:
        if held is not None:
            os.write(held.arrived, b".")
            os.read(held.go, 1)
        new = not (keyed and (provider / f"paid-{key}").exists())
        if keyed:
            pay(provider, key, order)
        if new:
            record.write("paid", order)

    return run
