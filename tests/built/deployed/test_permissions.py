"""Every permission of every role is needed, and none is missing: cut by one action, a story ends otherwise."""

from typing import Final

import pytest

from tests.built.deployed import (
    audit_stories,
    ended_stories,
    example_stories,
    inbox_stories,
    links_stories,
    mcp_stories,
    mint_stories,
    notify_stories,
    page_stories,
    resume_stories,
    role_stories,
    rotate_stories,
    sweep_stories,
)
from tests.built.deployed.needs import NEEDS
from tests.built.deployed.policies import Permission
from tests.built.deployed.unenforced import UNENFORCED
from tests.built.deployed.world import World

pytestmark = pytest.mark.deployed

STORIES: Final = (
    audit_stories,
    ended_stories,
    example_stories,
    inbox_stories,
    links_stories,
    mcp_stories,
    mint_stories,
    notify_stories,
    page_stories,
    resume_stories,
    role_stories,
    rotate_stories,
    sweep_stories,
)
"""Importing them entered their stories."""


def test_no_role_is_allowed_what_no_story_needs(world: World) -> None:
    """A permission that no story needs is spare; a story whose permission is gone cannot end well."""
    allowed = list(world.deployment.roles.permissions())
    assert len(allowed) == len(set(allowed)), "a permission is granted twice"
    assert set(allowed) == set(NEEDS) | set(UNENFORCED)
    assert not set(NEEDS) & set(UNENFORCED)


@pytest.mark.parametrize("permission", sorted(NEEDS), ids=str)
def test_without_one_permission_its_story_ends_otherwise(world: World, permission: Permission) -> None:
    need = NEEDS[permission]
    world.forget_everything()
    assert need.story(world) == need.whole
    with world.deployment.roles.without(permission):
        world.forget_everything()
        assert need.story(world) == need.cut


def test_a_permission_that_comes_back_works_again(world: World) -> None:
    """Nothing of a cut is left behind, in the roles or in the functions that were refused."""
    before = sorted(world.deployment.roles.permissions())
    permission = Permission(role="MintRole", statement="RecordThePause", action="dynamodb:PutItem")
    with world.deployment.roles.without(permission):
        assert sorted({*before} - {*world.deployment.roles.permissions()}) == [permission]
    assert sorted(world.deployment.roles.permissions()) == before
    assert NEEDS[permission].story(world) == NEEDS[permission].whole
