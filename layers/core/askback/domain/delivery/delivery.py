"""Delivers the outcome of a pause to the run that waits for it, even if processes die during the delivery.

All state is in the ledger row. Before an attempt, a write sets the time of the next attempt in the row (for the first
attempt, the claim does this). After the attempt, another write records the result. If the process dies between the two
writes, the row is still due and the sweep repeats the delivery.

So a waiter can get its outcome twice, always with the same text. Step Functions and durable functions take an outcome
once and report the second one as closed. A function or an event consumer can get it more than once, and recognises it
by its `delivery_id`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from askback.domain.delivery.outcome_text import (
    expired_text,
    outcome_text,
    questioned_text,
    revoked_text,
    superseded_text,
)
from askback.domain.errors import (
    HumanInteractionError,
    InteractionConfigurationError,
    OutcomeUnreadable,
    StoreUnavailable,
)
from askback.domain.pause.changes import ChangeKind, PauseChange, clarifications
from askback.domain.pause.events import PauseEvent, PauseEventType
from askback.domain.pause.ledger import LedgerRow, PauseStatus, RowChange
from askback.domain.pause.quorum import votes_said
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.ports import DeliveryPort, DeliveryResult, EventSink, IssuanceLedger

BACKOFF_BASE_SECONDS = 30
BACKOFF_CAP_SECONDS = 3600
QUESTION_SECONDS = 3600
"""How long a question back is offered to a waiting function: a function that fails must not keep a pause from people.

Afterwards the program that asked still finds it, by the event or by reading.
"""
MAX_ATTEMPTS = 16
"""The attempts take 5 to 10 hours, because of the jitter. Then the pause is undeliverable and an alarm is raised."""

_ENDS = (
    PauseEventType.ANSWERED,
    PauseEventType.EXPIRED,
    PauseEventType.REVOKED,
    PauseEventType.SUPERSEDED,
)
_CHANGED = {
    ChangeKind.ESCALATED: PauseEventType.ESCALATED,
    ChangeKind.REASSIGNED: PauseEventType.REASSIGNED,
    ChangeKind.DELEGATED: PauseEventType.DELEGATED,
    ChangeKind.QUESTIONED: PauseEventType.QUESTIONED,
    ChangeKind.CLARIFIED: PauseEventType.CLARIFIED,
}
_TRY_LATER = (StoreUnavailable, InteractionConfigurationError)


def backoff_seconds(attempts: int, jitter: float) -> int:
    """Return how long to wait after the attempt with number `attempts`, in seconds.

    The wait doubles from 30 seconds up to an hour. Half of it is fixed, so that a row is never tried again at once. The
    other half is multiplied by `jitter` (0 to 1), so that rows that failed together are not tried again together.
    """
    full = min(BACKOFF_CAP_SECONDS, BACKOFF_BASE_SECONDS * 2 ** (attempts - 1))
    return int(full * (0.5 + 0.5 * jitter))


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The result of one attempt: the row after it, and the error of an attempt that failed and will be repeated."""

    row: LedgerRow
    failure: HumanInteractionError | None = None


class Delivery:
    """Sends outcomes to waiters and records the result in the ledger. `jitter` returns a number from 0 to 1."""

    def __init__(
        self, *, ledger: IssuanceLedger, port: DeliveryPort, events: EventSink, jitter: Callable[[], float]
    ) -> None:
        self._ledger = ledger
        self._port = port
        self._events = events
        self._jitter = jitter

    async def still_waits(self, row: LedgerRow) -> bool:
        """Return whether the row's waiter still waits; true for a row without a waiter."""
        return row.waiter is None or await self._port.still_waits(row.waiter)

    async def first_attempt(self, row: LedgerRow, *, at: int) -> Attempt:
        """Make the attempt that the claim began; no earlier attempt can have reached the waiter."""
        return await self._attempt(row, earlier_may_have_landed=False, at=at)

    async def retry(self, row: LedgerRow, *, at: int) -> Attempt:
        """Begin the next attempt of a due row and make it; do nothing if another worker has begun it."""
        if row.attempts >= MAX_ATTEMPTS:
            return Attempt(row=await self._settle(row, undeliverable=True, at=at))
        attempts = row.attempts + 1
        change = RowChange(
            due_at=at + backoff_seconds(attempts, self._jitter()), attempts=attempts, may_have_landed=True
        )
        if not await self._ledger.advance(row, change):
            return Attempt(row=row)
        return await self._attempt(change.applied_to(row), earlier_may_have_landed=row.may_have_landed, at=at)

    async def announce(self, kind: PauseEventType, row: LedgerRow, *, at: int, change: int = 0) -> bool:
        """Publish an event if possible, and return whether it was published.

        The ledger is the record; an event can be missing. The end of a pause with an `event` waiter is not announced
        here, because its delivery is the same event.
        """
        if row.waiter is not None and row.waiter.kind is WaiterKind.EVENT and kind in _ENDS:
            return True
        try:
            await self._events.publish(PauseEvent(type=kind, row=row, at=at, change=change))
        except _TRY_LATER:
            return False
        return True

    async def announce_changes(self, row: LedgerRow, *, at: int, alarm_seconds: int) -> bool:
        """Publish the events of all changes that have none yet, and note it in the row.

        The note comes last. If the process dies before it, the events are published again, with other ids; the notify
        function sends the messages of the first of them only. A question back also goes to a waiter that takes more
        than one message. Returns False if another process has noted it.

        Raises:
            StoreUnavailable: an event was not published, or the note was not written; the row stays due.
        """
        if row.to_announce is None:
            return True
        for number in range(row.to_announce, len(row.changes) + 1):
            kind = _CHANGED[row.changes[number - 1].kind]
            if not await self.announce(kind, row, at=at, change=number):
                raise StoreUnavailable(reason="a change of the pause was not announced")
            await self._hand_question(row, row.changes[number - 1], at=at)
        note = RowChange(due_at=None, announced=True)
        return await self._ledger.advance(row, replace(note, due_at=note.applied_to(row).next_due(alarm_seconds)))

    async def _hand_question(self, row: LedgerRow, change: PauseChange, *, at: int) -> None:
        """Send a question back to the waiter. A task and a callback take one message only, which is the outcome."""
        if change.kind is not ChangeKind.QUESTIONED or row.waiter is None or row.waiter.kind is not WaiterKind.LAMBDA:
            return
        question = next(each for each in clarifications(row.changes) if each.asked is change)
        text = questioned_text(row.claims, question, turn_recorded=row.turn_recorded)
        try:
            await self._port.deliver(row.waiter, row, text)
        except _TRY_LATER:
            if at < change.at + QUESTION_SECONDS:
                raise

    async def hand_over(self, row: LedgerRow, waiter: Waiter) -> DeliveryResult:
        """Send the outcome of an ended pause to `waiter`; the row does not change.

        Raises:
            StoreUnavailable, InteractionConfigurationError: the outcome was not sent, or this is not known.
            OutcomeUnreadable: the accepted answer is missing or damaged, so there is nothing to deliver.
        """
        if row.status is PauseStatus.EXPIRED:
            outcome = expired_text(
                row.claims,
                expired_at=row.expires_at,
                turn_recorded=row.turn_recorded,
                votes=votes_said(row.votes, row.answerers, void=row.void_votes),
            )
            return await self._port.fail(waiter, row, outcome)
        if row.revocation is not None:
            outcome = revoked_text(row.claims, row.revocation, turn_recorded=row.turn_recorded)
            return await self._port.fail(waiter, row, outcome)
        if row.superseded is not None:
            outcome = superseded_text(row.claims, row.superseded, turn_recorded=row.turn_recorded)
            return await self._port.fail(waiter, row, outcome)
        if row.answer is None:
            raise RuntimeError("only an ended pause has an outcome")
        try:
            response_text = await self._ledger.response_text_of(row)
        except (LookupError, ValueError) as error:
            raise OutcomeUnreadable(f"the accepted answer cannot be read: {error}") from None
        outcome = outcome_text(
            row.claims,
            row.answer,
            answered_for=row.delegated_for(row.answer.answered_by),
            response_text=response_text,
            turn_recorded=row.turn_recorded,
            votes=votes_said(row.votes, row.answerers, void=row.void_votes),
        )
        return await self._port.deliver(waiter, row, outcome)

    async def hand_over_late(self, row: LedgerRow, waiter: Waiter, *, at: int) -> LedgerRow:
        """Send the outcome of an ended pause to the waiter of a late mint; return the row as it then is.

        If the row's own waiter does not wait any more, the run of an undelivered answer has got it through the late
        waiter, so the pause is delivered. Otherwise the delivery to the closed waiter would count as undeliverable. If
        the row's own waiter still waits, its delivery goes on.

        Raises:
            As `hand_over`. After the outcome was sent, an error of the note is not an error of the mint.
        """
        if await self.hand_over(row, waiter) is DeliveryResult.CLOSED or row.status is not PauseStatus.ANSWERED:
            return row
        try:
            return row if await self.still_waits(row) else await self._settle(row, undeliverable=False, at=at)
        except _TRY_LATER:
            return row

    async def _attempt(self, row: LedgerRow, *, earlier_may_have_landed: bool, at: int) -> Attempt:
        """Send a row's outcome to its waiter, once.

        An earlier write must have begun the attempt in the row: `attempts` counts it, `may_have_landed` is true, and
        `due_at` is in the future. After a failure the row stays due. If the waiter is closed and an earlier attempt may
        have reached it, that attempt did. Otherwise the run ended without its answer and the pause is undeliverable.
        """
        if row.waiter is None:
            return Attempt(row=row)
        try:
            result = await self.hand_over(row, row.waiter)
        except _TRY_LATER as error:
            if error.did_nothing and not earlier_may_have_landed:
                row = await self._record_nothing_landed(row)
            return Attempt(row=row, failure=error)
        if result is DeliveryResult.CLOSED and not earlier_may_have_landed:
            # This attempt had no effect either. A redrive reads this fact from the row.
            return Attempt(row=await self._settle(row, undeliverable=True, may_have_landed=False, at=at))
        return Attempt(row=await self._settle(row, undeliverable=False, at=at))

    async def _record_nothing_landed(self, row: LedgerRow) -> LedgerRow:
        """Record that this attempt had no effect: a task found closed later then does not count as delivered."""
        change = RowChange(due_at=row.due_at, may_have_landed=False)
        try:
            return change.applied_to(row) if await self._ledger.advance(row, change) else row
        except _TRY_LATER:
            return row

    async def _settle(
        self, row: LedgerRow, *, undeliverable: bool, at: int, may_have_landed: bool | None = None
    ) -> LedgerRow:
        # A pause that ended without an answer keeps its status; a waiter that could not be reached is noted beside it.
        # A run that had ended by itself needs no such outcome any more, so only attempts that ran out are noted.
        status = None
        given_up = undeliverable and row.answer is None and row.attempts >= MAX_ATTEMPTS
        if row.status is PauseStatus.ANSWERED:
            status = PauseStatus.UNDELIVERABLE if undeliverable else PauseStatus.DELIVERED
        change = RowChange(due_at=None, status=status, may_have_landed=may_have_landed, given_up=given_up)
        if not await self._ledger.advance(row, change):
            return row
        settled = change.applied_to(row)
        if settled.redrivable:
            await self.announce(PauseEventType.UNDELIVERABLE, settled, at=at)
        elif status is PauseStatus.DELIVERED:
            await self.announce(PauseEventType.DELIVERED, settled, at=at)
        return settled
