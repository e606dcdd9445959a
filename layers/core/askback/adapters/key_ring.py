"""The signing keys: one secret that holds a ring of them.

The secret's value is a JSON object: `current` names the key that signs, `key:<id>` holds a key, `legacy` optionally
holds the legacy engine's key, which verifies tokens without a key id. There is no default: without a usable ring
nothing starts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from askback.adapters.client_errors import CLIENT_ERRORS, classify
from askback.domain.errors import InteractionConfigurationError
from askback.domain.json_text import read_json

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

KEY_MIN_BYTES = 32
"""RFC 7518 section 3.2: a key of at least the hash's size for HS256."""
CACHE_SECONDS = 300
UNKNOWN_KEY_REFETCH_SECONDS = 1
"""A ring younger than this is not fetched again for an unknown key id, which anybody can make up."""

_PREFIX = "key:"
_KNOWN_DEFAULTS = frozenset({"framework-default-secret-change-me"})
"""Published default secrets: long enough, and known to everybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRing:
    """The keys by id, the id of the one that signs, and the legacy engine's key if there is one."""

    current: str
    keys: dict[str, bytes]
    legacy: bytes | None = None

    def __repr__(self) -> str:
        return f"KeyRing(current={self.current!r}, keys={sorted(self.keys)!r})"

    @classmethod
    def parse(cls, text: str) -> "KeyRing":
        """Read a ring; raises InteractionConfigurationError, whose reason never contains a key."""
        try:
            raw = read_json(text)
        except ValueError:
            raise _misconfigured("the key ring is not JSON") from None
        if not isinstance(raw, dict) or not all(isinstance(value, str) for value in raw.values()):
            raise _misconfigured("the key ring must be a JSON object of strings")
        unknown = [name for name in raw if not name.startswith(_PREFIX) and name not in ("current", "legacy")]
        if unknown:
            raise _misconfigured(f"the key ring has unknown fields: {', '.join(sorted(unknown))}")
        keys = {
            name.removeprefix(_PREFIX): _key(value, name) for name, value in raw.items() if name.startswith(_PREFIX)
        }
        if raw.get("current") not in keys:
            raise _misconfigured("the key ring's current key is not in it")
        legacy = _key(raw["legacy"], "legacy") if "legacy" in raw else None
        return cls(current=raw["current"], keys=keys, legacy=legacy)


class KeyRingSource(Protocol):
    """Where the ring comes from."""

    def ring(self) -> KeyRing:
        """Return the ring, which may be some minutes old."""
        ...

    def ring_with(self, key_id: str) -> KeyRing:
        """Return a ring that is worth looking `key_id` up in: fetched again once when the known one lacks it."""
        ...


class FixedKeyRing:
    """A ring given as text, for local use."""

    def __init__(self, text: str) -> None:
        self._text = text

    def ring(self) -> KeyRing:
        """Return the ring."""
        return KeyRing.parse(self._text)

    def ring_with(self, key_id: str) -> KeyRing:
        """Return the ring; it has no newer version."""
        return self.ring()


class SecretsManagerKeyRing:
    """The ring in a Secrets Manager secret, cached for five minutes. `clock` gives seconds and never goes back."""

    def __init__(
        self, *, client: "Callable[[], SecretsManagerClient]", secret_id: str, clock: Callable[[], float]
    ) -> None:
        self._client = client
        self._secret_id = secret_id
        self._clock = clock
        self._cached: tuple[float, KeyRing] | None = None

    def ring(self) -> KeyRing:
        """Return the ring, at most five minutes old."""
        return self._not_older_than(CACHE_SECONDS)

    def ring_with(self, key_id: str) -> KeyRing:
        """Return the cached ring when it has the key, else one fetched now."""
        ring = self.ring()
        return ring if key_id in ring.keys else self._not_older_than(UNKNOWN_KEY_REFETCH_SECONDS)

    def _not_older_than(self, seconds: float) -> KeyRing:
        now = self._clock()
        if self._cached is None or now - self._cached[0] >= seconds:
            self._cached = (now, KeyRing.parse(self._fetch()))
        return self._cached[1]

    def _fetch(self) -> str:
        client = self._client()
        try:
            value = client.get_secret_value(SecretId=self._secret_id, VersionStage="AWSCURRENT")
        except CLIENT_ERRORS as error:
            raise classify(error, resource="the key secret", endpoint=client.meta.endpoint_url) from error
        if "SecretString" not in value:
            raise _misconfigured("the key secret holds no text")
        return value["SecretString"]


def _key(value: str, name: str) -> bytes:
    # Used exactly as it stands, a trailing newline included, so that mint and resume can never differ about it.
    key = value.encode(errors="surrogatepass")
    if len(key) < KEY_MIN_BYTES:
        raise _misconfigured(f"{name} is shorter than {KEY_MIN_BYTES} bytes")
    if value.strip() in _KNOWN_DEFAULTS:
        raise _misconfigured(f"{name} is a published default secret")
    return key


def _misconfigured(reason: str) -> InteractionConfigurationError:
    return InteractionConfigurationError("the deployment has no usable signing key", reason=reason)
