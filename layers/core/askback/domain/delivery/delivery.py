"""Delivering: an accepted answer reaches the run that waits for it, whatever dies in between.

The row is the only memory. Before an outcome goes out the row says when it is due again (the claim says so for the
first delivery), and after it went out the row says so. A process that dies in between leaves a due row; the sweep finds
it.

So a waiter may get its outcome twice, always the same text. Step Functions and durable functions take an outcome once
and call the second one closed. A function or an event consumer sees it twice at worst, and tells by `delivery_id`.
"""

from collections.abc import Callable

from askback.domain.delivery.outcome_text import expired_text, outcome_text, revoked_text
from askback.domain.errors import InteractionConfigurationError, OutcomeUnreadable, StoreUnavailable
from askback.domain.pause.events import PauseEvent, PauseEventType
from askback.domain.pause.ledger import LedgerRow, PauseStatus, RowChange
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.ports import DeliveryPort, DeliveryResult, EventSink, IssuanceLedger

BACKOFF_BASE_SECONDS = 30
BACKOFF_CAP_SECONDS = 3600
MAX_ATTEMPTS = 16
"""Five to ten hours of attempts, by the jitter; then the pause is undeliverable and an alarm goes off."""

_ENDS = (PauseEventType.ANSWERED, PauseEventType.EXPIRED, PauseEventType.REVOKED)
_TRY_LATER = (StoreUnavailable, InteractionConfigurationError)


def backoff_seconds(attempts: int, jitter: float) -> int:
    """Return how long to wait after the `attempts`-th try, in seconds.

    It doubles from 30 s up to an hour. Half of it is fixed, so that a row is never tried again at once; the other half
    is scaled by `jitter` (0 to 1), so that rows that failed together do not come back together.
    """
    full = min(BACKOFF_CAP_SECONDS, BACKOFF_BASE_SECONDS * 2 ** (attempts - 1))
    return int(full * (0.5 + 0.5 * jitter))


class Delivery:
    """Hands outcomes to waiters and keeps the ledger true about it. `jitter` returns a number from 0 to 1."""

    def __init__(
        self, *, ledger: IssuanceLedger, port: DeliveryPort, events: EventSink, jitter: Callable[[], float]
    ) -> None:
        self._ledger = ledger
        self._port = port
        self._events = events
        self._jitter = jitter

    async def still_waits(self, row: LedgerRow) -> bool:
        """Tell whether the row's waiter still waits; a row without a waiter counts as waiting."""
        return row.waiter is None or await self._port.still_waits(row.waiter)

    async def first_attempt(self, row: LedgerRow, *, at: int) -> LedgerRow:
        """Make the attempt that the claim began and return the row as it then is; nothing can have landed before it."""
        return await self._attempt(row, earlier_may_have_landed=False, at=at)

    async def retry(self, row: LedgerRow, *, at: int) -> LedgerRow:
        """Begin the next attempt of a due row and make it; a row that another worker has begun is left to it."""
        if row.attempts >= MAX_ATTEMPTS:
            return await self._settle(row, undeliverable=True, at=at)
        attempts = row.attempts + 1
        change = RowChange(
            due_at=at + backoff_seconds(attempts, self._jitter()), attempts=attempts, may_have_landed=True
        )
        if not await self._ledger.advance(row, change):
            return row
        return await self._attempt(change.applied_to(row), earlier_may_have_landed=row.may_have_landed, at=at)

    async def announce(self, kind: PauseEventType, row: LedgerRow, *, at: int) -> bool:
        """Publish an event, best effort, and return whether it went out.

        The ledger is the truth; an event only tells of it. How a pause ended is not announced to an `event` waiter: its
        delivery is that very event.
        """
        if row.waiter is not None and row.waiter.kind is WaiterKind.EVENT and kind in _ENDS:
            return True
        try:
            await self._events.publish(PauseEvent(type=kind, row=row, at=at))
        except _TRY_LATER:
            return False
        return True

    async def hand_over(self, row: LedgerRow, waiter: Waiter) -> DeliveryResult:
        """Tell `waiter` how an ended pause ended, without touching its row.

        Raises:
            StoreUnavailable, InteractionConfigurationError: it is not known whether the waiter got it.
            OutcomeUnreadable: the accepted answer is gone or damaged, so there is nothing to deliver.
        """
        if row.status is PauseStatus.EXPIRED:
            outcome = expired_text(row.claims, turn_recorded=row.turn_recorded)
            return await self._port.fail(waiter, row, outcome)
        if row.revocation is not None:
            outcome = revoked_text(row.claims, row.revocation, turn_recorded=row.turn_recorded)
            return await self._port.fail(waiter, row, outcome)
        if row.answer is None:
            raise RuntimeError("only an ended pause has an outcome")
        try:
            response_text = await self._ledger.response_text_of(row)
        except (LookupError, ValueError) as error:
            raise OutcomeUnreadable(f"the accepted answer cannot be read: {error}") from None
        outcome = outcome_text(row.claims, row.answer, response_text=response_text, turn_recorded=row.turn_recorded)
        return await self._port.deliver(waiter, row, outcome)

    async def _attempt(self, row: LedgerRow, *, earlier_may_have_landed: bool, at: int) -> LedgerRow:
        """Give a row's outcome to its waiter, once, and return the row as it then is.

        The attempt must have been begun in the row: `attempts` counts it, `may_have_landed` says that it may land, and
        `due_at` lies ahead. A failure that may pass leaves the row due. A waiter that is closed took the outcome of an
        earlier attempt, if one may have landed; otherwise the run ended without its answer and the pause is
        undeliverable.
        """
        if row.waiter is None:
            return row
        try:
            result = await self.hand_over(row, row.waiter)
        except _TRY_LATER as error:
            return await self._note_nothing_landed(row) if error.did_nothing and not earlier_may_have_landed else row
        if result is DeliveryResult.CLOSED and not earlier_may_have_landed:
            # This attempt did nothing either, which a delivery that an operator asks for later has to know.
            return await self._settle(row, undeliverable=True, may_have_landed=False, at=at)
        return await self._settle(row, undeliverable=False, at=at)

    async def _note_nothing_landed(self, row: LedgerRow) -> LedgerRow:
        """Note that this attempt did nothing, so that a task that is found closed later does not count as delivered."""
        change = RowChange(due_at=row.due_at, may_have_landed=False)
        try:
            return change.applied_to(row) if await self._ledger.advance(row, change) else row
        except _TRY_LATER:
            return row

    async def _settle(
        self, row: LedgerRow, *, undeliverable: bool, at: int, may_have_landed: bool | None = None
    ) -> LedgerRow:
        # A pause that ended without an answer keeps its status whether its waiter could be reached or not.
        status = None
        if row.status is PauseStatus.ANSWERED:
            status = PauseStatus.UNDELIVERABLE if undeliverable else PauseStatus.DELIVERED
        change = RowChange(due_at=None, status=status, may_have_landed=may_have_landed)
        if not await self._ledger.advance(row, change):
            return row
        settled = change.applied_to(row)
        if undeliverable:
            await self.announce(PauseEventType.UNDELIVERABLE, settled, at=at)
        elif status is PauseStatus.DELIVERED:
            await self.announce(PauseEventType.DELIVERED, settled, at=at)
        return settled
