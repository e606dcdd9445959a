"""One deployment for all attacks; they share its stores and no pause."""

from collections.abc import Iterator

import pytest

from tests.support.function_deployment import Deployment, Handlers


@pytest.fixture(scope="package")
def deployment() -> Iterator[Deployment]:
    with Deployment() as up:
        yield up


@pytest.fixture
def handlers(deployment: Deployment) -> Handlers:
    return deployment.handlers
