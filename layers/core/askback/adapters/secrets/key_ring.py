"""The sources of the ring of signing keys. There is no default key: without a usable ring every request fails."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.domain.errors import InteractionConfigurationError
from askback.domain.keys.ring import RING_CACHE_SECONDS, KeyRing

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

REFETCH_SECONDS = 1
"""A ring younger than this is not fetched again: a caller can send any number of invented key ids."""


class KeyRingSource(Protocol):
    """A source of the key ring."""

    def ring(self) -> KeyRing:
        """Return the ring, which may be some minutes old."""
        ...

    def ring_with(self, key_id: str) -> KeyRing:
        """Return the ring in which to look up `key_id`; it is fetched again when the cached ring lacks the key."""
        ...


class FixedKeyRing:
    """A fixed ring from a text, for local use."""

    def __init__(self, text: str) -> None:
        self._text = text

    def ring(self) -> KeyRing:
        """Return the ring."""
        return KeyRing.parse(self._text)

    def ring_with(self, key_id: str) -> KeyRing:
        """Return the ring; it has no newer version."""
        return self.ring()


class SecretsManagerKeyRing:
    """The ring in a Secrets Manager secret, cached for five minutes.

    Its age is the larger of two: by `clock` (seconds, never goes back) and by `wall_clock` (epoch seconds). The first
    stands still while Lambda has frozen the process; the second can be set back, and then the age is unknown and the
    ring is fetched again. By one clock alone a process could take the tokens of a removed key for hours.
    """

    def __init__(
        self,
        *,
        client: "Callable[[], SecretsManagerClient]",
        secret_id: str,
        clock: Callable[[], float],
        wall_clock: Callable[[], float],
    ) -> None:
        self._client = client
        self._secret_id = secret_id
        self._clock = clock
        self._wall_clock = wall_clock
        self._cached: KeyRing | None = None
        self._fetched_at = self._fetched_at_wall = 0.0

    def ring(self) -> KeyRing:
        """Return the ring, at most five minutes old."""
        return self._not_older_than(RING_CACHE_SECONDS)

    def ring_with(self, key_id: str) -> KeyRing:
        """Return the cached ring when it has the key, else one fetched now."""
        ring = self.ring()
        return ring if key_id in ring.keys else self._not_older_than(REFETCH_SECONDS)

    def _not_older_than(self, seconds: float) -> KeyRing:
        now, now_wall = self._clock(), self._wall_clock()
        age = max(now - self._fetched_at, now_wall - self._fetched_at_wall)
        if self._cached is None or age >= seconds or now_wall < self._fetched_at_wall:
            self._cached = KeyRing.parse(self._fetch())
            # The times from before the fetch: the ring is at least this old.
            self._fetched_at, self._fetched_at_wall = now, now_wall
        return self._cached

    def _fetch(self) -> str:
        client = self._client()
        try:
            value = client.get_secret_value(SecretId=self._secret_id, VersionStage="AWSCURRENT")
        except CLIENT_ERRORS as error:
            raise classify(error, resource="the key secret", endpoint=client.meta.endpoint_url) from error
        if "SecretString" not in value:
            raise InteractionConfigurationError(
                "the deployment has no usable signing key", reason="the key secret has no text value"
            )
        return value["SecretString"]
