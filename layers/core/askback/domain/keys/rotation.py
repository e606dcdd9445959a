"""Rotates the key ring, in the four steps of Secrets Manager.

1. `createSecret` makes the next ring from the current one and stores it as the pending version.
2. `setSecret` does nothing: no other system has the keys.
3. `testSecret` checks that tokens in flight would still verify.
4. `finishSecret` makes the pending version current, if it still follows from the current one, and writes the public
   facts of the ring into the tags of the secret.

Every step can be repeated, also after the rotation has ended. Until `finishSecret` the current ring does not change. A
pending version that can never become current loses its stage, because Secrets Manager would repeat its steps without
end; the next rotation then starts from the current ring.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeVar

from askback.domain.errors import CodedError, InteractionConfigurationError, StoreUnavailable
from askback.domain.keys.facts import CURRENT, RingFacts, SecretState
from askback.domain.keys.next_ring import UnfitRing, key_id_of, next_ring, require_kept, require_next
from askback.domain.keys.ring import KeyRing
from askback.domain.ports import TokenCodec

F = TypeVar("F")
PENDING = "AWSPENDING"


class RotationError(CodedError):
    """A step failed; the current ring did not change. The text never contains a key."""


class MalformedEvent(RotationError):
    """The event does not have the form of a Secrets Manager rotation event."""

    code = "malformed-event"


class UnknownStep(RotationError):
    """The event has a step that this build does not know."""

    code = "unknown-step"


class AnotherSecret(RotationError):
    """The event is for a secret that is not this deployment's key ring."""

    code = "another-secret"


class RotationNotEnabled(RotationError):
    """Rotation is not enabled for the secret, so the caller is not Secrets Manager."""

    code = "rotation-not-enabled"


class UnknownVersion(RotationError):
    """The secret has no such version, the version is not pending, or it has no value."""

    code = "unknown-version"


class PendingRingUnfit(RotationError):
    """The pending ring cannot replace the current one; it is not pending any more, and a new rotation can start."""

    code = "pending-ring-unfit"


class Step(StrEnum):
    """A step of a rotation, with the name that Secrets Manager uses."""

    CREATE = "createSecret"
    SET = "setSecret"
    TEST = "testSecret"
    FINISH = "finishSecret"


@dataclass(frozen=True, slots=True, kw_only=True)
class RotationRequest:
    """One step of the rotation to one version."""

    step: Step
    secret_id: str
    version_id: str

    @classmethod
    def of_event(cls, event: object) -> "RotationRequest":
        """Read an event; raises MalformedEvent, UnknownStep."""
        match event:
            case {"Step": str(step), "SecretId": str(secret_id), "ClientRequestToken": str(version_id)}:
                if step not in set(Step):
                    raise UnknownStep("the event's step is not a rotation step")
                return cls(step=Step(step), secret_id=secret_id, version_id=version_id)
        raise MalformedEvent("the event must have a step, a secret and a version")


@dataclass(frozen=True, slots=True, kw_only=True)
class RingVersion:
    """A version of the secret, with its ring as text."""

    version_id: str
    text: str = field(repr=False)


class RingVersions(Protocol):
    """The versions of the secret that holds the ring.

    Raises, in every method, StoreUnavailable or InteractionConfigurationError.
    """

    async def state(self) -> SecretState:
        """Return whether the secret rotates, the stages of its versions, and its tags, without its value."""
        ...

    async def current(self) -> RingVersion:
        """Return the current version."""
        ...

    async def pending(self, version_id: str) -> str | None:
        """Return the ring of a pending version as text, or None when it has no value yet."""
        ...

    async def store_pending(self, version_id: str, text: str) -> None:
        """Store the ring of a pending version; an existing value is never replaced."""
        ...

    async def make_current(self, version_id: str, *, instead_of: str) -> None:
        """Make the version current, if the current version is `instead_of`."""
        ...

    async def let_go(self, version_id: str) -> None:
        """Remove the pending stage from the version."""
        ...

    async def publish(self, facts: RingFacts) -> None:
        """Write the facts of the ring into the tags of the secret."""
        ...


class KeyRotation:
    """Runs one step at a time. `clock` returns epoch seconds, `new_key` a new random key."""

    def __init__(
        self,
        *,
        versions: RingVersions,
        secret_id: str,
        codec_over: Callable[[str], TokenCodec],
        clock: Callable[[], int],
        new_key: Callable[[], bytes],
    ) -> None:
        self._versions = versions
        self._secret_id = secret_id
        self._codec_over = codec_over
        self._clock = clock
        self._new_key = new_key

    async def run(self, request: RotationRequest) -> str:
        """Run the step and return a short text of what it did.

        Raises:
            AnotherSecret, RotationNotEnabled, UnknownVersion: the request is refused.
            PendingRingUnfit: an operator must start the rotation again.
            StoreUnavailable, InteractionConfigurationError: the secret could not be used; the step can be repeated.
        """
        if request.secret_id != self._secret_id:
            raise AnotherSecret("the event is for another secret")
        state = await self._versions.state()
        if not state.rotates:
            raise RotationNotEnabled("rotation is not enabled for the secret")
        stages = state.stages.get(request.version_id, frozenset())
        if CURRENT in stages:
            return await self._ended(request.version_id, state)
        if PENDING not in stages:
            raise UnknownVersion("the secret has no pending version of this id")
        match request.step:
            case Step.CREATE:
                return await self._create(request.version_id)
            case Step.SET:
                return "nothing to set: no other system has the keys"
            case Step.TEST:
                return await self._test(request.version_id, state)
            case Step.FINISH:
                return await self._finish(request.version_id)

    async def _ended(self, version_id: str, state: SecretState) -> str:
        if PENDING in state.stages[version_id]:
            await self._versions.let_go(version_id)
        if state.facts is None:
            await self._publish()
        return "the version is already current"

    async def _create(self, version_id: str) -> str:
        at = self._clock()
        version = await self._versions.current()
        if version.version_id == version_id:
            # Another run of this rotation has ended since the stages were read.
            return "the version is already current"
        current = KeyRing.parse(version.text)
        pending = await self._versions.pending(version_id)
        key_id = key_id_of(version_id)
        if pending is not None:
            await self._fit(version_id, lambda: require_next(_ring(pending), now=current, key_id=key_id, at=at))
            return "the pending ring already exists"
        ring = await self._fit(version_id, lambda: next_ring(current, key_id=key_id, key=self._new_key(), at=at))
        await self._versions.store_pending(version_id, ring.encode())
        return f"stored a ring in which the new key {key_id} signs"

    async def _test(self, version_id: str, state: SecretState) -> str:
        at = self._clock()
        current = KeyRing.parse((await self._versions.current()).text)
        text = await self._stored(version_id)
        # Not `require_next`: to test a schedule, Secrets Manager runs this step on a copy of the current ring.
        await self._fit(version_id, lambda: require_kept(_ring(text), now=current, at=at))
        codec = self._codec_over(text)
        for key_id in _ring(text).keys:
            claims = {"key_id": key_id}
            if (await codec.verify(await codec.sign(claims, key_id=key_id))).claims != claims:
                raise InteractionConfigurationError("a key does not sign", reason=f"the key {key_id} does not sign")
        if state.facts is None:
            # The ring of a new stack, or one that was changed by hand. Without its facts the rotation can go on.
            with suppress(StoreUnavailable, InteractionConfigurationError):
                await self._publish()
        return "every key signs and verifies, and no needed key is missing"

    async def _finish(self, version_id: str) -> str:
        at = self._clock()
        current = await self._versions.current()
        text = await self._stored(version_id)
        ring = KeyRing.parse(current.text)
        await self._fit(version_id, lambda: require_next(_ring(text), now=ring, key_id=key_id_of(version_id), at=at))
        # Only if the version that was compared is still current: a later version was not checked.
        await self._versions.make_current(version_id, instead_of=current.version_id)
        # With the stage still there, a later change of the ring by an operator would leave it behind, and Secrets
        # Manager would believe that this rotation is still running.
        await self._versions.let_go(version_id)
        # An error is raised: the step is repeated, finds the version current, and writes the facts.
        await self._versions.publish(RingFacts.of_ring(_ring(text), version_id=version_id))
        return f"the key {key_id_of(version_id)} signs from now on"

    async def _publish(self) -> None:
        current = await self._versions.current()
        await self._versions.publish(RingFacts.of_ring(KeyRing.parse(current.text), version_id=current.version_id))

    async def _stored(self, version_id: str) -> str:
        text = await self._versions.pending(version_id)
        if text is None:
            raise UnknownVersion("the pending version has no value")
        return text

    async def _fit(self, version_id: str, check: Callable[[], F]) -> F:
        try:
            return check()
        except UnfitRing as unfit:
            await self._versions.let_go(version_id)
            raise PendingRingUnfit(f"{unfit}; start the rotation again") from None


def _ring(text: str) -> KeyRing:
    try:
        return KeyRing.parse(text)
    except InteractionConfigurationError as error:
        raise UnfitRing(f"the pending ring cannot be used: {error.reason}") from None
