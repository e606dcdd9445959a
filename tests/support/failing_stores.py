"""Stores that fail as real ones do: in part, with a body lost or damaged, or because the process was killed."""

from dataclasses import dataclass, field
from typing import Any

from askback.domain.pause.ledger import LedgerRow
from askback.testing.memory_ledger import InMemoryLedger
from askback.testing.memory_ports import InMemoryCheckpoints, InMemoryText


class KilledError(Exception):
    """The process ended here."""


@dataclass(frozen=True)
class LostText(InMemoryText):
    """A record whose body cannot be read."""

    error: Exception = field(default_factory=LookupError)

    async def read(self) -> str:
        raise self.error


class PartlyFailingCheckpoints(InMemoryCheckpoints):
    """Checkpoints where the keys of one kind cannot be written, or their bodies not read."""

    def __init__(self) -> None:
        super().__init__()
        self.write_errors: dict[str, Exception] = {}
        self.body_errors: dict[str, Exception] = {}

    async def write(self, *, key: str, **rest: Any) -> None:
        if (error := self.write_errors.get(_kind(key))) is not None:
            raise error
        await super().write(key=key, **rest)

    async def read(self, *, key: str, **rest: Any) -> InMemoryText | None:
        recorded = await super().read(key=key, **rest)
        error = self.body_errors.get(_kind(key))
        return recorded if error is None else LostText("", error)


def _kind(key: str) -> str:
    return key.split(":", 1)[0]


@dataclass
class Journal:
    """What was written, in order; the process is killed around the write of a kind, when one is named."""

    kill_at: str = ""
    after: bool = False
    written: list[str] = field(default_factory=list)

    def before_write(self, kind: str) -> None:
        if kind == self.kill_at and not self.after:
            raise KilledError(kind)

    def after_write(self, kind: str) -> None:
        self.written.append(kind)
        if kind == self.kill_at and self.after:
            raise KilledError(kind)


class JournaledCheckpoints(InMemoryCheckpoints):
    """Checkpoints that write into a journal."""

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self._journal = journal

    async def write(self, *, key: str, **rest: Any) -> None:
        self._journal.before_write(_kind(key))
        await super().write(key=key, **rest)
        self._journal.after_write(_kind(key))


class JournaledLedger(InMemoryLedger):
    """A ledger that writes into a journal."""

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self._journal = journal

    async def issue(self, row: LedgerRow) -> LedgerRow:
        self._journal.before_write("row")
        result = await super().issue(row)
        self._journal.after_write("row")
        return result
