"""What the engine leaves behind, once for all tests, and a deployment that takes over from it."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.built.legacy.pauses import LeftBehind, left_behind
from tests.built.legacy.postgres import binaries, serving
from tests.support.cutover_deployment import Cutover, cut_over_to
from tests.support.function_deployment import Deployment


@pytest.fixture(scope="session")
def programs() -> Path:
    found = binaries()
    if found is None:
        pytest.skip("PostgreSQL is not installed (on Debian and Ubuntu, the postgresql package)")
    return found


@pytest.fixture(scope="session")
def postgres(programs: Path) -> Iterator[str]:
    with serving(programs) as dsn:
        yield dsn


@pytest.fixture(scope="session", params=["memory", "sqlite", "postgres"])
def left(request: pytest.FixtureRequest) -> LeftBehind:
    """What the engine leaves behind with each of its savers."""
    if request.param == "postgres":
        return left_behind(request.getfixturevalue("postgres"))
    with tempfile.TemporaryDirectory() as folder:
        return left_behind("memory" if request.param == "memory" else f"sqlite:{folder}/checkpoints")


@pytest.fixture(scope="session")
def consumed(postgres: str) -> LeftBehind:
    """What it leaves behind after it has redeemed tokens itself."""
    return left_behind("memory", consuming=postgres)


@pytest.fixture(scope="session")
def deployment() -> Iterator[Deployment]:
    with Deployment() as up:
        yield up


@pytest.fixture
def cutover(deployment: Deployment, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cutover]:
    with cut_over_to(deployment, name=f"s{abs(hash(request.node.nodeid))}", folder=tmp_path) as up:
        yield up
