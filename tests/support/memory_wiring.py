"""A deployment over fakes, handed on the way `askback.wiring.in_process` hands on a real one."""

from askback.domain.delivery.delivery import Delivery
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.tokens.service import PauseTokenService
from askback.testing.memory_ledger import InMemoryLedger
from askback.testing.memory_waiters import InMemoryEvents
from tests.support.memory_deployment import InMemoryDeployment


class Wired:
    """What pauses over a saver share with the others of a deployment."""

    def __init__(self, deployment: InMemoryDeployment) -> None:
        self._deployment = deployment
        self.ledger: InMemoryLedger = deployment.ledger
        self.delivery: Delivery = deployment.delivery
        self.events: InMemoryEvents = deployment.events
        self.open_alarm_seconds: int = deployment.open_alarm_seconds

    @property
    def registry(self) -> InteractionRegistry:
        return self._deployment.registry

    @property
    def tokens(self) -> PauseTokenService:
        return self._deployment.tokens
