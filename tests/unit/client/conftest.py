"""One deployment for all tests of this folder, calm at the start of each; the client over both its transports."""

from collections.abc import Iterator

import pytest

from askback.client.client import AskbackClient
from tests.unit.client.deployed import Deployed


@pytest.fixture(scope="package")
def shared() -> Iterator[Deployed]:
    with Deployed() as up:
        yield up


@pytest.fixture
def deployed(shared: Deployed) -> Deployed:
    shared.calm()
    return shared


@pytest.fixture(params=["http", "invocation"])
def client(deployed: Deployed, request: pytest.FixtureRequest) -> AskbackClient:
    return deployed.client(getattr(deployed, request.param)())
