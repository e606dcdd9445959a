"""The sweep: works through the due rows one by one, in a run of limited length.

A row is due for one of four actions: expire, remind, deliver the answer, or send the waiter the failure `expired` or
`revoked`. Each action begins with a conditional write that moves the row's due time. So two sweeps at the same time do
an action once, and rows that one run does not reach are due in the next. A row that fails is counted and skipped; it
does not block the others.
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
"""The most due rows of one run; the others are due in the next run."""
_HAS_OUTCOME = (PauseStatus.ANSWERED, PauseStatus.EXPIRED, PauseStatus.REVOKED)
_SETTLED = {PauseStatus.EXPIRED: "ExpirySettled", PauseStatus.REVOKED: "RevocationSettled"}
"""The count when a pause ended without an answer and its waiter got that outcome, or had already ended."""
FAILED = "RowFailed"
UNREADABLE = "Unreadable"
"""The `error` of a row that this build cannot read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptRow:
    """What one run did with one row: the actions to count, and the class of the error of a row that failed.

    `code` and `reason` are those of the error of a delivery attempt that failed and will be repeated; otherwise empty.
    They contain no token, no task token and no answer. `outcome_age_seconds` is the time from the end of the pause to
    the delivery attempt; None without an attempt.
    """

    pause: PauseIdentity
    done: tuple[str, ...]
    error: str = ""
    code: str = ""
    reason: str = ""
    outcome_age_seconds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """What one run did with each row, how late the oldest due row was (seconds), and whether due rows are left."""

    rows: tuple[SweptRow, ...] = ()
    oldest_due_seconds: int = 0
    cut_off: bool = False

    @property
    def done(self) -> Counter[str]:
        """The number of times that each action was done."""
        return Counter(what for row in self.rows for what in row.done)


class Sweep:
    """Works through the due rows."""

    def __init__(self, *, ledger: IssuanceLedger, delivery: Delivery) -> None:
        self._ledger = ledger
        self._delivery = delivery

    async def run(self, *, at: int, attempt_id: str, may_go_on: Callable[[], bool]) -> SweepReport:
        """Do the actions that are due at `at` (epoch seconds).

        The run ends when no due row is left, at `ROWS_PER_RUN`, or when `may_go_on` returns false.
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
        except Exception as error:  # noqa: BLE001 - no error of one row may stop the others
            # The row stays due, or is due again after its backoff.
            return SweptRow(pause=row.claims.identity, done=(FAILED,), error=type(error).__name__)

    async def _work(self, row: LedgerRow, *, at: int, attempt_id: str) -> SweptRow:
        """Do the action that is due for a row; return how the pause ended and the result of its delivery."""
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
        attempt = await self._delivery.retry(row, at=at)
        return SweptRow(
            pause=row.claims.identity,
            done=(*already, _counted_as(attempt.row)),
            code=attempt.failure.code if attempt.failure else "",
            reason=attempt.failure.reason if attempt.failure else "",
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
