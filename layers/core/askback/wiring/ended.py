"""The composition root of the ended function; it uses no tokens and no interactions."""

from collections.abc import Callable
from dataclasses import dataclass

from aws_lambda_powertools.logging import Logger

from askback.adapters.dynamodb.waiting_tasks import DynamoWaitingTasks
from askback.domain.delivery.ended import EndedRuns
from askback.domain.delivery.revoking import Revoking
from askback.wiring.delivery import delivery_and_events
from askback.wiring.sources import now
from askback.wiring.stores import open_stores


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedServices:
    """The services of the ended function; `clock` returns epoch seconds."""

    runs: EndedRuns
    clock: Callable[[], int]


def build(logger: Logger, *, clock: Callable[[], int] = now) -> EndedServices:
    """Build the services from the environment; raises as `open_stores` does."""
    stores = open_stores()
    delivery, _ = delivery_and_events(stores)
    tasks = DynamoWaitingTasks(
        client=stores.dynamodb,
        table=stores.settings.table_name,
        retention_seconds=stores.settings.retention_seconds,
    )
    runs = EndedRuns(
        tasks=tasks,
        ledger=stores.ledger,
        delivery=delivery,
        revoking=Revoking(ledger=stores.ledger, delivery=delivery),
    )
    return EndedServices(runs=runs, clock=clock)
