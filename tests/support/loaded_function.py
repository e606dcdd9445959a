"""A function's handler, over a registry and a clock of the test's own."""

from collections.abc import Callable
from typing import Any

from askback.domain.interactions.registry import InteractionRegistry
from askback.edge import handler as edge
from askback.interactions import REGISTRY
from askback.wiring.sources import now
from local.emulated.functions import Function, Handler

ASKING = ("mint", "resume")
"""The functions that are built with a registry."""


def load(function: Function, *, registry: InteractionRegistry = REGISTRY, clock: Callable[[], int] = now) -> Handler:
    """Load the function from its folder, in the environment of now; the page and the example have no services."""
    handler = function.load()
    if not isinstance(handler, edge.Handler) or (registry is REGISTRY and clock is now):
        return handler
    parts: dict[str, Any] = {"clock": clock} | ({"registry": registry} if function.code.name in ASKING else {})
    return handler.rebuilt(**parts)
