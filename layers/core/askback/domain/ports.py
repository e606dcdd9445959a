"""What the domain needs from the outside, as protocols; one contract suite for each runs on every implementation.

All are async so that a deployment may put a network behind them. Implementations raise the errors of
`askback.domain.errors` and what is documented here, nothing else; `StoreUnavailable` always means that the caller may
send the same request again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    # Every function loads the ports, and few of them all that is named here.
    from askback.domain.pause.audit import CrossScopeRedemption
    from askback.domain.pause.claims import PauseClaims, PauseIdentity
    from askback.domain.pause.events import PauseEvent
    from askback.domain.pause.ledger import AcceptedAnswer, LedgerRow, Receipt, RowChange
    from askback.domain.pause.listing import ListPlace, PausePage
    from askback.domain.pause.waiters import Waiter


@dataclass(frozen=True, slots=True)
class SignedBody:
    """The claims of a token whose signature was good; `legacy` when the legacy key signed it."""

    claims: Mapping[str, Any]
    legacy: bool


class TokenCodec(Protocol):
    """Signs claims into a compact JWT and proves that an envelope was signed by a key of the ring.

    Every method raises InteractionConfigurationError when there is no usable ring.
    """

    async def current_key_id(self) -> str:
        """Return the id of the key that signs new pauses; it may have been replaced some minutes ago."""
        ...

    async def has_key(self, key_id: str) -> bool:
        """Tell whether the ring still has this key."""
        ...

    async def sign(self, claims: Mapping[str, Any], *, key_id: str) -> str:
        """Return the envelope, signed with the named key: the same claims and key give the same bytes.

        Raises:
            LookupError: the ring has no such key.
        """
        ...

    async def verify(self, envelope: str) -> SignedBody:
        """Return what was signed; raises TokenRejected for anything else, malformed and forged alike."""
        ...


class IssuanceLedger(Protocol):
    """The rows of all pauses, moved only by conditional writes."""

    async def issue(self, row: LedgerRow) -> LedgerRow:
        """Write the row if there is none under its jti; return the row that is there now, this one or the earlier."""
        ...

    async def claim(self, claims: PauseClaims, answer: AcceptedAnswer, *, redeliver_at: int | None = None) -> Receipt:
        """Accept the answer, once.

        The row must exist, be `issued` and not have expired at `answer.answered_at`; a legacy pause has no row and is
        claimed by writing one. Refused claims are told apart by `settle_refused_claim`. With `redeliver_at` the same
        write begins the first delivery: the row is due again at that time, unless it is settled before. It must be
        given exactly when the row has a waiter; StoreUnavailable says that the row gained one since it was read.
        """
        ...

    async def find(self, jti: str) -> LedgerRow | None:
        """Return the row as it is now, read consistently, or None."""
        ...

    async def response_of(self, row: LedgerRow) -> str:
        """Return the text of an answered row's answer, wherever it is kept.

        Raises:
            LookupError, ValueError: the body of a large answer is gone, or damaged.
        """
        ...

    async def replace_waiter(self, row: LedgerRow, waiter: Waiter) -> bool:
        """Make `waiter` the one who waits, if the pause is still `issued`; returns whether it is."""
        ...

    async def replace_key(self, row: LedgerRow, key_id: str) -> bool:
        """Note that another key signs the pause from now on, if it is still `issued` and noted with the key of `row`.

        Returns whether it was noted.
        """
        ...

    async def advance(self, seen: LedgerRow, change: RowChange) -> bool:
        """Apply the change if status, due time and waiter are still as `seen`; returns whether it was applied.

        A row that nothing is due for is never changed.
        """
        ...

    async def redrive(self, seen: LedgerRow, *, at: int) -> bool:
        """Make the row `seen.redriven(at=at)` if it is `undeliverable` still; returns whether it was done."""
        ...

    async def due(self, *, at: int, limit: int) -> Sequence[LedgerRow | PauseIdentity]:
        """Return up to `limit` rows whose due time is `at` or earlier, read consistently, the longest due first.

        An identity stands for a row that this build cannot read, so that it is named and holds up no other.
        """
        ...


class PauseDirectory(Protocol):
    """The pauses of each scope as a list."""

    async def of_scope(self, scope_hash: str, *, limit: int, after: ListPlace | None) -> PausePage:
        """Return up to `limit` pauses of the scope from behind the place `after`: open ones first, then by issue time.

        The place need not be taken any more. What is listed may lag behind the rows for a moment.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUse:
    """How many pauses a key has signed that are still open, and when the last of them expires (epoch seconds)."""

    key_id: str
    outstanding: int
    latest_expiry: int | None


class OutstandingPauses(Protocol):
    """Counts the pauses that are still open, by the key that signed them."""

    async def outstanding_by_key(self, *, at: int) -> Mapping[str, KeyUse]:
        """Return the use of every key that has signed a pause which is `issued` and has not expired at `at`.

        It may be some seconds behind the ledger: a pause that was minted or answered just now can be missing, or still
        counted. A pause that names no key counts under the empty id. The cost follows what is open.

        Raises:
            StoreUnavailable, InteractionConfigurationError: they could not be counted.
        """
        ...


class DeliveryResult(StrEnum):
    """What a waiter said: it took the outcome, or it was not waiting any more."""

    TAKEN = "taken"
    CLOSED = "closed"


class DeliveryPort(Protocol):
    """Reaches the runs that wait.

    Raises, in every method, StoreUnavailable or InteractionConfigurationError when trying again later may help.
    """

    async def still_waits(self, waiter: Waiter) -> bool:
        """Tell whether the run still waits; a kind that cannot tell counts as waiting."""
        ...

    async def deliver(self, waiter: Waiter, row: LedgerRow, outcome: str) -> DeliveryResult:
        """Give the outcome to the run."""
        ...

    async def fail(self, waiter: Waiter, row: LedgerRow, outcome: str) -> DeliveryResult:
        """Tell the run that nobody answered, or that the question was withdrawn, as a failure it can catch."""
        ...


class EventSink(Protocol):
    """Announces what happened."""

    async def publish(self, event: PauseEvent) -> None:
        """Announce the event; raises StoreUnavailable or InteractionConfigurationError."""
        ...


class RecordedText(Protocol):
    """A recorded text that was found; reading it may cost another round trip."""

    async def read(self) -> str:
        """Return the text as it was written.

        Raises:
            LookupError: the body behind the record is gone.
            ValueError: the body is there, but its bytes are not those that were written.
            StoreUnavailable: it could not be read now.
        """
        ...


class CheckpointPort(Protocol):
    """Texts recorded under (thread, checkpoint, key), each written once."""

    async def checkpoint_for(self, thread_id: str, *, has_turn: bool) -> str | None:
        """Return the checkpoint a pause binds to when its caller named none, or None when there can be none.

        A saver answers with the thread's latest; a store that keeps the turn itself opens one if there is a turn to
        keep.
        """
        ...

    async def write(
        self, *, thread_id: str, checkpoint_id: str, key: str, text: str, expires_at: int, task_id: str = ""
    ) -> None:
        """Write the text; the same text again is fine.

        `expires_at` (epoch seconds) is when nobody needs it any more, before the store's own retention is added.
        `task_id` is for a saver that files writes by task; other stores have no use for it.

        Raises:
            PauseConflict: another text is recorded there.
            StoreUnavailable: it was not written, or it is not known whether it was.
        """
        ...

    async def read(self, *, thread_id: str, checkpoint_id: str, key: str) -> RecordedText | None:
        """Return what is recorded under the key, or None."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PausedState:
    """What is recorded for one pause; None for what is not there."""

    request: RecordedText | None
    turn: RecordedText | None
    row: LedgerRow | None


class PausedStateReader(Protocol):
    """Reads everything recorded for one pause, in one round trip where the store can."""

    async def read(self, claims: PauseClaims) -> PausedState:
        """Return the recorded request, the recorded turn and the ledger row; raises StoreUnavailable."""
        ...


class AuditTrail(Protocol):
    """Keeps what must be provable later."""

    async def record(self, event: CrossScopeRedemption) -> None:
        """Keep the event; a failure to do so propagates, because an unaudited redemption must not go on."""
        ...
