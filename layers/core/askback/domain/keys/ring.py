"""The ring of signing keys: one key signs, all keys verify, and a key that does not sign has an `until` time.

The text form is a flat JSON object of strings, so that Secrets Manager can generate the first one. `current` is the id
of the key that signs. `key:<id>` is a key. `until:<id>` is the time in epoch seconds after which the key is not needed.
`legacy` is optional: the legacy engine's key, which verifies tokens without a key id. Every key in the ring verifies,
also after its `until`; the next rotation removes it.

It is not a JWK set: Secrets Manager generates one text at the top level of an object, and a JWK set has its keys in a
list, as base64. Some 130 bytes a key, so a deployment that rotates daily keeps 32 keys in about 4 KB (decision 006).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from askback.domain.errors import InteractionConfigurationError
from askback.domain.json_text import read_json

KEY_MIN_BYTES = 32
"""RFC 7518 section 3.2: a key for HS256 has at least the size of the hash."""
RING_CACHE_SECONDS = 300
"""How long a process uses a ring that it has read; so long it may still sign with a replaced key."""

_KEY, _UNTIL = "key:", "until:"
_KEY_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""Every token and every row contains a key id, so it is short and plain."""
_SECONDS = re.compile(r"[0-9]{1,11}")
_KNOWN_DEFAULTS = frozenset({"framework-default-secret-change-me"})
"""Published default secrets: long enough, but public."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyState:
    """The public facts of a key: whether it signs, and until when (epoch seconds) it is needed.

    `until` is None for the key that signs, and for a key that an operator added without one.
    """

    key_id: str
    signs: bool
    until: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRing:
    """The keys by id, the id of the key that signs, and the legacy engine's key or None."""

    current: str
    keys: Mapping[str, bytes]
    legacy: bytes | None = None
    until: Mapping[str, int] = field(default_factory=dict)
    """Epoch seconds by key id: when a key that does not sign is not needed any more; an operator may leave it out."""

    def __repr__(self) -> str:
        return f"KeyRing(current={self.current!r}, keys={sorted(self.keys)!r})"

    def states(self) -> tuple[KeyState, ...]:
        """Return the public facts of each key; the key that signs comes first."""
        ids = sorted(self.keys, key=lambda key_id: (key_id != self.current, key_id))
        return tuple(
            KeyState(key_id=key_id, signs=key_id == self.current, until=self.until.get(key_id)) for key_id in ids
        )

    @classmethod
    def parse(cls, text: str) -> "KeyRing":
        """Read a ring; raises InteractionConfigurationError, whose reason never contains a key."""
        try:
            raw = read_json(text)
        except ValueError:
            raise _misconfigured("the key ring is not JSON") from None
        if not isinstance(raw, dict) or not all(isinstance(value, str) for value in raw.values()):
            raise _misconfigured("the key ring must be a JSON object of strings")
        if unknown := [name for name in raw if not _is_field(name)]:
            raise _misconfigured(f"the key ring has unknown fields: {', '.join(sorted(unknown))}")
        keys = {_id(name): _key(value, name) for name, value in raw.items() if name.startswith(_KEY)}
        current = raw.get("current")
        if current not in keys:
            raise _misconfigured("`current` of the key ring names a key that the ring does not have")
        until = {_id(name): _seconds(value, name) for name, value in raw.items() if name.startswith(_UNTIL)}
        if current in until or not until.keys() <= keys.keys():
            raise _misconfigured("an `until:` of the key ring is for the key that signs, or for a missing key")
        legacy = _key(raw["legacy"], "legacy") if "legacy" in raw else None
        return cls(current=current, keys=keys, legacy=legacy, until=until)

    def encode(self) -> str:
        """Return the ring as text."""
        text = {"current": self.current}
        text |= {_KEY + key_id: key.decode(errors="surrogatepass") for key_id, key in self.keys.items()}
        text |= {_UNTIL + key_id: str(seconds) for key_id, seconds in self.until.items()}
        if self.legacy is not None:
            text["legacy"] = self.legacy.decode(errors="surrogatepass")
        return json.dumps(text)


def _is_field(name: str) -> bool:
    return name in ("current", "legacy") or name.startswith((_KEY, _UNTIL))


def _id(name: str) -> str:
    key_id = name.partition(":")[2]
    if not _KEY_ID.fullmatch(key_id):
        raise _misconfigured("a key id of the key ring is not 1 to 64 letters, digits, dots, dashes or underscores")
    return key_id


def _key(value: str, name: str) -> bytes:
    # The key is used byte for byte, also a newline at its end, so mint and resume always use the same key.
    key = value.encode(errors="surrogatepass")
    if len(key) < KEY_MIN_BYTES:
        raise _misconfigured(f"{name} is shorter than {KEY_MIN_BYTES} bytes")
    if value.strip() in _KNOWN_DEFAULTS:
        raise _misconfigured(f"{name} is a published default secret")
    return key


def _seconds(value: str, name: str) -> int:
    if not _SECONDS.fullmatch(value):
        raise _misconfigured(f"{name} is not a number of epoch seconds")
    return int(value)


def _misconfigured(reason: str) -> InteractionConfigurationError:
    return InteractionConfigurationError("the deployment has no usable signing key", reason=reason)
