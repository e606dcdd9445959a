"""A function's services, built when it starts and not when it is first asked."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from askback.domain.errors import InteractionConfigurationError

if TYPE_CHECKING:
    from askback.wiring.services import Services


class Deferred:
    """Services built when the function starts; a deployment that is set up wrongly is told at each request instead.

    A function that failed to start would answer every request with the platform's bare error, and its log with a trace.
    `serving` is what the function serves with: it is made once, so that no request has to load what it imports.
    """

    def __init__(self, build: Callable[[], "Services"], *serving: Callable[["Services"], object]) -> None:
        self._build = build
        self._services: Services | None = None
        try:
            self._services = build()
            for make in serving:
                make(self._services)
        except InteractionConfigurationError:
            # Built again, and refused by name, when the first request asks.
            self._services = None

    def __call__(self) -> "Services":
        """Return the services; raises InteractionConfigurationError."""
        if self._services is None:
            self._services = self._build()
        return self._services
