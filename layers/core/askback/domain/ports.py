"""The protocols through which the domain uses stores, codecs and services; each has one contract test suite.

All methods are async, because an implementation may use a network. Implementations raise only the errors of
`askback.domain.errors` and the errors documented here. `StoreUnavailable` always means: the caller may send the same
request again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    # Types only: every function loads the ports, and few functions need all of these modules.
    from askback.domain.errors import HumanInteractionError
    from askback.domain.pause.audit import CrossScopeRedemption
    from askback.domain.pause.claims import PauseClaims, PauseIdentity
    from askback.domain.pause.events import PauseEvent
    from askback.domain.pause.executions import WaitingTask
    from askback.domain.pause.ledger import AcceptedAnswer, LedgerRow, Receipt, RowChange, VoteWrite
    from askback.domain.pause.listing import ListPlace, OpenPage, OpenPlace, PausePage, Wanted
    from askback.domain.pause.quorum import Counted
    from askback.domain.pause.waiters import Waiter


@dataclass(frozen=True, slots=True)
class SignedBody:
    """The claims of a token with a valid signature; `legacy` when the legacy key signed it."""

    claims: Mapping[str, Any]
    legacy: bool


class TokenCodec(Protocol):
    """Signs claims into a compact JWT, and checks that a key of the ring signed an envelope.

    Every method raises InteractionConfigurationError when there is no usable ring.
    """

    async def current_key_id(self) -> str:
        """Return the id of the key that signs new pauses; the value may be some minutes old."""
        ...

    async def has_key(self, key_id: str) -> bool:
        """Return whether the ring still has this key."""
        ...

    async def sign(self, claims: Mapping[str, Any], *, key_id: str) -> str:
        """Return the envelope, signed with this key; the same claims and key give the same bytes.

        Raises:
            LookupError: the ring has no such key.
        """
        ...

    async def verify(self, envelope: str) -> SignedBody:
        """Return the signed claims; raises TokenRejected for a malformed or forged envelope."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DueRows:
    """Rows that are due, the longest due first, and what the store did not return; that stays due.

    `faults` has the error of each part of the store's index that could not be read, by the name of the part.
    `rows_unread` counts the rows that the index named and that could not be read.
    """

    rows: Sequence[LedgerRow | PauseIdentity]
    faults: Mapping[str, HumanInteractionError] = field(default_factory=dict)
    rows_unread: int = 0


class IssuanceLedger(Protocol):
    """The rows of all pauses; they change only by conditional writes."""

    async def issue(self, row: LedgerRow) -> LedgerRow:
        """Write the row if its jti has none; return the stored row, which may be an earlier one."""
        ...

    async def supersede(self, row: LedgerRow, seen: LedgerRow, change: RowChange) -> LedgerRow | None:
        """Write the row if its jti has none and apply the change to `seen`: both, or nothing.

        Returns the row with this jti: `row`, or an earlier one, and then `seen` was not changed. Returns None if `seen`
        has changed since it was read, in what `advance` compares; then nothing was written.
        """
        ...

    async def claim(
        self,
        claims: PauseClaims,
        answer: AcceptedAnswer,
        *,
        redeliver_at: int | None = None,
        waiter: Waiter | None = None,
        seen: LedgerRow | None = None,
    ) -> Receipt:
        """Accept the answer, once.

        The row must exist, be `issued` and not have expired at `answer.answered_at`. A legacy pause has no row; its
        claim writes one. `settle_refused_claim` finds the reason of a refused claim. With `redeliver_at` the same write
        starts the first delivery: the row is due again at that time, unless the delivery ends before. `redeliver_at`
        must be given exactly when the row has a waiter (a callback target); StoreUnavailable is raised when the row got
        a waiter after it was read. `waiter` is the one that was asked whether it still waits: StoreUnavailable is
        raised when the row has another one by now, which was not asked. LinkRevoked is raised when the claims are those
        of a recipient's link and the row says that this link was revoked. With the row that was `seen`, the same people
        must still be asked; otherwise StoreUnavailable is raised, and the same request again is checked anew.
        """
        ...

    async def vote(
        self,
        seen: LedgerRow,
        claims: PauseClaims,
        counted: Counted,
        answer: AcceptedAnswer | None,
        *,
        redeliver_at: int | None = None,
        waiter: Waiter | None = None,
    ) -> VoteWrite:
        """Write the votes of a pause with a quorum, and the `answer` with it if the last vote ended the pause.

        The row must still be `issued` and not expired, with the votes, the members and the quorum of `seen`. An answer
        is written as `claim` writes it. If another request has changed the row, nothing is written, and the row as it
        now is comes back; after a lost reply the vote may stand in it.

        Raises:
            UnknownPause: there is no row any more.
            StoreUnavailable: every reply was lost, and the vote does not stand in the row.
        """
        ...

    async def find(self, jti: str) -> LedgerRow | None:
        """Return the current row, or None; the read is consistent."""
        ...

    async def response_text_of(self, row: LedgerRow) -> str:
        """Return the text of an answered row's answer, from the row or from its body.

        Raises:
            LookupError, ValueError: the body of a large answer does not exist, or is damaged.
        """
        ...

    async def replace_waiter(self, row: LedgerRow, waiter: Waiter) -> bool:
        """Replace the waiter if the pause is still `issued` and has the waiter of `row`; return whether it was written.

        Without the second condition an older mint that arrives late would replace the waiter of a newer one.
        """
        ...

    async def replace_key(self, row: LedgerRow, key_id: str) -> bool:
        """Record that `key_id` signs the pause from now on.

        The pause must still be `issued` and have the key of `row`. Returns whether it was recorded.
        """
        ...

    async def note_turn(self, row: LedgerRow, turn_hash: str) -> bool:
        """Record that the turn of the pause is recorded, with its hash.

        The pause must still be `issued`, ask the request of `row`, and have no recorded turn. Returns whether it was
        written.
        """
        ...

    async def revoke_links(self, row: LedgerRow, recipients: Sequence[str]) -> bool:
        """Record that the links of these recipients, and no others, are revoked.

        The pause must still be `issued`, and have the revoked links and the waiter of `row`. Returns whether it was
        written.
        """
        ...

    async def mark_announced(self, row: LedgerRow, *, event_id: str, reminder: bool = False, change: int = 0) -> bool:
        """Record that this event announces the pause to people, or reminds them; return whether it is the one.

        With a `change`, the event announces the change of the people with this number, which has a mark of its own.

        The first event is, also when it comes again. A later one is not, unless another key has signed since: the links
        of the first are then void.
        """
        ...

    async def advance(self, seen: LedgerRow, change: RowChange) -> bool:
        """Apply the change if status, times, waiter and people are still as in `seen`; return whether it was applied.

        A change of the people also needs the votes and the revoked links as in `seen`.

        A change that landed and whose reply was lost was applied. A row without a due time is never changed.
        """
        ...

    async def redrive(self, seen: LedgerRow, *, at: int) -> bool:
        """Write the row as `redriven(at=at)` if it is still `redrivable`; return whether it was written.

        That an attempt may have landed is kept, also if it was not yet so when the row was `seen`.
        """
        ...

    async def due(self, *, at: int, limit: int) -> DueRows:
        """Return up to `limit` rows whose due time is `at` or earlier, the longest due first; the read is consistent.

        A row that this build cannot read is returned as an identity, so that the caller can log it and continue. A row
        that the store does not return in time is left out: it stays due.

        Raises:
            StoreUnavailable, InteractionConfigurationError: nothing of the index could be read, or none of its rows.
        """
        ...

    async def put_off(self, pause: PauseIdentity, *, at: int, until: int) -> bool:
        """Make a row that is due at `at` due at `until`; return whether it was moved.

        The row may be one that this build cannot read. A row that another worker has moved stays as it is.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPauseCensus:
    """How many pauses are open, and when the oldest of those whose row was read was issued (epoch seconds).

    If it is not `complete`, there may be more pauses, and older ones.
    """

    open_pauses: int
    oldest_issued_at: int | None
    complete: bool


class PauseDirectory(Protocol):
    """The pauses of each scope as a list, and the open pauses of all scopes as another.

    A page has up to `limit` lines and looks through up to `LOOK_MAX` pauses after the place `after`. The pause of that
    place may have moved or may be gone. The lists may be some seconds behind the rows; the lines are those of the rows.
    """

    async def of_scope(
        self,
        scope_hash: str,
        *,
        limit: int,
        after: ListPlace | None,
        wanted: Wanted | None = None,
        open_only: bool | None = None,
    ) -> PausePage:
        """Return pauses of the scope: open ones first, then by issue time; only the wanted ones, if that is given.

        With `open_only`, only those that the list has as open, or only the others.
        """
        ...

    async def open_pauses(
        self, *, limit: int, after: OpenPlace | None, wanted: Wanted, expires_before: int | None, due_before: int | None
    ) -> OpenPage:
        """Return wanted open pauses of all scopes, in no order of time.

        A pause that cannot expire before `expires_before`, or that has nothing due before `due_before` (epoch seconds),
        may be left out without a look at its row.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedRow:
    """A row with what its due marks say.

    `row` is None for a row that this build cannot read; a damaged mark alone does not make it unreadable. `damage` says
    why the due index cannot show the row; it is empty if the index can. `stored` has the status and the marks in the
    form of the store, for the condition of a repair.
    """

    jti: str
    status: str
    row: LedgerRow | None
    damage: str
    has_a_mark: bool
    stored: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPage:
    """The rows of one page that may be due, how many rows were looked through, and the cursor of the next page."""

    rows: Sequence[MarkedRow]
    scanned: int
    next: str | None


class DueMarks(Protocol):
    """The due marks of all rows, also of those that the due index cannot show."""

    async def page(self, *, at: int, limit: int, after: str | None) -> MarkedPage:
        """Look through up to `limit` rows after the cursor, and return those that may be due at `at`.

        Raises:
            InvalidRequest: `after` is no cursor.
        """
        ...

    async def repair(self, seen: MarkedRow, *, due_at: int) -> bool:
        """Make a row due at `due_at`; return False if its status or its marks have changed since it was read."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUse:
    """How many open pauses a key has signed, and when the last of them expires (epoch seconds)."""

    key_id: str
    outstanding: int
    latest_expiry: int | None


class OutstandingPauses(Protocol):
    """Counts the open pauses of each signing key."""

    async def outstanding_by_key(self, *, at: int) -> Mapping[str, KeyUse]:
        """Return the use of every key that signed a pause which is `issued` and has not expired at `at`.

        The count may be some seconds behind the ledger: a pause that was just minted may be missing, and one that was
        just answered may still count. A pause without a key id counts under the empty id. The cost depends on the
        number of open pauses.

        Raises:
            StoreUnavailable, InteractionConfigurationError: the pauses could not be counted.
        """
        ...


class Place(StrEnum):
    """What came of entering a pause in a list of open pauses."""

    ENTERED = "entered"
    KNOWN = "known"
    """The pause was in the list, or has a row: it was minted before."""
    FULL = "full"


class OpenPauses(Protocol):
    """How many pauses are open in a scope, and how many of them each person got.

    Every method raises StoreUnavailable or InteractionConfigurationError when the store cannot be used.
    """

    async def count(self, scope_hash: str, *, at: int, most: int) -> int:
        """Return how many pauses of the scope are open at `at`, at most `most`; it may be some seconds behind."""
        ...

    async def enter(self, jti: str, *, person: str, at: int, most: int) -> Place:
        """Enter the pause in the list of a person, if fewer than `most` pauses of the list are open at `at`.

        `person` is the id of the list. Of concurrent calls, no more are entered than fit. A pause is in the list before
        its row is written; without a row it counts for `ENTRY_WITHOUT_ROW_SECONDS`, and then not any more.
        """
        ...

    async def leave(self, jti: str, *, person: str) -> None:
        """Take a pause that will not be minted out of the list."""
        ...


ENTRY_WITHOUT_ROW_SECONDS = 300
"""How long a pause without a row counts as open: longer than any mint runs."""


class DeliveryResult(StrEnum):
    """The result of a delivery: the waiter accepted the outcome, or it does not wait any more."""

    TAKEN = "taken"
    CLOSED = "closed"


class DeliveryPort(Protocol):
    """Delivers outcomes to waiters (callback targets): the runs that wait.

    Raises, in every method, StoreUnavailable or InteractionConfigurationError when trying again later may help.
    """

    async def still_waits(self, waiter: Waiter) -> bool:
        """Return whether the run still waits; true for kinds of waiters that cannot be asked."""
        ...

    async def deliver(self, waiter: Waiter, row: LedgerRow, outcome: str) -> DeliveryResult:
        """Send the outcome of an answered pause to the run."""
        ...

    async def fail(self, waiter: Waiter, row: LedgerRow, outcome: str) -> DeliveryResult:
        """Send the run an error that it can catch: the pause expired, was revoked or was superseded."""
        ...


class WaitingTasks(Protocol):
    """Which tasks of each execution wait, or have waited, for which pauses.

    Every method raises StoreUnavailable or InteractionConfigurationError when the store cannot be used.
    """

    async def enter(self, execution: str, task: WaitingTask, *, expires_at: int) -> None:
        """Enter a task of the execution before the row of its pause is written; the same task again is one entry.

        The entry stays as long as the row of a pause that expires at `expires_at` (epoch seconds), or longer if it was
        entered for longer before.
        """
        ...

    async def of(self, execution: str) -> Sequence[WaitingTask]:
        """Return the tasks of the execution in no order; the read is consistent."""
        ...


class EventSink(Protocol):
    """Publishes events of pauses."""

    async def publish(self, event: PauseEvent) -> None:
        """Publish the event; raises StoreUnavailable or InteractionConfigurationError."""
        ...


class StoredText(Protocol):
    """A recorded text that was found in its store; reading it may cost another round trip."""

    async def read(self) -> str:
        """Return the text as it was written.

        Raises:
            LookupError: the body of the record does not exist.
            ValueError: the body exists, but its bytes were changed.
            StoreUnavailable: the body could not be read now.
        """
        ...


class CheckpointPort(Protocol):
    """Texts recorded under (scope, thread, checkpoint, key), each written once.

    `scope_hash` is empty for a pause whose records have no scope in their place. A saver ignores it: its threads are
    those of its own graphs, and its keys must not change.
    """

    async def checkpoint_for(self, thread_id: str, *, has_turn: bool) -> str | None:
        """Return the checkpoint of a pause whose caller gave none, or None when there is no checkpoint.

        A saver returns the thread's latest checkpoint. A store that keeps the turn itself returns a new checkpoint if
        there is a turn.
        """
        ...

    async def write(
        self,
        *,
        thread_id: str,
        checkpoint_id: str,
        key: str,
        text: str,
        expires_at: int,
        task_id: str = "",
        scope_hash: str = "",
    ) -> None:
        """Write the text; writing the same text again is allowed, and never makes its time shorter.

        After `expires_at` (epoch seconds) no request needs the text; the store adds its own retention to it. `task_id`
        is for savers that group writes by task; other stores ignore it.

        Raises:
            PauseConflict: another text is recorded there.
            StoreUnavailable: the text was not written, or this is not known.
        """
        ...

    async def read(self, *, thread_id: str, checkpoint_id: str, key: str, scope_hash: str = "") -> StoredText | None:
        """Return the text recorded under the key, or None."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PausedState:
    """Everything that is recorded for one pause; a missing part is None."""

    request: StoredText | None
    turn: StoredText | None
    row: LedgerRow | None

    def of(self, claims: PauseClaims) -> PausedState:
        """Return this state.

        A turn that the row does not know is left out: a mint that was refused, because another principal has minted the
        pause, may have recorded it. A row of an older version admits every principal, so its turn stays.

        Raises:
            TokenRejected: the row is that of another token than these claims.
            PauseErased: the content of the pause was erased.
        """
        if self.row is None:
            return self
        self.row.require_of(claims)
        self.row.require_content()
        foreign = self.row.claims.scoped and not self.row.turn_recorded
        return replace(self, turn=None) if foreign else self


class PausedStateReader(Protocol):
    """Reads everything recorded for one pause, in one round trip where the store can."""

    async def read(self, claims: PauseClaims) -> PausedState:
        """Return the recorded request, the recorded turn and the ledger row; raises StoreUnavailable."""
        ...


class AuditTrail(Protocol):
    """Keeps records that must be proven later."""

    async def record(self, event: CrossScopeRedemption) -> None:
        """Keep the event; errors propagate, because a redemption without an audit record must not continue."""
        ...
