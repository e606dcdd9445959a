"""The import of an export file into the table: check the whole file first, then write its records.

Every write is conditional and returns what it found. So an operator can repeat an import, or continue one that
stopped. A file with one wrong line is refused before the first write.
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
    """The number of records for each result, and the findings that an operator must look at."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)


class ImportStopped(Exception):
    """A write failed. All records before `line` are written; some records after it may be written."""

    def __init__(self, line: int, error: HumanInteractionError) -> None:
        super().__init__(error.reason or error.detail)
        self.line = line
        self.code = error.code


@dataclass(frozen=True, slots=True, kw_only=True)
class Import(Generic[Item]):
    """The import of one kind of record: `read` parses it, `write` stores it and returns the result."""

    read: Callable[[Record], Item]
    write: Callable[[Item], str]
    finding: Callable[[Item, str], str]
    """Return the text that an operator must see for a result, or an empty text."""

    def check(self, path: Path) -> None:
        """Read the whole file; raises LineRefused, or OSError when the file cannot be read."""
        for _ in self._items(path):
            pass

    def run(self, path: Path, *, from_line: int = 1) -> Tally:
        """Import a checked file; raises ImportStopped when a write fails."""
        tally = Tally()
        items = ((line, item) for line, item in self._items(path) if line >= from_line)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            while chunk := list(islice(items, AT_ONCE)):
                written = [(line, item, pool.submit(self.write, item)) for line, item in chunk]
                for line, item, outcome in written:
                    try:
                        result = outcome.result()
                    except HumanInteractionError as error:
                        raise ImportStopped(line, error) from None
                    tally.counts[result] += 1
                    if text := self.finding(item, result):
                        tally.findings.append(f"line {line}: {text}")
        return tally

    def _items(self, path: Path) -> Iterator[tuple[int, Item]]:
        for line, record in read_records(path):
            try:
                yield line, self.read(record)
            except FieldRefused as error:
                raise LineRefused(line, str(error)) from None


def consumed_import(table: CutoverTable, freeze: Freeze, *, at: int) -> Import[ConsumedToken]:
    """Return the import of the tokens that the engine redeemed; it skips tokens that have certainly expired."""

    def write(token: ConsumedToken) -> str:
        if token.latest_expiry(freeze) + CLOCK_LEEWAY_SECONDS < at:
            return EXPIRED
        return table.mark_consumed(token.claims(freeze), token.answer(freeze)).value

    def finding(token: ConsumedToken, outcome: str) -> str:
        return f"{token.jti} was also answered in askback" if outcome == Marked.ANSWERED_HERE.value else ""

    return Import(read=lambda record: ConsumedToken.from_record(record, freeze), write=write, finding=finding)


def request_import(checkpoints: DynamoCheckpoints, freeze: Freeze) -> Import[RecordedRequest]:
    """Return the import of recorded requests."""

    def write(request: RecordedRequest) -> str:
        return asyncio.run(_record(checkpoints, request, expires_at=freeze.latest_expiry))

    def finding(request: RecordedRequest, outcome: str) -> str:
        return (
            f"{request.key}: another text is already recorded there; it was not replaced" if outcome == CONFLICT else ""
        )

    return Import(read=RecordedRequest.from_record, write=write, finding=finding)


async def _record(checkpoints: DynamoCheckpoints, request: RecordedRequest, *, expires_at: int) -> str:
    place = {"thread_id": request.thread_id, "checkpoint_id": request.checkpoint_id, "key": request.key}
    there = await checkpoints.read(**place) is not None
    try:
        await checkpoints.write(**place, text=request.text, expires_at=expires_at)
    except PauseConflict:
        return CONFLICT
    return Marked.KNOWN.value if there else Marked.WRITTEN.value
