"""The open pauses of an execution that has ended: they are revoked, because no run waits for their answers.

A pause is revoked only if the waiter in its row is a task of this execution, and the service says that this task does
not wait any more. So these pauses stay open:

- one that another run has taken over, also between two attempts of that run
- one for which the same execution waits again, after a redrive

The write holds for the waiter that was asked. If an answer or another waiter comes first, nothing is revoked.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from askback.domain.delivery.delivery import Delivery
from askback.domain.delivery.revoking import TRIES, Revoking
from askback.domain.errors import HumanInteractionError, StoreUnavailable
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.executions import WaitingTask
from askback.domain.pause.ledger import LedgerRow, PauseStatus, Revocation
from askback.domain.pause.person_names import RUN_ENDED
from askback.domain.ports import IssuanceLedger, WaitingTasks

REASON: Final = "The run that asked has ended."
"""What people read on the page of such a pause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedRun:
    """What was done for one execution: the pauses that were revoked, and the error of each that failed, by its jti.

    If it was `cut_off`, no time was left for the other pauses.
    """

    revoked: tuple[PauseClaims, ...] = ()
    failed: Mapping[str, HumanInteractionError] = field(default_factory=dict)
    cut_off: bool = False

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do; otherwise the same event must come again."""
        return not (self.failed or self.cut_off)


class EndedRuns:
    """Revokes the open pauses of executions that have ended; the same event again does only what is left."""

    def __init__(self, *, tasks: WaitingTasks, ledger: IssuanceLedger, delivery: Delivery, revoking: Revoking) -> None:
        self._tasks = tasks
        self._ledger = ledger
        self._delivery = delivery
        self._revoking = revoking

    async def end(self, execution: str, *, at: int, may_go_on: Callable[[], bool]) -> EndedRun:
        """Revoke the open pauses for which a task of the execution waited; `at` is epoch seconds.

        A pause that fails does not stop the others.

        Raises:
            StoreUnavailable, InteractionConfigurationError: the pauses of the execution could not be found.
        """
        pauses: dict[str, set[WaitingTask]] = defaultdict(set)
        for task in await self._tasks.of(execution):
            pauses[task.jti].add(task)
        revoked: list[PauseClaims] = []
        failed: dict[str, HumanInteractionError] = {}
        for jti, tasks in pauses.items():
            if not may_go_on():
                return EndedRun(revoked=tuple(revoked), failed=failed, cut_off=True)
            try:
                row = await self._revoke(jti, tasks, at=at)
            except HumanInteractionError as error:
                failed[jti] = error
            else:
                if row is not None:
                    revoked.append(row.claims)
        return EndedRun(revoked=tuple(revoked), failed=failed)

    async def _revoke(self, jti: str, tasks: set[WaitingTask], *, at: int) -> LedgerRow | None:
        """Revoke the pause if one of these tasks is its waiter and does not wait; return its row if it was revoked."""
        revocation = Revocation(by=RUN_ENDED, at=at, reason=REASON)
        for _ in range(TRIES):
            row = await self._ledger.find(jti)
            # The mint may have died before it wrote the row. At its deadline, a pause is the sweep's.
            if row is None or row.status is not PauseStatus.ISSUED or at >= row.expires_at:
                return None
            if row.waiter is None or WaitingTask.of(jti, row.waiter) not in tasks:
                return None
            if await self._delivery.still_waits(row):
                return None
            if (revoked := await self._revoking.revoke_seen(row, revocation)) is not None:
                return revoked
        raise StoreUnavailable(reason="the pause changed at every try to revoke it")
