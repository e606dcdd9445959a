"""One deployment for all of this folder: it takes seconds to come up."""

from collections.abc import Iterator

import pytest

from tests.built.deployed.deployment import deployed
from tests.built.deployed.world import World


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    """Return the deployed stack with everybody around it; when it fails, what MiniStack said is shown."""
    with deployed() as deployment:
        yield World(deployment)
