"""One deployment for each file, since other files have an emulated AWS of their own; each test is an application."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from local.emulated.stack import Stack
from tests.built.agents.application import Application

# It imports the types of the protocols, which only `.venv-agents` has.
collect_ignore = ["test_protocol_types.py"] if find_spec("a2a") is None else []


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with Stack() as up:
        yield up


@pytest.fixture
def application(stack: Stack, tmp_path: Path, request: pytest.FixtureRequest) -> Application:
    return Application(name=request.param, api=stack.url, state=tmp_path)
