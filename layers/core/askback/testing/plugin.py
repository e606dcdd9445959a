"""The pytest plugin: the fixture `askback` is a deployment in the process of the test, a new one for each test.

    def test_refund(askback):
        agent = Agent(askback.client())
        agent.start()
        askback.answer(askback.pauses[0], choice="Approve")
        agent.go_on()

pytest loads this module if askback is installed, so it imports nothing before a test uses the fixture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from askback.domain.interactions.registry import InteractionRegistry
    from askback.testing.deployment import InProcessDeployment


@pytest.fixture
def askback_registry() -> InteractionRegistry:
    """The interactions of the deployment: the built-in ones. Override it to give your own `InteractionRegistry`."""
    try:
        from askback.interactions import REGISTRY
    except ModuleNotFoundError as missing:
        raise pytest.UsageError(
            f"the fixture `askback` needs {missing.name}: pip install 'askback[testing]'"
        ) from missing

    return REGISTRY


@pytest.fixture
def askback(askback_registry: InteractionRegistry) -> InProcessDeployment:
    """A deployment in this process, over stores in memory: its clients, its clock, and the people who answer."""
    from askback.testing.deployment import InProcessDeployment

    return InProcessDeployment(askback_registry)
