"""How outcomes reach the runs that wait for them, and where a deployment announces what happened."""

import secrets
from dataclasses import dataclass

from askback.adapters.aws.clients import DELIVERY_CONFIG
from askback.adapters.delivery import AwsDelivery, NoBusForWaiters, NoEvents
from askback.adapters.event_bridge import EventBridgeEvents
from askback.domain.delivery.delivery import Delivery
from askback.domain.ports import EventSink
from askback.wiring.stores import Stores


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlets:
    """What leaves a deployment: deliveries to waiters, and events."""

    delivery: Delivery
    events: EventSink


def outlets(stores: Stores) -> Outlets:
    """Return the ways out of a deployment; one without an event bus announces nothing."""
    clients, bus = stores.clients, stores.settings.event_bus
    events: EventSink = NoEvents()
    waiting_events: EventSink = NoBusForWaiters()
    if bus:
        events = waiting_events = EventBridgeEvents(client=clients.when_needed("events"), bus=bus)
    delivery = Delivery(
        ledger=stores.ledger,
        port=AwsDelivery(
            step_functions=clients.when_needed("stepfunctions", DELIVERY_CONFIG),
            functions=clients.when_needed("lambda", DELIVERY_CONFIG),
            events=waiting_events,
        ),
        events=events,
        jitter=secrets.SystemRandom().random,
    )
    return Outlets(delivery=delivery, events=events)
