"""Computes the next key ring: a new key signs, and the previous key stays as long as its tokens can live.

Rules of this file: it reads nothing and generates nothing; key, id and time are arguments. A rotation takes time, and
an operator may change the ring during it. So a pending ring is compared with the current ring before it replaces it.
"""

import hashlib

from askback.domain.keys.ring import RING_CACHE_SECONDS, KeyRing
from askback.domain.limits import CLOCK_LEEWAY_SECONDS, TTL_MAX_SECONDS

NEEDED_SECONDS = RING_CACHE_SECONDS + TTL_MAX_SECONDS + CLOCK_LEEWAY_SECONDS
"""How long a key is needed after it was replaced: a process may still sign with its cached ring, and its last token may
have the longest ttl.
"""
ROTATION_MAX_SECONDS = 24 * 3600
"""The longest time from `createSecret` to `finishSecret`: Secrets Manager repeats failed steps for hours."""


class UnfitRing(ValueError):
    """A pending ring cannot replace the current ring; the reason never contains a key."""


def key_id_of(version_id: str) -> str:
    """Return the id of the new key of a secret version: short, and the same in every step."""
    return hashlib.sha256(version_id.encode()).hexdigest()[:12]


def next_ring(ring: KeyRing, *, key_id: str, key: bytes, at: int) -> KeyRing:
    """Return the ring in which the new key signs; keys whose `until` is not after `at` are left out.

    A key without an `until` (the one that signed, or one that an operator added) gets one: `at`, plus the longest
    rotation, plus the longest life of a token.

    Raises:
        UnfitRing: the ring already has a key of this id.
    """
    if key_id in ring.keys:
        raise UnfitRing("the key ring already has the key of this version")
    kept = {name: old for name, old in ring.keys.items() if _is_needed(ring, name, at=at)}
    needed_until = at + ROTATION_MAX_SECONDS + NEEDED_SECONDS
    return KeyRing(
        current=key_id,
        keys={**kept, key_id: key},
        legacy=ring.legacy,
        until={name: ring.until.get(name, needed_until) for name in kept},
    )


def require_kept(ring: KeyRing, *, now: KeyRing, at: int) -> None:
    """Check that `ring` has every key of the current ring that is still needed, and the same legacy key.

    Raises:
        UnfitRing: tokens in flight would not verify any more.
    """
    for name, key in now.keys.items():
        if ring.keys.get(name) != key and _is_needed(now, name, at=at):
            raise UnfitRing(f"the pending ring lacks the key {name}")
    if ring.legacy != now.legacy:
        raise UnfitRing("the pending ring has another legacy key")


def require_next(ring: KeyRing, *, now: KeyRing, key_id: str, at: int) -> None:
    """Check that `ring` follows the current ring: only the key of this version is new, and it signs.

    Raises:
        UnfitRing: it was made from another ring, or so long ago that its `until` times are too early.
    """
    require_kept(ring, now=now, at=at)
    if ring.current != key_id or key_id in now.keys:
        raise UnfitRing("the pending ring's new key does not sign, or is not new")
    if not ring.keys.keys() - {key_id} <= now.keys.keys():
        # An operator removed a key from the ring; it must not come back.
        raise UnfitRing("the pending ring has a key that was removed from the current ring")
    for name in ring.keys.keys() - {key_id}:
        if name in now.until and ring.until.get(name) != now.until[name]:
            raise UnfitRing(f"the pending ring has another `until` for the key {name}")
        if name not in now.until and ring.until.get(name, 0) < at + NEEDED_SECONDS:
            raise UnfitRing("the pending ring was made too long ago")


def _is_needed(ring: KeyRing, key_id: str, *, at: int) -> bool:
    return key_id not in ring.until or ring.until[key_id] > at
