"""One deployment for all tests of this folder; they share its stores and no pause."""

import hashlib
from collections.abc import Iterator

import pytest

from tests.support.function_deployment import Deployment, Handlers
from tests.support.operator_terminal import Terminal, a_terminal
from tests.support.recorded_output import Recorded
from tests.support.waiting_world import World, a_world


@pytest.fixture(scope="package")
def deployment() -> Iterator[Deployment]:
    with Deployment() as up:
        yield up


@pytest.fixture
def handlers(deployment: Deployment) -> Handlers:
    return deployment.handlers


@pytest.fixture(scope="package")
def shared_world(deployment: Deployment) -> Iterator[World]:
    with a_world(deployment) as up:
        yield up


@pytest.fixture
def world(shared_world: World) -> World:
    shared_world.settle()
    return shared_world


@pytest.fixture
def recorded(deployment: Deployment) -> Iterator[Recorded]:
    """What is written from here on; a test takes it after `world`, and no secret may stand in it at the end."""
    written = Recorded(deployment)
    yield written
    written.require_clean()


@pytest.fixture
def terminal(world: World, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    with a_terminal(world, f"askback-{hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:16]}") as up:
        yield up
