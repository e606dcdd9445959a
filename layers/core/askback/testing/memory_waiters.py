"""The delivery port and the event sink in memory."""

from askback.domain.errors import StoreUnavailable
from askback.domain.pause.events import PauseEvent
from askback.domain.pause.ledger import LedgerRow
from askback.domain.pause.waiters import Waiter
from askback.domain.ports import DeliveryResult


class InMemoryWaiters:
    """The delivery port: each address waits until it gets one outcome or is in `closed`; then it is closed.

    `outcomes` has the outcomes that each address got. With `down`, every call fails like an unavailable service.
    """

    def __init__(self) -> None:
        self.outcomes: dict[str, list[tuple[str, str]]] = {}
        self.closed: set[str] = set()
        self.down = False

    async def still_waits(self, waiter: Waiter) -> bool:
        self._require_up()
        return waiter.address not in self.closed

    async def deliver(self, waiter: Waiter, row: LedgerRow, outcome: str) -> DeliveryResult:
        return self._send(waiter, "success", outcome)

    async def fail(self, waiter: Waiter, row: LedgerRow, outcome: str) -> DeliveryResult:
        return self._send(waiter, "failure", outcome)

    def _send(self, waiter: Waiter, how: str, outcome: str) -> DeliveryResult:
        self._require_up()
        if waiter.address in self.closed:
            return DeliveryResult.CLOSED
        self.closed.add(waiter.address)
        self.outcomes.setdefault(waiter.address, []).append((how, outcome))
        return DeliveryResult.TAKEN

    def _require_up(self) -> None:
        if self.down:
            raise StoreUnavailable


class InMemoryEvents:
    """The event sink, a list; with `down`, it fails."""

    def __init__(self) -> None:
        self.events: list[PauseEvent] = []
        self.down = False

    async def publish(self, event: PauseEvent) -> None:
        if self.down:
            raise StoreUnavailable
        self.events.append(event)
