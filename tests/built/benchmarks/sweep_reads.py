"""What a sweep reads: the same rows due among few stored ones and among ten times as many.

Half of the stored rows wait for something that is due later, so the due index has them too; the other half have ended.
Everything is written straight into the table, as copies of the row of a real pause.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from askback.adapters.dynamodb.keys import LEDGER_SK, due_shard, ledger_key
from tests.built.benchmarks.cycle import a_question
from tests.built.benchmarks.deployment import Deployment
from tests.built.benchmarks.invocation import Invocation
from tests.built.benchmarks.pseudo_text import Message
from tests.support.write_units import Item

DUE_ROWS = 40
STORED_ROWS = 200
GROWTH = 10
_IDLE_RUNS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReads:
    """Runs of the sweep: nothing due, and `DUE_ROWS` due among `STORED_ROWS` and among `GROWTH` times as many."""

    idle: Invocation
    few: Invocation
    many: Invocation


def measure(deployment: Deployment, messages: list[Message]) -> SweepReads:
    """Seed the table, let the built function sweep, and return what each run did."""
    deployment.post("/pauses", a_question(deployment, messages))
    sample = next(item for (_, sort), item in deployment.table.items().items() if sort == LEDGER_SK)
    copies = _Copies(sample)
    deployment.table.put(list(copies.stored(STORED_ROWS)))
    idle = [_sweep(deployment, expired=0) for _ in range(_IDLE_RUNS)]
    deployment.table.put(list(copies.due(DUE_ROWS)))
    few = _sweep(deployment, expired=DUE_ROWS)
    # What was due has ended by now and is stored too.
    deployment.table.put(list(copies.stored(STORED_ROWS * GROWTH - STORED_ROWS - DUE_ROWS)))
    deployment.table.put(list(copies.due(DUE_ROWS)))
    many = _sweep(deployment, expired=DUE_ROWS)
    return SweepReads(idle=min(idle, key=lambda run: run.cpu), few=few, many=many)


def _sweep(deployment: Deployment, *, expired: int) -> Invocation:
    report, invocation = deployment.invoke("sweep", {})
    if report["done"] != ({"Expired": expired} if expired else {}):
        raise RuntimeError(f"the sweep did {report['done']}, and {expired} rows were due to expire")
    return invocation


class _Copies:
    """Rows like the sample, each under a key of its own."""

    def __init__(self, sample: Item) -> None:
        self._sample = dict(sample)
        self._numbers = itertools.count(1)
        self._issued_at = int(sample["issued_at"]["N"])

    def due(self, count: int) -> Iterator[Item]:
        """Open pauses whose time is up: they expired when the sample was issued."""
        for _ in range(count):
            yield self._copy(status="issued", due_at=self._issued_at)

    def stored(self, count: int) -> Iterator[Item]:
        """By turns an open pause that is due in a year, and one that has ended and is due for nothing."""
        later = self._issued_at + 365 * 24 * 3600
        for number in range(count):
            yield self._copy(status="issued", due_at=later) if number % 2 else self._copy(status="delivered")

    def _copy(self, *, status: str, due_at: int | None = None) -> Item:
        jti = f"{next(self._numbers):032x}"
        due: dict[str, Any] = {}
        if due_at is not None:
            # An open pause is due at its expiry.
            due = {"due_shard": {"S": due_shard(jti)}, "due_at": {"N": str(due_at)}, "exp": {"N": str(due_at)}}
        return {**self._sample, **ledger_key(jti), "status": {"S": status}, **due}
