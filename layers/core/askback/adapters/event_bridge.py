"""Publishes events on an EventBridge bus."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.domain.errors import StoreUnavailable
from askback.domain.pause.events import PauseEvent

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient

SOURCE = "askback"


class EventBridgeEvents:
    """The event sink on EventBridge.

    An entry that the bus did not accept raises StoreUnavailable; it is never lost without an error.
    """

    def __init__(self, *, client: "Callable[[], EventBridgeClient]", bus: str) -> None:
        self._client = client
        self._bus = bus

    async def publish(self, event: PauseEvent) -> None:
        """Put the event on the bus."""
        client = self._client()
        try:
            reply = client.put_events(
                Entries=[
                    {
                        "EventBusName": self._bus,
                        "Source": SOURCE,
                        "DetailType": event.type.value,
                        "Detail": json.dumps(event.detail()),
                        "Time": datetime.fromtimestamp(event.at, UTC),
                    }
                ]
            )
        except CLIENT_ERRORS as error:
            raise classify(error, resource=f"event bus {self._bus}", endpoint=client.meta.endpoint_url) from error
        if reply["FailedEntryCount"]:
            raise StoreUnavailable(reason=f"event bus {self._bus}: {reply['Entries'][0].get('ErrorCode')}")
