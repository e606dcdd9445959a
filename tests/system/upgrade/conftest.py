"""The functions of today over the stores that a version of before has written."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.clock import SetClock
from tests.support.function_deployment import Deployment, Handlers


@pytest.fixture(scope="module")
def deployment() -> Iterator[Deployment]:
    with Deployment() as up:
        yield up


@pytest.fixture
def updated_over(deployment: Deployment) -> Callable[..., Handlers]:
    """Return what puts the rows and records of a sample into the stores, and loads the functions with its keys."""

    def load(sample: Any, clock: SetClock, **environment: str) -> Handlers:
        for found in sample["pauses"].values():
            for item in found["items"]:
                deployment.put(item)
        return deployment.load(
            clock=clock,
            ASKBACK_KEY_SECRET_ID="",
            ASKBACK_LOCAL_KEY_RING=json.dumps(sample["key_ring"]),
            **environment,
        )

    return load
