"""Keys rotate under pauses in flight: on Secrets Manager's own stages, with the functions as they are deployed."""

import json

import jwt
import pytest

from askback.domain.keys.next_ring import ROTATION_MAX_SECONDS, key_id_of
from askback.domain.keys.ring import RING_CACHE_SECONDS
from askback.domain.keys.rotation import PendingRingUnfit
from askback.domain.limits import CLOCK_LEEWAY_SECONDS, TTL_MAX_SECONDS
from tests.support.key_secret import STEPS
from tests.support.request_bodies import Pause
from tests.support.sample_events import read_event
from tests.system.rotation.world import DAY, LEGACY, World


def signed_by(pause: Pause) -> set[str]:
    return {jwt.get_unverified_header(pause.minted[name])["kid"] for name in ("pause_token", "answer_token")}


def test_tokens_in_flight_work_through_two_rotations(world: World) -> None:
    first = world.process().pause(ttl_seconds=TTL_MAX_SECONDS)
    one = world.rotate()
    world.now += 10 * DAY
    second = world.process().pause(ttl_seconds=TTL_MAX_SECONDS)
    two = world.rotate()
    world.now += 10 * DAY
    third = world.process().pause()
    assert [signed_by(pause) for pause in (first, second, third)] == [{"initial"}, {one}, {two}]
    assert world.secret.keys() == {"initial", one, two}
    for pause in (first, second, third):
        assert world.process().redeems(pause)


def test_a_process_that_knows_the_ring_before_goes_on_and_finds_the_new_key(world: World) -> None:
    warm = world.process()
    before = warm.pause()
    new = world.rotate()
    after = world.process().pause()
    still = warm.pause()
    assert [signed_by(pause) for pause in (before, after, still)] == [{"initial"}, {new}, {"initial"}]
    for pause in (before, after, still):
        assert warm.redeems(pause)


@pytest.mark.parametrize("step", STEPS)
def test_a_mint_in_the_middle_of_a_rotation_is_signed_by_a_key_that_stays(world: World, step: str) -> None:
    token = world.secret.begin()
    for done in STEPS[: STEPS.index(step) + 1]:
        world.step(done, token)
    pause = world.process().pause()
    assert signed_by(pause) == {key_id_of(token) if step == "finishSecret" else "initial"}
    for rest in STEPS[STEPS.index(step) + 1 :]:
        world.step(rest, token)
    assert world.process().redeems(pause)


def test_a_key_goes_at_the_first_rotation_after_its_time_and_not_before(world: World) -> None:
    pause = world.process().pause(ttl_seconds=TTL_MAX_SECONDS)
    one = world.rotate()
    until = int(world.secret.ring()["until:initial"])
    assert until == world.start + ROTATION_MAX_SECONDS + RING_CACHE_SECONDS + TTL_MAX_SECONDS + CLOCK_LEEWAY_SECONDS
    world.now = until - 1
    two = world.rotate()
    assert world.secret.keys() == {"initial", one, two}
    assert world.process().post("/resume", pause.resume()).said == (410, "expired")
    world.now = until
    three = world.rotate()
    assert world.secret.keys() == {one, two, three}
    assert world.process().post("/resume", pause.resume()).said == (401, "token-rejected")


def test_a_key_past_its_time_can_have_no_pause_left(world: World) -> None:
    """The last process to sign with it read its ring just before the longest rotation came to its end."""
    token = world.secret.begin()
    for step in STEPS[:3]:
        world.step(step, token)
    world.now += ROTATION_MAX_SECONDS
    warm = world.process()
    warm.pause()
    world.step("finishSecret", token)
    world.now += RING_CACHE_SECONDS
    last = warm.pause(ttl_seconds=TTL_MAX_SECONDS)
    assert signed_by(last) == {"initial"}
    world.now = int(world.secret.ring()["until:initial"]) - CLOCK_LEEWAY_SECONDS
    assert world.uses() == {}
    assert world.process().post("/resume", last.resume()).said == (410, "expired")


def test_a_key_is_proved_to_be_drained_by_what_is_still_open(world: World) -> None:
    old = world.process().pause()
    new = world.rotate()
    world.process().pause()
    assert {key: use.outstanding for key, use in world.uses().items()} == {"initial": 1, new: 1}
    assert world.uses()["initial"].latest_expiry == world.start + 3600
    assert world.process().redeems(old)
    assert set(world.uses()) == {new}


def test_a_retried_mint_gives_the_same_tokens_across_a_rotation(world: World) -> None:
    request = {"checkpoint_id": "cp-1"}
    pause = world.process().pause(**request)
    world.rotate()
    again = world.process().post("/pauses", pause.request).document
    assert again["pause_token"] == pause.minted["pause_token"]


def test_the_legacy_key_stays(world: World) -> None:
    world.secret.put({**world.secret.ring(), **LEGACY})
    world.rotate()
    world.rotate()
    assert world.secret.ring()["legacy"] == LEGACY["legacy"]


def test_a_key_that_was_taken_out_by_hand_stays_out_and_keeps_no_rotation_from_starting(world: World) -> None:
    one = world.rotate()
    world.secret.put({name: value for name, value in world.secret.ring().items() if not name.endswith(":initial")})
    two = world.rotate()
    assert world.secret.keys() == {one, two}


def test_a_new_key_is_64_letters_and_digits_and_no_two_are_the_same(world: World) -> None:
    for _ in range(3):
        world.rotate()
    ring = world.secret.ring()
    keys = [ring[f"key:{key_id}"] for key_id in world.secret.keys() - {"initial"}]
    assert len(set(keys)) == 3
    assert all(len(key) == 64 and key.isalnum() and key.isascii() for key in keys)


def test_setting_up_a_schedule_tests_the_function_and_changes_nothing(world: World) -> None:
    """CloudFormation makes the schedule without rotating: a mere copy of the ring is put through `testSecret`."""
    before, version = world.secret.ring(), world.secret.version()
    (said,) = world.secret.try_schedule(world.invoke)
    assert said["step"] == "testSecret"
    assert (world.secret.ring(), world.secret.version()) == (before, version)


def test_the_sample_is_the_first_step_of_a_rotation(world: World) -> None:
    minted = world.process().pause().minted
    token = world.secret.begin()
    event = read_event("rotate-create", minted, secret_id=world.secret.arn, version_id=token)
    assert set(world.invoke(event)) == {"step", "version_id", "did"}
    assert f"key:{key_id_of(token)}" in world.secret.ring("AWSPENDING")


def test_what_is_logged_names_steps_and_ids_and_never_a_key(world: World) -> None:
    world.rotate()
    token = world.secret.begin()
    world.step("createSecret", token)
    world.secret.put({**world.secret.ring(), **LEGACY})
    with pytest.raises(PendingRingUnfit):
        world.step("finishSecret", token)
    world.rotate()
    written = world.output.getvalue()
    lines = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
    assert {line["step"] for line in lines if "step" in line} == set(STEPS)
    assert [line["code"] for line in lines if line.get("message") == "could not rotate"] == ["pending-ring-unfit"]
    for name, value in world.secret.ring().items():
        if name.startswith("key:") or name == "legacy":
            assert value not in written
            assert value[:16] not in written
