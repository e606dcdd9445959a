"""What every event sink promises, in memory and on EventBridge alike."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest

from askback.adapters.event_bridge import EventBridgeEvents
from askback.domain.pause.events import PauseEvent, PauseEventType
from askback.domain.pause.ledger import PauseStatus
from askback.domain.ports import EventSink
from askback.testing.memory_waiters import InMemoryEvents
from local.emulated.cloud import Cloud
from tests.support.domain_values import an_acceptance, an_issued_row
from tests.support.memory_deployment import NOW
from tests.support.waiting_runs import BUS, Listener

Heard = Callable[[], list[tuple[str, dict[str, Any]]]]
ROW = an_issued_row(status=PauseStatus.ANSWERED, answer=an_acceptance())


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    with Cloud() as up:
        yield up


class EventSinkContract:
    """Subclasses say which sink, and how to hear what it announced."""

    @pytest.fixture
    def sink(self) -> EventSink:
        raise NotImplementedError

    @pytest.fixture
    def heard(self) -> Heard:
        raise NotImplementedError

    @pytest.mark.parametrize("kind", PauseEventType)
    def test_an_event_is_announced_under_its_type_with_its_detail(
        self, sink: EventSink, heard: Heard, kind: PauseEventType
    ) -> None:
        event = PauseEvent(type=kind, row=ROW, at=NOW + 60)
        asyncio.run(sink.publish(event))
        assert heard() == [(kind.value, event.detail())]

    def test_the_same_event_twice_is_announced_twice(self, sink: EventSink, heard: Heard) -> None:
        for _ in range(2):
            asyncio.run(sink.publish(PauseEvent(type=PauseEventType.ISSUED, row=an_issued_row(), at=NOW)))
        assert [kind for kind, _ in heard()] == ["PauseIssued"] * 2


class TestInMemoryEvents(EventSinkContract):
    @pytest.fixture
    def sink(self) -> InMemoryEvents:
        return InMemoryEvents()

    @pytest.fixture
    def heard(self, sink: InMemoryEvents) -> Heard:
        return lambda: [(event.type.value, event.detail()) for event in sink.events]


class TestEventBridge(EventSinkContract):
    @pytest.fixture
    def sink(self, cloud: Cloud) -> EventSink:
        client = boto3.client("events")
        return EventBridgeEvents(client=lambda: client, bus=BUS)

    @pytest.fixture
    def listener(self, cloud: Cloud) -> Listener:
        listener = Listener()
        listener.heard()
        return listener

    @pytest.fixture
    def heard(self, listener: Listener) -> Heard:
        return lambda: [(event["detail-type"], event["detail"]) for event in listener.heard()]

    def test_the_envelope_says_from_whom_and_when(self, sink: EventSink, listener: Listener) -> None:
        asyncio.run(sink.publish(PauseEvent(type=PauseEventType.EXPIRED, row=ROW, at=NOW)))
        (event,) = listener.heard()
        assert event["source"] == "askback"
        assert event["time"].startswith("2026-09-21T14:13:20")
