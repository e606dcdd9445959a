"""Sweeping: whatever is due is done, row by row, in a bounded run.

A row is due for one of four things: to expire, to remind, to deliver its answer, or to give its waiter the failure that
the question expired or was revoked. Each begins with a conditional write that moves the row's due time, so two sweeps
at once do it once, and a run that is cut off goes on with the rows that are still due. A row that cannot be worked on
is counted and passed over; it never holds up the others.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from askback.domain.delivery.delivery import Delivery
from askback.domain.json_text import sha256_hex
from askback.domain.pause.claims import PauseIdentity
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import POLICY, AcceptedAnswer, LedgerRow, PauseStatus, RowChange
from askback.domain.ports import IssuanceLedger

ROWS_PER_RUN = 500
"""How many due rows one run looks at; what is left is due in the next run."""
_HAS_OUTCOME = (PauseStatus.ANSWERED, PauseStatus.EXPIRED, PauseStatus.REVOKED)
_SETTLED = {PauseStatus.EXPIRED: "ExpirySettled", PauseStatus.REVOKED: "RevocationSettled"}
"""What is counted when the waiter of a pause that ended without an answer has its outcome, or had ended itself."""
FAILED = "RowFailed"
UNREADABLE = "Unreadable"
"""The kind of error of a row that this build cannot read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptRow:
    """What one run did with one row: the things to count, and the kind of error when it could not be worked on.

    `outcome_age_seconds` is how long ago the pause had ended when its delivery was tried; None when there was none.
    """

    pause: PauseIdentity
    done: tuple[str, ...]
    error: str = ""
    outcome_age_seconds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """What one run did: row by row, the age in seconds of the oldest due row, and whether more was due."""

    rows: tuple[SweptRow, ...] = ()
    oldest_due_seconds: int = 0
    cut_off: bool = False

    @property
    def done(self) -> Counter[str]:
        """How often each thing was done."""
        return Counter(what for row in self.rows for what in row.done)


class Sweep:
    """Works through the rows that are due."""

    def __init__(self, *, ledger: IssuanceLedger, delivery: Delivery) -> None:
        self._ledger = ledger
        self._delivery = delivery

    async def run(self, *, at: int, attempt_id: str, may_go_on: Callable[[], bool]) -> SweepReport:
        """Do what is due at `at` (epoch seconds).

        It ends when nothing is left, at the bound of rows, or when `may_go_on` says no.
        """
        rows = await self._ledger.due(at=at, limit=ROWS_PER_RUN)
        swept: list[SweptRow] = []
        cut_off = len(rows) == ROWS_PER_RUN
        for row in rows:
            if not may_go_on():
                cut_off = True
                break
            swept.append(await self._swept(row, at=at, attempt_id=attempt_id))
        oldest = min((row.due_at for row in rows if isinstance(row, LedgerRow) and row.due_at is not None), default=at)
        return SweepReport(rows=tuple(swept), oldest_due_seconds=max(0, at - oldest), cut_off=cut_off)

    async def _swept(self, row: LedgerRow | PauseIdentity, *, at: int, attempt_id: str) -> SweptRow:
        if isinstance(row, PauseIdentity):
            return SweptRow(pause=row, done=(FAILED,), error=UNREADABLE)
        try:
            return await self._work(row, at=at, attempt_id=attempt_id)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one row, the others must not wait for it
            # The row stays due, or comes due again by its backoff.
            return SweptRow(pause=row.claims.identity, done=(FAILED,), error=type(error).__name__)

    async def _work(self, row: LedgerRow, *, at: int, attempt_id: str) -> SweptRow:
        """Do what is due for a row and say how a pause ended, and what became of its delivery."""
        if row.status is PauseStatus.ISSUED:
            if at >= row.claims.exp:
                return await self._expire(row, at=at, attempt_id=attempt_id)
            return _done(row, await self._remind(row, at=at))
        if row.status in _HAS_OUTCOME and row.waiter is not None:
            return await self._deliver(row, at=at)
        # Nothing is due for a row in any other state.
        await self._ledger.advance(row, RowChange(due_at=None))
        return _done(row, "Cleared")

    async def _deliver(self, row: LedgerRow, *already: str, at: int) -> SweptRow:
        delivered = await self._delivery.retry(row, at=at)
        return SweptRow(
            pause=row.claims.identity,
            done=(*already, _counted_as(delivered)),
            outcome_age_seconds=max(0, at - row.ended_at),
        )

    async def _remind(self, row: LedgerRow, *, at: int) -> str:
        if row.remind_at is None or at < row.remind_at:
            await self._ledger.advance(row, RowChange(due_at=row.remind_at or row.claims.exp))
            return "Rescheduled"
        if not await self._ledger.advance(row, RowChange(due_at=row.claims.exp, clear_reminder=True)):
            return "LeftToAnother"
        await self._delivery.announce(PauseEventType.REMINDER, row, at=at)
        return "Reminded"

    async def _expire(self, row: LedgerRow, *, at: int, attempt_id: str) -> SweptRow:
        due_at = None if row.waiter is None else at
        if row.default_response_text is not None:
            answer = AcceptedAnswer(
                response_text=row.default_response_text,
                response_hash=sha256_hex(row.default_response_text),
                answered_by=POLICY,
                by_policy=True,
                answered_at=at,
                attempt_id=attempt_id,
                redeemed_scope_hash=row.claims.scope_hash,
            )
            change = RowChange(status=PauseStatus.ANSWERED, answer=answer, due_at=due_at)
        else:
            change = RowChange(status=PauseStatus.EXPIRED, due_at=due_at)
        if not await self._ledger.advance(row, change):
            return _done(row, "LeftToAnother")
        ended = change.applied_to(row)
        kind = PauseEventType.EXPIRED if ended.answer is None else PauseEventType.ANSWERED
        await self._delivery.announce(kind, ended, at=at)
        how = "Expired" if ended.answer is None else "AnsweredByPolicy"
        if ended.waiter is None:
            return _done(row, how)
        return await self._deliver(ended, how, at=at)


def _done(row: LedgerRow, what: str) -> SweptRow:
    return SweptRow(pause=row.claims.identity, done=(what,))


def _counted_as(row: LedgerRow) -> str:
    if row.due_at is not None:
        return "DeliveryRetried"
    return _SETTLED.get(row.status) or row.status.value.capitalize()
