"""The composition root of the sweep function; it uses no tokens and no interactions."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from aws_lambda_powertools.logging import Logger

from askback.adapters.dynamodb.open_census import DynamoOpenCensus
from askback.domain.delivery.sweep import Sweep
from askback.wiring.delivery import delivery_and_events
from askback.wiring.sources import new_attempt_id, now
from askback.wiring.stores import open_stores


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepServices:
    """The services of the sweep function; `clock` returns epoch seconds."""

    sweep: Sweep
    census: DynamoOpenCensus
    clock: Callable[[], int]
    new_attempt_id: Callable[[], str]


def build(logger: Logger, *, clock: Callable[[], int] = now) -> SweepServices:
    """Build the services from the environment; raises as `open_stores` does."""
    stores = open_stores()
    delivery, _ = delivery_and_events(stores)
    sweep = Sweep(
        ledger=stores.ledger,
        delivery=delivery,
        monotonic=time.monotonic,
        open_alarm_seconds=stores.settings.open_alarm_seconds,
    )
    census = DynamoOpenCensus(client=stores.dynamodb, table=stores.settings.table_name)
    return SweepServices(sweep=sweep, census=census, clock=clock, new_attempt_id=new_attempt_id)
