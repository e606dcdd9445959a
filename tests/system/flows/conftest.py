"""One deployment for all tests of this folder; each leaves no execution running."""

from collections.abc import Iterator

import pytest

from tests.system.flows.flows import Flows


@pytest.fixture(scope="package")
def deployed() -> Iterator[Flows]:
    with Flows() as up:
        yield up


@pytest.fixture
def flows(deployed: Flows) -> Iterator[Flows]:
    yield deployed
    deployed.stop_all()
