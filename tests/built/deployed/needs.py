"""What every permission is for: the story that needs it, how that ends, and how it ends without the permission."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.built.deployed.policies import Permission
from tests.built.deployed.world import World

Story = Callable[[World], str]
"""Tells a story on the deployment and returns how it ended, in a few words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """A story that ends as `whole` while the role is whole, and as `cut` without the permission."""

    story: Story
    whole: str
    cut: str


NEEDS: dict[Permission, Need] = {}


def needs(*permission: str, whole: str, cut: str) -> Callable[[Story], Story]:
    """Enter a story for the permission of a role, a statement and an action."""
    role, statement, action = permission

    def enter(story: Story) -> Story:
        key = Permission(role=role, statement=statement, action=action)
        assert key not in NEEDS, key
        NEEDS[key] = Need(story=story, whole=whole, cut=cut)
        return story

    return enter


FORBIDDEN = "500 misconfigured"
"""What callers are told when the function may not use one of its stores; its log says which."""
