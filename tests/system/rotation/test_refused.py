"""Steps that must not be done: each is refused by name, and the keys that count stay as they are."""

import json
from typing import Any

import pytest

from askback.domain.errors import InteractionConfigurationError
from askback.domain.keys.next_ring import ROTATION_MAX_SECONDS
from askback.domain.keys.ring import RING_CACHE_SECONDS
from askback.domain.keys.rotation import (
    AnotherSecret,
    MalformedEvent,
    PendingRingUnfit,
    RotationError,
    RotationNotEnabled,
    UnknownStep,
    UnknownVersion,
)
from tests.support.key_secret import STEPS
from tests.system.rotation.world import LEGACY, World

BY_HAND = {"key:by-hand": "another key that only tests use, 32 bytes"}


@pytest.fixture
def pending(world: World) -> str:
    """Return the version of a rotation that has done its first three steps."""
    token = world.secret.begin()
    for step in STEPS[:3]:
        world.step(step, token)
    return token


def rotates(world: World) -> None:
    """Rotate once more, which has to succeed and to keep every key."""
    before = world.secret.keys()
    new = world.rotate()
    assert world.secret.keys() == {*before, new}


def refused(world: World, error: type[Exception], event: Any) -> None:
    before = world.secret.ring(), world.secret.version()
    with pytest.raises(error) as raised:
        world.invoke(event)
    assert (world.secret.ring(), world.secret.version()) == before
    for key in [value for name, value in before[0].items() if name.startswith("key:")]:
        assert key not in str(raised.value)
    said = [json.loads(line) for line in world.output.getvalue().splitlines() if '"could not rotate"' in line]
    assert said[-1]["reason"]
    assert said[-1]["code"] == getattr(raised.value, "code", "")


@pytest.mark.parametrize(
    "event",
    [
        {},
        [],
        None,
        "createSecret",
        {"Step": "createSecret", "SecretId": "x"},
        {"Step": "createSecret", "ClientRequestToken": "x"},
        {"SecretId": "x", "ClientRequestToken": "x"},
        {"Step": 1, "SecretId": "x", "ClientRequestToken": "x"},
        {"Step": "createSecret", "SecretId": None, "ClientRequestToken": "x"},
    ],
    ids=str,
)
def test_an_event_that_is_none_of_a_rotation_is_refused(world: World, event: Any) -> None:
    refused(world, MalformedEvent, event)


def test_a_step_that_this_build_does_not_know_is_refused(world: World) -> None:
    event = world.secret.event("dropSecret", world.secret.begin())
    refused(world, UnknownStep, event)


@pytest.mark.parametrize("step", STEPS)
def test_another_secret_is_not_touched(world: World, step: str) -> None:
    other = world.secret.client.create_secret(Name=f"other-{step}", SecretString=json.dumps(world.secret.ring()))
    token = world.secret.begin()
    refused(world, AnotherSecret, {"Step": step, "SecretId": other["ARN"], "ClientRequestToken": token})
    assert "AWSPENDING" in world.secret.stages()[token]


@pytest.mark.parametrize("step", STEPS)
def test_a_secret_that_is_not_set_up_to_be_rotated_is_left_alone(world: World, step: str) -> None:
    event = world.secret.event(step, world.secret.version())
    refused(world, RotationNotEnabled, event)
    world.secret.begin()
    world.secret.client.cancel_rotate_secret(SecretId=world.secret.arn)
    refused(world, RotationNotEnabled, event)


@pytest.mark.parametrize("step", STEPS)
def test_a_version_that_is_not_the_pending_one_is_refused(world: World, step: str) -> None:
    for _ in range(2):
        rotates(world)
    for version in ("d565feff-8f3d-4c57-9c0b-6b0a4a1f7e52", world.secret.version("AWSPREVIOUS")):
        refused(world, UnknownVersion, world.secret.event(step, version))


@pytest.mark.parametrize("step", ["testSecret", "finishSecret"])
def test_a_pending_version_that_holds_nothing_is_refused(world: World, step: str) -> None:
    token = world.secret.begin()
    refused(world, UnknownVersion, world.secret.event(step, token))
    for rest in STEPS:
        world.step(rest, token)
    assert world.secret.version() == token


@pytest.mark.parametrize("step", STEPS)
def test_every_step_can_be_asked_for_again_at_any_later_time(world: World, step: str) -> None:
    token = world.secret.begin()
    for done in STEPS:
        world.step(done, token)
        if STEPS.index(done) >= STEPS.index(step):
            kept = world.secret.ring_of(token), world.secret.ring(), world.secret.stages()
            world.step(step, token)
            assert (world.secret.ring_of(token), world.secret.ring(), world.secret.stages()) == kept
    assert world.secret.version() == token
    assert len(world.secret.keys()) == 2


CHANGES = {
    "a legacy key was put in": lambda ring: {**ring, **LEGACY},
    "a key was put in": lambda ring: {**ring, **BY_HAND},
    "a key was taken out": lambda ring: {name: ring[name] for name in ring if not name.endswith(":old")},
    "another key signs": lambda ring: (
        {**ring, "current": "old", "until:initial": ring["until:old"]} | {"until:old": ...}
    ),
    "a key was prolonged": lambda ring: {**ring, "until:old": str(int(ring["until:old"]) + 1)},
    "the key itself is another": lambda ring: {**ring, "key:old": BY_HAND["key:by-hand"]},
}


@pytest.mark.parametrize("step", ["createSecret", "testSecret", "finishSecret"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_an_operator_changes_meanwhile_is_not_lost(world: World, change: Any, step: str) -> None:
    old = {"key:old": "an old key that only tests use, 32 bytes", "until:old": str(world.start + 100_000)}
    world.secret.put({**world.secret.ring(), **old})
    token = world.secret.begin()
    world.step("createSecret", token)
    changed = {name: value for name, value in change(world.secret.ring()).items() if value is not ...}
    world.secret.put(changed)
    if step == "testSecret":
        # It is enough for it that no token in flight would be lost.
        try:
            world.step(step, token)
        except PendingRingUnfit:
            pass
        else:
            step = "finishSecret"
    if world.secret.is_pending():
        refused(world, PendingRingUnfit, world.secret.event(step, token))
    assert world.secret.ring() == changed
    assert not world.secret.is_pending()
    rotates(world)
    assert changed.items() - world.secret.ring().items() <= {("current", changed["current"])}


def test_a_pending_ring_may_wait_for_a_day_and_no_longer(world: World, pending: str) -> None:
    world.now += ROTATION_MAX_SECONDS + 1
    event = world.secret.event("finishSecret", pending)
    refused(world, PendingRingUnfit, event)
    rotates(world)


def test_a_pending_ring_that_waited_for_a_day_keeps_the_old_key_long_enough(world: World, pending: str) -> None:
    world.now += ROTATION_MAX_SECONDS
    world.step("finishSecret", pending)
    assert int(world.secret.ring()["until:initial"]) > world.now + RING_CACHE_SECONDS


@pytest.mark.parametrize(
    "text", ["", "{}", "no ring", json.dumps({"current": "k", "key:k": "short"})], ids=["empty", "{}", "text", "short"]
)
@pytest.mark.parametrize("step", ["createSecret", "testSecret", "finishSecret"])
def test_a_pending_version_that_holds_no_ring_is_let_go(world: World, step: str, text: str) -> None:
    token = world.secret.begin()
    version: dict[str, Any] = {"SecretString": text} if text else {"SecretBinary": b"bytes"}
    world.secret.client.put_secret_value(
        SecretId=world.secret.arn, ClientRequestToken=token, VersionStages=["AWSPENDING"], **version
    )
    refused(world, PendingRingUnfit, world.secret.event(step, token))
    rotates(world)


def test_a_ring_that_cannot_be_read_is_not_replaced(world: World) -> None:
    good = world.secret.ring()
    world.secret.put({"current": "nobody"})
    token = world.secret.begin()
    event = world.secret.event("createSecret", token)
    refused(world, InteractionConfigurationError, event)
    world.secret.put(good)
    for step in STEPS:
        world.step(step, token)
    assert world.secret.version() == token


def test_a_deployment_with_a_local_ring_has_nothing_to_rotate(world: World) -> None:
    ring = {"ASKBACK_KEY_SECRET_ID": "", "ASKBACK_LOCAL_KEY_RING": json.dumps(world.secret.ring())}
    with pytest.raises(InteractionConfigurationError):
        world.invoke(world.secret.event("createSecret", world.secret.begin()), **ring)


def test_every_refusal_of_a_rotation_has_a_code_of_its_own() -> None:
    codes = [error.code for error in RotationError.__subclasses__()]
    assert len(codes) == len(set(codes)) == 6
