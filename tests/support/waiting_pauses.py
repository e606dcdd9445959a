"""Runs that wait for a pause, and ways for things to happen between two steps."""

from collections.abc import Awaitable, Callable
from typing import Any

from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import LedgerRow
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.ports import DeliveryResult, DueRows
from askback.testing.memory_ledger import InMemoryLedger
from askback.testing.memory_waiters import InMemoryWaiters
from tests.support.memory_deployment import InMemoryDeployment

TASK = Waiter(kind=WaiterKind.STEP_FUNCTIONS, address="AAAAKgAAAAIAAA+/x/y==")
NEXT_TASK = Waiter(kind=WaiterKind.STEP_FUNCTIONS, address="AAAAKgAAAAIAAA+/z/z==")
CALLBACK = Waiter(kind=WaiterKind.LAMBDA_DURABLE, address="callback-1")
FUNCTION = Waiter(kind=WaiterKind.LAMBDA, address="arn:aws:lambda:eu-west-1:123456789012:function:agent")
LISTENER = Waiter(kind=WaiterKind.EVENT)
WAITERS = (TASK, CALLBACK, FUNCTION, LISTENER)


def row_of(deployment: InMemoryDeployment, minted: MintedPause) -> LedgerRow:
    """Return the pause's row as it is now."""
    return deployment.ledger.rows[minted.claims.jti]


def outcomes_of(deployment: InMemoryDeployment, waiter: Waiter = TASK) -> list[tuple[str, str]]:
    """Return what a waiter got: success or failure, and the outcome."""
    return deployment.waiters.outcomes.get(waiter.address, [])


def announced(deployment: InMemoryDeployment) -> list[PauseEventType]:
    """Return what was announced, in order."""
    return [event.type for event in deployment.events.events]


class WatchedWaiters(InMemoryWaiters):
    """Waiters that count how often somebody tried to tell them, and say what the ledger knew at that moment.

    One that is `ended` looks as if it waited until it is told. One that is told any number of times, as a function is,
    is in `patient`.
    """

    def __init__(self, ledger: InMemoryLedger) -> None:
        super().__init__()
        self.ended: set[str] = set()
        self.patient: set[str] = set()
        self.error: Exception | None = None
        self.seen: list[LedgerRow] = []
        self._ledger = ledger

    async def still_waits(self, waiter: Waiter) -> bool:
        return waiter.address in self.ended or await super().still_waits(waiter)

    async def deliver(self, waiter: Waiter, row: LedgerRow, outcome: str) -> DeliveryResult:
        self._see(waiter, row)
        return await super().deliver(waiter, row, outcome)

    async def fail(self, waiter: Waiter, row: LedgerRow, outcome: str) -> DeliveryResult:
        self._see(waiter, row)
        return await super().fail(waiter, row, outcome)

    def _see(self, waiter: Waiter, row: LedgerRow) -> None:
        self.seen.append(self._ledger.rows[row.claims.jti])
        if self.error is not None:
            raise self.error
        if waiter.address in self.ended:
            self.closed.add(waiter.address)
        if waiter.address in self.patient:
            self.closed.discard(waiter.address)


class InterruptedLedger(InMemoryLedger):
    """A ledger where something happens right after the due rows were read, once."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[], Awaitable[Any]] | None = None
        self.asked = 0

    async def due(self, *, at: int, limit: int) -> DueRows:
        self.asked += 1
        rows = await super().due(at=at, limit=limit)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            await meanwhile()
        return rows


class PartlyUnreadableLedger(InMemoryLedger):
    """A ledger with rows that this build cannot read, and rows whose answer is gone."""

    def __init__(self) -> None:
        super().__init__()
        self.unreadable: set[str] = set()
        self.lost: dict[str, Exception] = {}

    async def due(self, *, at: int, limit: int) -> DueRows:
        due = await super().due(at=at, limit=limit)
        rows = [
            row.claims.identity if isinstance(row, LedgerRow) and row.claims.jti in self.unreadable else row
            for row in due.rows
        ]
        return DueRows(rows=rows)

    async def response_text_of(self, row: LedgerRow) -> str:
        if (error := self.lost.get(row.claims.jti)) is not None:
            raise error
        return await super().response_text_of(row)


def watched(ledger: InMemoryLedger | None = None, **over: Any) -> tuple[InMemoryDeployment, WatchedWaiters]:
    """Return a deployment over watched waiters."""
    ledger = ledger or InMemoryLedger()
    waiters = WatchedWaiters(ledger)
    return InMemoryDeployment(ledger=ledger, waiters=waiters, **over), waiters
