"""Rows of the version before, which says by counts whether an attempt may have landed, and rows that it must read.

During a deployment both versions work on the same rows, in either order. The samples are items as that version wrote
them, byte for byte. It counts `not_taken`, the attempts that are known to have done nothing, and takes a closed waiter
as told when an attempt besides the present one is in doubt.
"""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from askback.adapters.dynamodb.ledger_items import read_row
from askback.domain.delivery.delivery import Delivery
from askback.domain.errors import StoreUnavailable
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.ports import DeliveryResult
from askback.testing.memory_waiters import InMemoryEvents
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_acceptance, an_issued_row, some_claims
from tests.support.memory_deployment import NOW
from tests.support.recorded_samples import ROWS_WITH_COUNTS as ROWS

WAITER = Waiter(kind=WaiterKind.STEP_FUNCTIONS, address="AAAA+/==")
MAY_HAVE_LANDED = {
    "issued": False,
    "answered": True,
    "answered_nothing_landed": False,
    "answered_twice_nothing_landed": False,
    "answered_third_lost": True,
    "answered_third_lost_fourth_nothing": True,
    "undeliverable_closed": False,
    "undeliverable_nothing_landed": False,
    "undeliverable_lost": True,
    "redriven_nothing_landed": False,
    "redriven_lost": True,
    "delivered": True,
}
DUE = [name for name, row in ROWS.items() if row["status"]["S"] == "answered"]
NOTHING_LANDED, LOST = StoreUnavailable(reason="throttled"), StoreUnavailable(reason="the reply was lost")
NOTHING_LANDED.did_nothing = True


class OneWaiter:
    """A waiter that does the same at every attempt."""

    def __init__(self) -> None:
        self.does: DeliveryResult | StoreUnavailable = DeliveryResult.TAKEN

    async def still_waits(self, waiter: Waiter) -> bool:
        return True

    async def deliver(self, waiter: Waiter, row: LedgerRow, outcome: str) -> DeliveryResult:
        if isinstance(self.does, StoreUnavailable):
            raise self.does
        return self.does

    fail = deliver


class Scene:
    """One row in the table, and a delivery that works on it."""

    def __init__(self, aws: Aws) -> None:
        self.aws = aws
        self.ledger = aws.ledger()
        self.waiter = OneWaiter()
        self.at = NOW + 60
        self.delivery = Delivery(ledger=self.ledger, port=self.waiter, events=InMemoryEvents(), jitter=lambda: 1.0)

    def put(self, item: dict[str, Any]) -> None:
        self.aws.empty()
        self.aws.dynamodb.put_item(TableName=self.aws.stores.table, Item=item)

    @property
    def item(self) -> dict[str, Any]:
        (item,) = self.aws.items()
        return dict(item)

    @property
    def row(self) -> LedgerRow:
        return read_row(self.item)

    def answer(self, does: DeliveryResult | StoreUnavailable) -> None:
        asyncio.run(self.ledger.issue(an_issued_row(waiter=WAITER, due_at=NOW + 3600)))
        row = asyncio.run(self.ledger.claim(some_claims(), an_acceptance(), redeliver_at=NOW + 120)).row
        self.waiter.does = does
        asyncio.run(self.delivery.first_attempt(row, at=self.at))

    def retry(self, does: DeliveryResult | StoreUnavailable) -> None:
        self.at += 4000
        self.waiter.does = does
        asyncio.run(self.delivery.retry(self.row, at=self.at))

    def give_up(self, does: StoreUnavailable) -> None:
        while self.row.status is PauseStatus.ANSWERED:
            self.retry(does)

    def redrive(self) -> None:
        self.at += 4000
        assert asyncio.run(self.ledger.redrive(self.row, at=self.at))


@pytest.fixture
def scene(aws: Aws) -> Scene:
    return Scene(aws)


def counted(item: dict[str, Any]) -> bool:
    """Return whether an attempt may have landed, as the version before counts it."""
    attempts, not_taken = (int(item.get(name, {"N": "0"})["N"]) for name in ("attempts", "not_taken"))
    return attempts > not_taken


@pytest.mark.parametrize("name", ROWS)
def test_a_row_of_before_is_read_with_the_same_meaning(name: str) -> None:
    row = read_row(ROWS[name])
    assert "may_have_landed" not in ROWS[name]
    assert row.status.value == name.partition("_")[0].replace("redriven", "answered")
    assert row.may_have_landed is MAY_HAVE_LANDED[name] is counted(ROWS[name])


@pytest.mark.parametrize("name", DUE)
def test_a_delivery_that_the_version_before_began_goes_on_here(scene: Scene, name: str) -> None:
    scene.put(ROWS[name])
    scene.retry(DeliveryResult.CLOSED)
    told = PauseStatus.DELIVERED if MAY_HAVE_LANDED[name] else PauseStatus.UNDELIVERABLE
    assert scene.row.status is told


@pytest.mark.parametrize("name", [name for name in ROWS if name.startswith("undeliverable")])
def test_a_row_of_before_is_redriven_and_forgets_nothing(scene: Scene, name: str) -> None:
    scene.put(ROWS[name])
    scene.redrive()
    assert (scene.row.attempts, scene.row.may_have_landed) == (0, MAY_HAVE_LANDED[name])
    assert counted(scene.item) is MAY_HAVE_LANDED[name]


def steps(scene: Scene) -> Iterator[Callable[[], None]]:
    """Yield the steps of one row through everything that changes what may have landed."""
    yield lambda: scene.answer(NOTHING_LANDED)
    yield lambda: scene.retry(NOTHING_LANDED)
    yield lambda: scene.retry(LOST)
    yield lambda: scene.retry(NOTHING_LANDED)
    yield lambda: scene.give_up(NOTHING_LANDED)
    yield scene.redrive
    yield lambda: scene.retry(NOTHING_LANDED)
    yield lambda: scene.give_up(LOST)
    yield scene.redrive
    yield lambda: scene.retry(DeliveryResult.CLOSED)


def test_the_version_before_reads_the_same_fact_at_every_step(scene: Scene) -> None:
    for step in steps(scene):
        step()
        assert counted(scene.item) is scene.row.may_have_landed
    assert scene.row.status is PauseStatus.DELIVERED


@pytest.mark.parametrize("first", [NOTHING_LANDED, LOST], ids=["nothing landed", "lost"])
def test_the_version_before_reads_the_same_fact_of_a_run_that_had_ended(scene: Scene, first: StoreUnavailable) -> None:
    scene.answer(first)
    scene.retry(DeliveryResult.CLOSED)
    assert counted(scene.item) is scene.row.may_have_landed is (first is LOST)
    if first is NOTHING_LANDED:
        assert scene.row.status is PauseStatus.UNDELIVERABLE
        scene.redrive()
        assert counted(scene.item) is scene.row.may_have_landed is False


def test_an_attempt_that_the_version_before_made_since_is_not_overlooked(scene: Scene) -> None:
    scene.answer(NOTHING_LANDED)
    # It counts its own attempt and knows nothing of the stored fact.
    begun = {**scene.item, "attempts": {"N": "2"}}
    assert begun["may_have_landed"] == {"BOOL": False}
    assert read_row(begun).may_have_landed
    assert not read_row({**begun, "not_taken": {"N": "2"}}).may_have_landed


def test_what_is_stored_stands_by_itself_once_nothing_counts_any_more() -> None:
    assert read_row({**ROWS["redriven_nothing_landed"], "may_have_landed": {"BOOL": True}}).may_have_landed


def test_the_usual_delivery_writes_what_the_version_before_wrote(scene: Scene) -> None:
    """No attribute more but a step's and a hash's, 23 bytes: the claim begins the attempt, and the counts say so."""
    scene.answer(DeliveryResult.TAKEN)
    new = {name: scene.item[name] for name in ("step", "terms")}
    assert scene.item == ROWS["delivered"] | new
    assert sum(len(name) + len(*value.values()) for name, value in new.items()) == 23
