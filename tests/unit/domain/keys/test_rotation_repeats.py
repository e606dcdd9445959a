"""A step of a rotation that is repeated after it was done is done (D-51)."""

import asyncio
import json
from collections.abc import Callable

import pytest

from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.secrets.key_ring import FixedKeyRing
from askback.domain.errors import StoreUnavailable
from askback.domain.keys.facts import CURRENT, RingFacts, SecretState
from askback.domain.keys.next_ring import key_id_of
from askback.domain.keys.ring import KeyRing
from askback.domain.keys.rotation import (
    PENDING,
    KeyRotation,
    PendingRingUnfit,
    RingVersion,
    RotationRequest,
    Step,
)
from tests.support.memory_deployment import NOW

RING = json.dumps({"current": "initial", "key:initial": "a key that only tests use, 32 bytes+"})


class Versions:
    """The versions of a secret in memory; `after_state` happens once, right after the stages were read."""

    def __init__(self) -> None:
        self.texts = {"v1": RING}
        self.stages = {"v1": {CURRENT}, "v2": {PENDING}}
        self.after_state: Callable[[], None] = lambda: None
        self.tagged: RingFacts | None = None
        self.refuses_tags = False

    async def state(self) -> SecretState:
        stages = {name: frozenset(found) for name, found in self.stages.items()}
        state = SecretState(rotates=True, stages=stages, tagged=self.tagged)
        happens, self.after_state = self.after_state, lambda: None
        happens()
        return state

    async def current(self) -> RingVersion:
        (name,) = (name for name, found in self.stages.items() if CURRENT in found)
        return RingVersion(version_id=name, text=self.texts[name])

    async def pending(self, version_id: str) -> str | None:
        return self.texts.get(version_id) if PENDING in self.stages[version_id] else None

    async def store_pending(self, version_id: str, text: str) -> None:
        self.texts.setdefault(version_id, text)

    async def make_current(self, version_id: str, *, instead_of: str) -> None:
        self.stages[instead_of] = {"AWSPREVIOUS"}
        self.stages[version_id].add(CURRENT)

    async def publish(self, facts: RingFacts) -> None:
        if self.refuses_tags:
            raise StoreUnavailable(reason="the tags cannot be written")
        self.tagged = facts

    async def let_go(self, version_id: str) -> None:
        self.stages[version_id].discard(PENDING)


def done(versions: Versions, step: Step, version_id: str = "v2") -> str:
    rotation = KeyRotation(
        versions=versions,
        secret_id="arn:keys",
        codec_over=lambda text: JwtTokenCodec(FixedKeyRing(text)),
        clock=lambda: NOW,
        new_key=lambda: b"k" * 32,
    )
    return asyncio.run(rotation.run(RotationRequest(step=step, secret_id="arn:keys", version_id=version_id)))


def rotated() -> Versions:
    versions = Versions()
    for step in Step:
        done(versions, step)
    assert versions.stages == {"v1": {"AWSPREVIOUS"}, "v2": {CURRENT}}
    return versions


@pytest.mark.parametrize("step", Step)
def test_a_step_of_a_rotation_that_has_ended_is_done(step: Step) -> None:
    versions = rotated()
    before = json.dumps(versions.texts)
    assert done(versions, step) == "the version is already current"
    assert json.dumps(versions.texts) == before


def test_a_create_during_which_another_run_ends_the_rotation_is_done() -> None:
    versions = Versions()
    done(versions, Step.CREATE)

    def finish() -> None:
        versions.stages = {"v1": {"AWSPREVIOUS"}, "v2": {CURRENT}}

    versions.after_state = finish
    assert done(versions, Step.CREATE) == "the version is already current"


def test_a_version_whose_key_is_in_the_ring_of_another_is_unfit_by_name() -> None:
    """An operator copied the ring by hand: the step says what to do, and Secrets Manager stops repeating it."""
    versions = Versions()
    ring = json.loads(RING) | {f"key:{key_id_of('v2')}": "k" * 32}
    versions.texts["v1"] = json.dumps(ring)
    with pytest.raises(PendingRingUnfit):
        done(versions, Step.CREATE)
    assert versions.stages["v2"] == set()


def facts(versions: Versions) -> RingFacts | None:
    return asyncio.run(versions.state()).facts


def of_current(versions: Versions) -> RingFacts:
    current = asyncio.run(versions.current())
    return RingFacts.of_ring(KeyRing.parse(current.text), version_id=current.version_id)


def test_a_rotation_says_which_keys_the_new_ring_has() -> None:
    versions = rotated()
    assert facts(versions) == of_current(versions)
    assert {key.key_id for key in of_current(versions).keys} == {"initial", key_id_of("v2")}


def test_facts_that_could_not_be_written_are_written_when_the_last_step_is_repeated() -> None:
    versions = Versions()
    for step in (Step.CREATE, Step.TEST):
        done(versions, step)
    versions.refuses_tags = True
    with pytest.raises(StoreUnavailable):
        done(versions, Step.FINISH)
    assert versions.stages == {"v1": {"AWSPREVIOUS"}, "v2": {CURRENT}}
    assert facts(versions) is None
    versions.refuses_tags = False
    assert done(versions, Step.FINISH) == "the version is already current"
    assert facts(versions) == of_current(versions)


def test_the_test_of_a_schedule_says_which_keys_the_first_ring_has_and_does_not_fail_without() -> None:
    """A new stack runs this step alone, on a copy of its ring."""
    versions = Versions()
    versions.texts["v2"] = RING
    versions.refuses_tags = True
    assert done(versions, Step.TEST).startswith("every key signs")
    assert facts(versions) is None
    versions.refuses_tags = False
    done(versions, Step.TEST)
    assert facts(versions) == of_current(versions)


def test_facts_of_another_version_do_not_count() -> None:
    """An operator changed the ring by hand."""
    versions = rotated()
    versions.texts["v3"], versions.stages["v3"] = RING, {CURRENT}
    versions.stages["v2"] = {"AWSPREVIOUS"}
    assert facts(versions) is None
