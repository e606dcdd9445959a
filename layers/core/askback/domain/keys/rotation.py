"""Rotating the key ring, in the four steps in which Secrets Manager asks for it.

`createSecret` derives the next ring from the current one and stores it as the pending version. `setSecret` has nobody
to tell. `testSecret` proves that tokens in flight would still verify. `finishSecret` makes the pending version the
current one, if the current one is still what it was derived from.

Every step can be repeated, and until the last step makes its version the current one nothing that counts has changed. A
pending version that can never take its place is let go, because Secrets Manager would try it again and again: the next
rotation then starts from the ring as it is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Protocol

from askback.domain.errors import InteractionConfigurationError
from askback.domain.keys.next_ring import UnfitRing, key_id_of, next_ring, require_kept, require_next
from askback.domain.keys.ring import KeyRing
from askback.domain.ports import TokenCodec

CURRENT, PENDING = "AWSCURRENT", "AWSPENDING"


class RotationError(Exception):
    """A step that was not done; nothing that counts has changed. The text never contains a key."""

    code: ClassVar[str]


class MalformedEvent(RotationError):
    """The event is not one of Secrets Manager's."""

    code = "malformed-event"


class UnknownStep(RotationError):
    """Secrets Manager asks for a step that this build does not know."""

    code = "unknown-step"


class AnotherSecret(RotationError):
    """The event is about a secret that does not hold this deployment's key ring."""

    code = "another-secret"


class RotationNotEnabled(RotationError):
    """The secret is not set up to be rotated, so whoever invoked the function is not Secrets Manager."""

    code = "rotation-not-enabled"


class UnknownVersion(RotationError):
    """The secret has no such version, it is not the pending one, or it holds nothing."""

    code = "unknown-version"


class PendingRingUnfit(RotationError):
    """The pending ring cannot take the current one's place; it was let go, and the rotation can be started again."""

    code = "pending-ring-unfit"


class Step(StrEnum):
    """A step of a rotation, as Secrets Manager calls it."""

    CREATE = "createSecret"
    SET = "setSecret"
    TEST = "testSecret"
    FINISH = "finishSecret"


@dataclass(frozen=True, slots=True, kw_only=True)
class RotationRequest:
    """One step of the rotation that brings one version."""

    step: Step
    secret_id: str
    version_id: str

    @classmethod
    def of_event(cls, event: object) -> "RotationRequest":
        """Read an event; raises MalformedEvent, UnknownStep."""
        match event:
            case {"Step": str(step), "SecretId": str(secret_id), "ClientRequestToken": str(version_id)}:
                if step not in set(Step):
                    raise UnknownStep("the step is none of a rotation")
                return cls(step=Step(step), secret_id=secret_id, version_id=version_id)
        raise MalformedEvent("the event has no step, no secret or no version")


@dataclass(frozen=True, slots=True, kw_only=True)
class RingVersion:
    """A version of the secret, and the ring as text."""

    version_id: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretState:
    """Whether the secret is set up to be rotated, and which stages each of its versions is at."""

    rotates: bool
    stages: Mapping[str, frozenset[str]]


class RingVersions(Protocol):
    """The versions of the secret that holds the ring.

    Raises, in every method, StoreUnavailable or InteractionConfigurationError.
    """

    async def state(self) -> SecretState:
        """Return what is known of the secret without its value."""
        ...

    async def current(self) -> RingVersion:
        """Return the version that counts."""
        ...

    async def pending(self, version_id: str) -> str | None:
        """Return the ring of a pending version as text, or None when it holds nothing yet."""
        ...

    async def store_pending(self, version_id: str, text: str) -> None:
        """Store the ring of a pending version; a version that has one keeps it."""
        ...

    async def make_current(self, version_id: str, *, instead_of: str) -> None:
        """Make the version the one that counts, if the one that counts is `instead_of`."""
        ...

    async def let_go(self, version_id: str) -> None:
        """Make the version pending no more."""
        ...


class KeyRotation:
    """Does one step at a time. `clock` gives epoch seconds, `new_key` a key that nobody knows."""

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
        """Do the step, and return in a few words what was done.

        Raises:
            AnotherSecret, RotationNotEnabled, UnknownVersion: the request is not one to be followed.
            PendingRingUnfit: start the rotation again.
            StoreUnavailable, InteractionConfigurationError: the secret could not be used; the step can be repeated.
        """
        if request.secret_id != self._secret_id:
            raise AnotherSecret("the event is about another secret")
        state = await self._versions.state()
        if not state.rotates:
            raise RotationNotEnabled("the secret is not set up to be rotated")
        stages = state.stages.get(request.version_id, frozenset())
        if CURRENT in stages:
            if PENDING in stages:
                await self._versions.let_go(request.version_id)
            return "the version is current already"
        if PENDING not in stages:
            raise UnknownVersion("the secret has no pending version of this id")
        match request.step:
            case Step.CREATE:
                return await self._create(request.version_id)
            case Step.SET:
                return "nothing to set: a key is known to nobody but this deployment"
            case Step.TEST:
                return await self._test(request.version_id)
            case Step.FINISH:
                return await self._finish(request.version_id)

    async def _create(self, version_id: str) -> str:
        at = self._clock()
        current = KeyRing.parse((await self._versions.current()).text)
        pending = await self._versions.pending(version_id)
        key_id = key_id_of(version_id)
        if pending is not None:
            await self._fit(version_id, lambda: require_next(_ring(pending), now=current, key_id=key_id, at=at))
            return "the pending ring is there already"
        ring = next_ring(current, key_id=key_id, key=self._new_key(), at=at)
        await self._versions.store_pending(version_id, ring.encode())
        return f"stored a ring in which the new key {key_id} signs"

    async def _test(self, version_id: str) -> str:
        at = self._clock()
        current = KeyRing.parse((await self._versions.current()).text)
        text = await self._stored(version_id)
        # Not `require_next`: to try a schedule out, Secrets Manager has a mere copy of the current ring tested.
        await self._fit(version_id, lambda: require_kept(_ring(text), now=current, at=at))
        codec = self._codec_over(text)
        for key_id in _ring(text).keys:
            claims = {"key_id": key_id}
            if (await codec.verify(await codec.sign(claims, key_id=key_id))).claims != claims:
                raise InteractionConfigurationError("a key does not sign", reason=f"the key {key_id} does not sign")
        return "every key signs and verifies, and none that is needed is missing"

    async def _finish(self, version_id: str) -> str:
        at = self._clock()
        current = await self._versions.current()
        text = await self._stored(version_id)
        ring = KeyRing.parse(current.text)
        await self._fit(version_id, lambda: require_next(_ring(text), now=ring, key_id=key_id_of(version_id), at=at))
        # Only in place of the very version that was compared: what came after it was not.
        await self._versions.make_current(version_id, instead_of=current.version_id)
        # Left there it would stay behind when an operator changes the ring, and Secrets Manager would take this
        # rotation for one that is still under way.
        await self._versions.let_go(version_id)
        return f"the key {key_id_of(version_id)} signs from now on"

    async def _stored(self, version_id: str) -> str:
        text = await self._versions.pending(version_id)
        if text is None:
            raise UnknownVersion("the pending version holds nothing")
        return text

    async def _fit(self, version_id: str, check: Callable[[], None]) -> None:
        try:
            check()
        except UnfitRing as unfit:
            await self._versions.let_go(version_id)
            raise PendingRingUnfit(f"{unfit}; start the rotation again") from None


def _ring(text: str) -> KeyRing:
    try:
        return KeyRing.parse(text)
    except InteractionConfigurationError as error:
        raise UnfitRing(f"the pending ring cannot be used: {error.reason}") from None
