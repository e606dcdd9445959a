"""The ring that follows another: a new key signs, the one that signed stays as long as its tokens can live.

Rules of this file: nothing is read and nothing is drawn here; key, id and time are arguments. A rotation takes time,
and an operator may change the ring meanwhile, so what was derived from a ring is compared with the ring of now before
it takes its place.
"""

import hashlib

from askback.domain.keys.ring import RING_CACHE_SECONDS, KeyRing
from askback.domain.limits import CLOCK_LEEWAY_SECONDS, TTL_MAX_SECONDS

NEEDED_SECONDS = RING_CACHE_SECONDS + TTL_MAX_SECONDS + CLOCK_LEEWAY_SECONDS
"""How long a key is needed after another took its place: a process may go on signing with the ring it has read, and
what it signs last may live for the longest ttl.
"""
ROTATION_MAX_SECONDS = 24 * 3600
"""How long after it was derived a ring may take its place. Secrets Manager repeats steps that fail, for hours."""


class UnfitRing(ValueError):
    """A ring cannot take the place of the one that counts now; the reason never contains a key."""


def key_id_of(version_id: str) -> str:
    """Return the id of the key that a version of the secret brings: short, and the same in every step."""
    return hashlib.sha256(version_id.encode()).hexdigest()[:12]


def next_ring(ring: KeyRing, *, key_id: str, key: bytes, at: int) -> KeyRing:
    """Return the ring in which the new key signs; keys whose `until` has come at `at` are left out.

    A key that signed until now, or was put in by hand without an `until`, is needed until `at` and then the longest a
    rotation may take and a token may live.

    Raises:
        UnfitRing: the ring has a key of this id.
    """
    if key_id in ring.keys:
        raise UnfitRing("the key ring has the key of this version already")
    kept = {name: old for name, old in ring.keys.items() if _is_needed(ring, name, at=at)}
    needed_until = at + ROTATION_MAX_SECONDS + NEEDED_SECONDS
    return KeyRing(
        current=key_id,
        keys={**kept, key_id: key},
        legacy=ring.legacy,
        until={name: ring.until.get(name, needed_until) for name in kept},
    )


def require_kept(ring: KeyRing, *, now: KeyRing, at: int) -> None:
    """Check that every key that the ring of now holds and still needs is in `ring`, the legacy key included.

    Raises:
        UnfitRing: tokens in flight would no longer verify.
    """
    for name, key in now.keys.items():
        if ring.keys.get(name) != key and _is_needed(now, name, at=at):
            raise UnfitRing(f"the pending ring lacks the key {name}")
    if ring.legacy != now.legacy:
        raise UnfitRing("the pending ring has another legacy key")


def require_next(ring: KeyRing, *, now: KeyRing, key_id: str, at: int) -> None:
    """Check that `ring` is what follows the ring of now: the key of this version is new and signs, and nothing else is.

    Raises:
        UnfitRing: it was derived from another ring, or so long ago that its times are too short.
    """
    require_kept(ring, now=now, at=at)
    if ring.current != key_id or key_id in now.keys:
        raise UnfitRing("the pending ring's new key does not sign, or is not new")
    if not ring.keys.keys() - {key_id} <= now.keys.keys():
        # Somebody took a key out of the ring; it must not come back.
        raise UnfitRing("the pending ring has a key that was taken out meanwhile")
    for name in ring.keys.keys() - {key_id}:
        if name in now.until and ring.until.get(name) != now.until[name]:
            raise UnfitRing(f"the pending ring keeps the key {name} for another time")
        if name not in now.until and ring.until.get(name, 0) < at + NEEDED_SECONDS:
            raise UnfitRing("the pending ring was derived too long ago")


def _is_needed(ring: KeyRing, key_id: str, *, at: int) -> bool:
    return key_id not in ring.until or ring.until[key_id] > at
