"""The sweep: works through the due rows one by one, in a run of limited length.

A row is due for one of these actions: expire, remind, ask further people, count a question that is open for too long,
deliver the answer, or send the waiter the failure `expired`, `revoked` or `superseded`. Each action begins with a
conditional write that moves the row's due time. So two sweeps at the same time do an action once, and rows that one run
does not reach are due in the next.

A row that cannot be read, or that fails, is counted and put off; it does not block the others. A part of the due index
that cannot be read fails the run, but only after the rows of the other parts were worked on.

The order is fair. Deliveries come before expiries and reminders: a run waits for each of them. The scopes take turns,
so a scope with many due rows does not make the others wait. A kind of target that hangs gets a share of the run first,
and what is left of the run after all other rows.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from askback.domain.delivery.delivery import Delivery
from askback.domain.errors import HumanInteractionError, InteractionConfigurationError, StoreUnavailable
from askback.domain.json_text import sha256_hex
from askback.domain.pause.assurance import Assurance
from askback.domain.pause.changes import ChangeKind
from askback.domain.pause.claims import PauseIdentity
from askback.domain.pause.delegation import step_now
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import POLICY, AcceptedAnswer, LedgerRow, PauseStatus, RowChange
from askback.domain.pause.roster import EscalationStep, StepMode
from askback.domain.ports import IssuanceLedger

ROWS_PER_PAGE = 500
"""How many due rows are read at a time."""
TARGET_SECONDS = 10.0
"""How long the rows of one kind of target are worked on before all other rows: a quarter of a run."""
BACKOFF_SECONDS = 240
"""How long a row that cannot be read or worked on is put off: less than five minutes, over which its alarm counts."""
_TRY_LATER = (StoreUnavailable, InteractionConfigurationError)
_SETTLED = {
    PauseStatus.EXPIRED: "ExpirySettled",
    PauseStatus.REVOKED: "RevocationSettled",
    PauseStatus.SUPERSEDED: "SupersessionSettled",
}
"""The count when a pause ended without an answer and its waiter got that outcome, or had already ended."""
_HAS_OUTCOME = (PauseStatus.ANSWERED, *_SETTLED)
OPEN_TOO_LONG = "OpenTooLong"
"""The count of a question that has no answer for as long as the deployment's alarm allows."""
FAILED = "RowFailed"
UNREADABLE = "Unreadable"
"""The `error` of a row that this build cannot read."""

DueRow = LedgerRow | PauseIdentity
"""A row that is due; one that this build cannot read is only named."""


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
    faults: Mapping[str, HumanInteractionError] = field(default_factory=dict)
    """The error of each part of the due index that could not be read; the run must fail in the end."""
    rows_unread: int = 0
    """How many due rows the store did not return; they stay due."""

    @property
    def done(self) -> Counter[str]:
        """The number of times that each action was done."""
        return Counter(what for row in self.rows for what in row.done)


@dataclass(slots=True, kw_only=True)
class _Run:
    """What one run has met and done so far, and the seconds that each kind of target has taken."""

    at: int
    swept: list[SweptRow] = field(default_factory=list)
    met: dict[str, int | None] = field(default_factory=dict)
    late: list[DueRow] = field(default_factory=list)
    taken: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    failed_to_read: bool = False
    faults: dict[str, HumanInteractionError] = field(default_factory=dict)
    rows_unread: int = 0

    @property
    def still_due(self) -> int:
        """How many of the rows that were met may still be due, so that a page must have room for them."""
        return len(self.late) + sum(bool(row.error) for row in self.swept)

    def meet(self, rows: Sequence[DueRow]) -> Sequence[DueRow]:
        """Return those rows that are new."""
        new = [row for row in rows if _identity(row).jti not in self.met]
        self.met.update((_identity(row).jti, None if isinstance(row, PauseIdentity) else row.due_at) for row in new)
        return new

    def report(self, *, cut_off: bool) -> SweepReport:
        oldest = min((due_at for due_at in self.met.values() if due_at is not None), default=self.at)
        return SweepReport(
            rows=tuple(self.swept),
            oldest_due_seconds=max(0, self.at - oldest),
            cut_off=cut_off or bool(self.faults or self.rows_unread),
            faults=self.faults,
            rows_unread=self.rows_unread,
        )


class Sweep:
    """Works through the rows that are due.

    `monotonic` gives seconds. They say how much of a run the rows of one kind of target have taken. A pause that is
    open for `open_alarm_seconds` is counted once; 0 switches this off.
    """

    def __init__(
        self,
        *,
        ledger: IssuanceLedger,
        delivery: Delivery,
        monotonic: Callable[[], float],
        open_alarm_seconds: int = 0,
    ) -> None:
        self._ledger = ledger
        self._delivery = delivery
        self._monotonic = monotonic
        self._open_alarm_seconds = open_alarm_seconds

    async def run(self, *, at: int, attempt_id: str, may_go_on: Callable[[], bool]) -> SweepReport:
        """Do what is due at `at` (epoch seconds); it ends when nothing is left, or when `may_go_on` says no.

        The rows are read page by page, and each page is worked through in a fair order. Rows of a kind of target that
        has used its share come last, after all other rows of all pages.
        """
        run = _Run(at=at)
        while page := await self._page(run):
            for row in in_fair_order(page):
                target = _target(row)
                if run.taken[target] >= TARGET_SECONDS:
                    run.late.append(row)
                    continue
                if not may_go_on():
                    return run.report(cut_off=True)
                begun = self._monotonic()
                run.swept.append(await self._swept(row, at=at, attempt_id=attempt_id))
                run.taken[target] += self._monotonic() - begun
            # An ordinary run reads once. After a full page, an index that is behind can make a page short that is not
            # the last one, so such a run reads until it finds nothing new.
            if len(run.met) < ROWS_PER_PAGE:
                break
        for row in run.late:
            if not may_go_on():
                return run.report(cut_off=True)
            run.swept.append(await self._swept(row, at=at, attempt_id=attempt_id))
        return run.report(cut_off=run.failed_to_read)

    async def _page(self, run: "_Run") -> Sequence[DueRow]:
        """Return the next rows that the run has not met; raises what the ledger raises for the first page only."""
        try:
            due = await self._ledger.due(at=run.at, limit=ROWS_PER_PAGE + run.still_due)
        except _TRY_LATER:
            if not run.met:
                raise
            run.failed_to_read = True
            return ()
        run.faults.update(due.faults)
        # A later page may return a row that was left out, so the last page says how many are missing.
        run.rows_unread = due.rows_unread
        return run.meet(due.rows)

    async def _swept(self, row: DueRow, *, at: int, attempt_id: str) -> SweptRow:
        if isinstance(row, PauseIdentity):
            await self._put_off(row, at=at)
            return SweptRow(pause=row, done=(FAILED,), error=UNREADABLE)
        try:
            return await self._work(row, at=at, attempt_id=attempt_id)
        except _TRY_LATER as error:
            # The row stays due, or is due again after its backoff.
            return SweptRow(pause=row.claims.identity, done=(FAILED,), error=type(error).__name__)
        except Exception as error:  # noqa: BLE001 - no error of one row may stop the others
            await self._put_off(row.claims.identity, at=at)
            return SweptRow(pause=row.claims.identity, done=(FAILED,), error=type(error).__name__)

    async def _put_off(self, pause: PauseIdentity, *, at: int) -> None:
        """Move the due time, so that other rows come first; a row whose due time was already moved stays as it is."""
        # A store that does not answer leaves the row due, and the next run finds it again.
        with suppress(*_TRY_LATER):
            await self._ledger.put_off(pause, at=at, until=at + BACKOFF_SECONDS)

    async def _work(self, row: LedgerRow, *, at: int, attempt_id: str) -> SweptRow:
        """Do the action that is due for a row; return how the pause ended and the result of its delivery."""
        if row.status is PauseStatus.ISSUED:
            if at >= row.expires_at:
                return await self._expire(row, at=at, attempt_id=attempt_id)
            return _done(row, *await self._look_after(row, at=at))
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

    async def _look_after(self, row: LedgerRow, *, at: int) -> tuple[str, ...]:
        """Do what is due for an open row, in one write: its due time is then later than `at`."""
        if row.to_announce is not None:
            return await self._announce_changes(row, at=at)
        if row.next_step is not None and row.next_step_at is not None and row.next_step_at <= at:
            return await self._escalate(row, row.next_step, at=at)
        too_long_at = row.open_too_long_at(self._open_alarm_seconds)
        reminds = row.remind_at is not None and row.remind_at <= at
        too_long = too_long_at is not None and too_long_at <= at
        change = RowChange(due_at=None, clear_reminder=reminds, open_too_long=too_long)
        due_at = change.applied_to(row).next_due(self._open_alarm_seconds)
        if not await self._ledger.advance(row, replace(change, due_at=due_at)):
            return ("LeftToAnother",)
        if reminds:
            await self._delivery.announce(PauseEventType.REMINDER, row, at=at)
        done = tuple(name for name, was_due in (("Reminded", reminds), (OPEN_TOO_LONG, too_long)) if was_due)
        return done or ("Rescheduled",)

    async def _escalate(self, row: LedgerRow, step: EscalationStep, *, at: int) -> tuple[str, ...]:
        """Do the next step of the escalation, and announce it; what else is due is done by the next run."""
        step = step_now(row, step)
        people = row.people.after(step)
        if not people.can_decide(row.quorum, row.votes, void=row.void_votes):
            # Those who stay have said no, or an operator has voided their links. Without the people who would leave,
            # none could say yes.
            people = row.people.after(replace(step, mode=StepMode.ADD))
        change = row.changed(people, ChangeKind.ESCALATED, at=at, alarm_seconds=self._open_alarm_seconds)
        if not await self._ledger.advance(row, change):
            return ("LeftToAnother",)
        return ("Escalated", *await self._announce_changes(change.applied_to(row), at=at))

    async def _announce_changes(self, row: LedgerRow, *, at: int) -> tuple[str, ...]:
        """Announce what was not announced; raises StoreUnavailable if the bus takes no event, and the row stays due."""
        announced = await self._delivery.announce_changes(row, at=at, alarm_seconds=self._open_alarm_seconds)
        return ("ChangeAnnounced" if announced else "LeftToAnother",)

    async def _expire(self, row: LedgerRow, *, at: int, attempt_id: str) -> SweptRow:
        due_at = None if row.waiter is None else at
        if row.default_response_text is not None:
            answer = AcceptedAnswer(
                response_text=row.default_response_text,
                response_hash=sha256_hex(row.default_response_text),
                answered_by=POLICY,
                by_policy=True,
                assurance=Assurance.POLICY,
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


def in_fair_order(rows: Sequence[DueRow]) -> list[DueRow]:
    """Return the rows in the order in which they are worked on.

    Deliveries, then expiries and reminders, then what cannot be read. Within each, the scopes take turns, and each
    scope's longest due row comes first.
    """
    turns: Counter[tuple[int, str]] = Counter()
    order: list[tuple[int, int, int]] = []
    for place, row in enumerate(rows):
        rank, scope = _rank(row), _identity(row).scope_hash
        order.append((rank, turns[rank, scope], place))
        turns[rank, scope] += 1
    return [rows[place] for _, _, place in sorted(order)]


def _rank(row: DueRow) -> int:
    if isinstance(row, PauseIdentity):
        return 2
    return 1 if row.status is PauseStatus.ISSUED else 0


def _identity(row: DueRow) -> PauseIdentity:
    return row if isinstance(row, PauseIdentity) else row.claims.identity


def _target(row: DueRow) -> str:
    """Return the kind of target that work on the row can wait for; empty for the table and the bus alone."""
    return "" if isinstance(row, PauseIdentity) or row.waiter is None else row.waiter.kind.value


def _done(row: LedgerRow, *what: str) -> SweptRow:
    return SweptRow(pause=row.claims.identity, done=what)


def _counted_as(row: LedgerRow) -> str:
    if row.due_at is not None:
        return "DeliveryRetried"
    if row.given_up:
        return "Undeliverable"
    return _SETTLED.get(row.status) or row.status.value.capitalize()
