"""What this deployment can ask."""

from askback.domain.interactions.registry import InteractionRegistry
from askback.interactions import REGISTRY


def interactions() -> InteractionRegistry:
    """Return the registry of the deployment."""
    return REGISTRY
