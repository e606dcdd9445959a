"""Requests of every route, made from the document: each reply is one that the document describes, and none is a 500."""

import os
from collections.abc import Callable, Iterator
from typing import Final

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings, strategies as st

from local.emulated.clock import MovedClock
from local.emulated.stack import Stack
from tests.support.described_replies import described_routes
from tests.support.template import WITH_JWT
from tests.system.openapi.world import World

pytestmark = pytest.mark.contract_fuzz

SEED: Final = int(os.environ.get("SEED", "20261130"))
EXAMPLES: Final = int(os.environ.get("EXAMPLES", "460"))
"""For each operation; an example is sent twice if it can be about a pause: together 20,000 requests."""
BATCH_COSTS: Final = 4
"""How many other requests a batch costs, with its many answers."""
REACHING: Final = 100
"""With so many examples or more, every success of a route is among its replies."""
FAULTS_SHOWN: Final = 10


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    parameters = {**WITH_JWT, "ReturnLinks": "true", "ListTitles": "true", "EventBusName": "default"}
    with Stack(parameters=parameters, clock=MovedClock()) as running:
        yield running


@pytest.fixture(scope="module")
def world(stack: Stack) -> World:
    return World(stack.url)


@pytest.mark.parametrize("route", sorted(described_routes()))
def test_every_reply_is_described_and_none_is_a_500(
    route: str, stack: Stack, world: World, record_property: Callable[[str, object], None]
) -> None:
    # Here, because the default run imports this module too, and Schemathesis takes a second.
    from tests.system.openapi.fuzz import Fuzz

    fuzz = Fuzz(route, world, stack.url)

    @seed(SEED)
    @settings(
        max_examples=EXAMPLES // BATCH_COSTS if "batch" in route else EXAMPLES,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def requests_of_the_route(data: st.DataObject) -> None:
        fuzz.shoot(data)

    requests_of_the_route()
    sent, shown = sum(fuzz.statuses.values()), "\n\n".join(fuzz.faults[:FAULTS_SHOWN])
    record_property("sent", sent)
    record_property("statuses", dict(fuzz.statuses))
    assert not fuzz.faults, f"SEED={SEED}: {len(fuzz.faults)} of {sent} replies are not described:\n{shown}"
    missed = {status for status in fuzz.documented if status < "400"} - {each.split()[0] for each in fuzz.statuses}
    # The page has no logo here, and no outcome is undeliverable: tests of the functions get those replies.
    assert not missed or EXAMPLES < REACHING or route.endswith(("/logo", "/redrive")), (
        f"SEED={SEED}: no reply of {sent} had the status {missed}"
    )
