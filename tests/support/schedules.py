"""Runs coroutines in every order of their steps; a step ends where a port is called."""

from collections.abc import Callable, Coroutine, Generator, Sequence
from typing import Any

from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ledger import AcceptedAnswer, LedgerRow, Receipt
from askback.domain.pause.waiters import Waiter
from askback.domain.ports import DeliveryResult
from askback.testing.memory_ledger import InMemoryLedger
from askback.testing.memory_waiters import InMemoryWaiters

Task = Coroutine[Any, Any, Any]


class _Step:
    """Where a coroutine hands over to the next one."""

    def __await__(self) -> Generator[None]:
        yield


async def one_after_the_other(first: Task, second: Task) -> tuple[Any, Any]:
    """Overlap nothing, so that the steps of one request have one order."""
    return await first, await second


class SteppedLedger(InMemoryLedger):
    """A ledger before whose calls another request may run."""

    async def issue(self, row: LedgerRow) -> LedgerRow:
        await _Step()
        return await super().issue(row)

    async def find(self, jti: str) -> LedgerRow | None:
        await _Step()
        return await super().find(jti)

    async def replace_waiter(self, row: LedgerRow, waiter: Waiter) -> bool:
        await _Step()
        return await super().replace_waiter(row, waiter)

    async def claim(
        self,
        claims: PauseClaims,
        answer: AcceptedAnswer,
        *,
        redeliver_at: int | None = None,
        waiter: Waiter | None = None,
        seen: LedgerRow | None = None,
    ) -> Receipt:
        await _Step()
        return await super().claim(claims, answer, redeliver_at=redeliver_at, waiter=waiter, seen=seen)


class SteppedWaiters(InMemoryWaiters):
    """Waiters before whose outcome another request may run.

    The question whether one waits is no step of its own: in these worlds only a delivery changes the answer.
    """

    async def deliver(self, waiter: Waiter, row: LedgerRow, outcome: str) -> DeliveryResult:
        await _Step()
        return await super().deliver(waiter, row, outcome)


def every_order(begin: Callable[[], Sequence[Task]], check: Callable[[Sequence[Any]], None]) -> int:
    """Run the tasks in every order, each time from the beginning, and return how many orders there are.

    `begin` prepares a world and returns its tasks. `check` gets what each task returned or raised.
    """
    count, choices = 0, _Choices()
    while choices.more:
        check(_run(begin(), choices))
        count += 1
        choices.next()
    return count


class _Choices:
    """A path through a tree of choices; `next` goes to the path that follows."""

    def __init__(self) -> None:
        self.more = True
        self._path: list[tuple[int, int]] = []
        self._place = 0

    def choose(self, options: int) -> int:
        if self._place == len(self._path):
            self._path.append((0, options))
        self._place += 1
        return self._path[self._place - 1][0]

    def next(self) -> None:
        self._place = 0
        while self._path:
            chosen, options = self._path.pop()
            if chosen + 1 < options:
                self._path.append((chosen + 1, options))
                return
        self.more = False


def _run(tasks: Sequence[Task], choices: _Choices) -> list[Any]:
    results: list[Any] = [None] * len(tasks)
    running = list(range(len(tasks)))
    # What comes before a task's first step has no effect on the others.
    first = list(running)
    while running:
        number = first.pop(0) if first else running[choices.choose(len(running))]
        try:
            tasks[number].send(None)
        except StopIteration as done:
            results[number] = done.value
            running.remove(number)
        except Exception as error:  # noqa: BLE001 - what a request raises is its result
            results[number] = error
            running.remove(number)
    return results
