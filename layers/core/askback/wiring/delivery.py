"""Builds the delivery of outcomes and the event sink of a deployment."""

import secrets

from askback.adapters.aws.clients import DELIVERY_CONFIG
from askback.adapters.delivery import AwsDelivery, NoBusForWaiters, NoEvents
from askback.adapters.event_bridge import EventBridgeEvents
from askback.domain.delivery.delivery import Delivery
from askback.domain.delivery.open_changes import OpenChanges
from askback.domain.ports import EventSink
from askback.wiring.stores import Stores


def open_changes(stores: Stores, delivery: Delivery) -> OpenChanges:
    """Return what changes open pauses and announces it."""
    alarm_seconds = stores.settings.open_alarm_seconds
    return OpenChanges(ledger=stores.ledger, delivery=delivery, open_alarm_seconds=alarm_seconds)


def delivery_and_events(stores: Stores) -> tuple[Delivery, EventSink]:
    """Return the delivery of outcomes and the event sink; without an event bus, the sink ignores the events."""
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
    return delivery, events
