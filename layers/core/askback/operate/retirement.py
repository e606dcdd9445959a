"""Checks that a signing key can be removed from the ring.

The checks: the key does not sign; every process has had time to read the ring in which it does not sign; no open pause
was signed with it; every open pause has a key id. They do not cover answered pauses: when a backend sends a token of
the removed key, to fetch an outcome or to repeat an answer, it is refused.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from askback.domain.keys.ring import RING_CACHE_SECONDS, KeyRing

SETTLING_SECONDS = 2 * RING_CACHE_SECONDS
"""How long the old ring may still have effects after a change: a function signs with the ring that it has read, and its
last pauses must reach the index in which pauses are counted.
"""


class RetirementRefused(Exception):
    """The key stays in the ring; the text says the reason and never contains a key."""


def ring_without(ring: KeyRing, key_id: str) -> KeyRing:
    """Return the ring without a key; raises RetirementRefused when the ring has no such key or signs with it."""
    if key_id not in ring.keys:
        raise RetirementRefused(f"the ring has no key {key_id!r}")
    if key_id == ring.current:
        raise RetirementRefused(f"the key {key_id} signs; rotate the secret first")
    return replace(
        ring,
        keys={name: key for name, key in ring.keys.items() if name != key_id},
        until={name: until for name, until in ring.until.items() if name != key_id},
    )


def require_unneeded(standings: Mapping[str, Any], key_id: str, *, changed_at: int, at: int) -> None:
    """Check that no open pause needs the key.

    `standings` is the reply of `GET /keys`, `changed_at` the last change of the ring (epoch seconds).

    Raises:
        RetirementRefused: open pauses need the key, or the ring changed too recently to know.
    """
    outstanding, latest = 0, None
    for key in standings["keys"]:
        if key["key_id"] == key_id:
            outstanding, latest = key["outstanding"], key["latest_expiry"]
    if outstanding:
        raise RetirementRefused(f"open pauses that need the key {key_id}: {outstanding}; the last expires at {latest}")
    if standings["unnamed"]["outstanding"]:
        raise RetirementRefused("there are open pauses without a key id; they may need this key")
    if at < changed_at + SETTLING_SECONDS:
        wait = changed_at + SETTLING_SECONDS - at
        raise RetirementRefused(f"the ring changed recently and a function may still use the old one; wait {wait} s")
