"""Bringing the records of an export into the table: read to the end first, then written some at a time.

Every write is conditional and says what it found, so an import can be repeated, and one that broke off can go on where
it did. A file with one wrong line is refused before anything is written.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Generic, TypeVar

from askback.adapters.dynamodb.records import DynamoCheckpoints
from askback.cutover.consumed import ConsumedToken
from askback.cutover.freeze import Freeze
from askback.cutover.ledger_marks import CutoverTable, Marked
from askback.cutover.lines import FieldRefused, LineRefused, Record, read_records
from askback.cutover.recorded import RecordedRequest
from askback.domain.errors import HumanInteractionError, PauseConflict
from askback.domain.limits import CLOCK_LEEWAY_SECONDS

AT_ONCE = 16
EXPIRED, CONFLICT = "expired", "conflict"

Item = TypeVar("Item")


@dataclass(kw_only=True)
class Tally:
    """How many records came to what, and what an operator must look at."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)


class BrokenOff(Exception):
    """The table did not take a record; everything before line `line` is written, some behind it may be."""

    def __init__(self, line: int, error: HumanInteractionError) -> None:
        super().__init__(error.reason or error.detail)
        self.line = line
        self.code = error.code


@dataclass(frozen=True, slots=True, kw_only=True)
class Import(Generic[Item]):
    """One kind of record: how it is read, how it is written and what came of it, and what names it."""

    read: Callable[[Record], Item]
    write: Callable[[Item], str]
    finding: Callable[[Item, str], str]
    """Return what an operator must be told of an outcome, or an empty text."""

    def check(self, path: Path) -> None:
        """Read a file to its end; raises LineRefused, or OSError when it cannot be read."""
        for _ in self._items(path):
            pass

    def run(self, path: Path, *, from_line: int = 1) -> Tally:
        """Import a file that was checked; raises BrokenOff when the table does not take a record."""
        tally = Tally()
        items = ((line, item) for line, item in self._items(path) if line >= from_line)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            while chunk := list(islice(items, AT_ONCE)):
                written = [(line, item, pool.submit(self.write, item)) for line, item in chunk]
                for line, item, outcome in written:
                    try:
                        came_to = outcome.result()
                    except HumanInteractionError as error:
                        raise BrokenOff(line, error) from None
                    tally.counts[came_to] += 1
                    if told := self.finding(item, came_to):
                        tally.findings.append(f"line {line}: {told}")
        return tally

    def _items(self, path: Path) -> Iterator[tuple[int, Item]]:
        for line, record in read_records(path):
            try:
                yield line, self.read(record)
            except FieldRefused as error:
                raise LineRefused(line, str(error)) from None


def consumed_import(table: CutoverTable, freeze: Freeze, *, at: int) -> Import[ConsumedToken]:
    """Return the import of tokens that the engine has redeemed; one that has expired for certain is left out."""

    def write(token: ConsumedToken) -> str:
        if token.latest_expiry(freeze) + CLOCK_LEEWAY_SECONDS < at:
            return EXPIRED
        return table.mark_consumed(token.claims(freeze), token.answer(freeze)).value

    def finding(token: ConsumedToken, outcome: str) -> str:
        return f"{token.jti} was answered here as well" if outcome == Marked.ANSWERED_HERE.value else ""

    return Import(read=lambda record: ConsumedToken.from_record(record, freeze), write=write, finding=finding)


def request_import(checkpoints: DynamoCheckpoints, freeze: Freeze) -> Import[RecordedRequest]:
    """Return the import of recorded requests."""

    def write(request: RecordedRequest) -> str:
        return asyncio.run(_record(checkpoints, request, expires_at=freeze.latest_expiry))

    def finding(request: RecordedRequest, outcome: str) -> str:
        return f"{request.key}: another text is recorded there, and stays" if outcome == CONFLICT else ""

    return Import(read=RecordedRequest.from_record, write=write, finding=finding)


async def _record(checkpoints: DynamoCheckpoints, request: RecordedRequest, *, expires_at: int) -> str:
    place = {"thread_id": request.thread_id, "checkpoint_id": request.checkpoint_id, "key": request.key}
    there = await checkpoints.read(**place) is not None
    try:
        await checkpoints.write(**place, text=request.text, expires_at=expires_at)
    except PauseConflict:
        return CONFLICT
    return Marked.KNOWN.value if there else Marked.WRITTEN.value
