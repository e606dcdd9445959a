"""One emulator for both suites of this folder; every test has a key secret and a time of its own."""

from collections.abc import Iterator

import pytest

from tests.support.key_secret import KeySecret, Rotations
from tests.system.rotation.world import World


@pytest.fixture(scope="package")
def rotations() -> Iterator[Rotations]:
    with Rotations.served() as served:
        yield served


@pytest.fixture
def world(rotations: Rotations) -> World:
    return World(KeySecret(rotations))
