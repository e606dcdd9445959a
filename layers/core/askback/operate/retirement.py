"""Taking a signing key out of the ring, on evidence that nothing needs it.

The evidence: the key does not sign, every process has read the ring in which it does not, no open pause was signed with
it, and none is open that names no key. What it does not cover: tokens of answered pauses. A backend that fetches an
outcome, or sends its answer again, with a token of a key that is gone is refused.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from askback.domain.keys.ring import RING_CACHE_SECONDS, KeyRing

SETTLING_SECONDS = 2 * RING_CACHE_SECONDS
"""How long after a change of the ring its old state may still be at work: a function goes on with the ring it has read,
and what it minted last has to get into the index that is counted.
"""


class RetirementRefused(Exception):
    """The key stays in the ring; the text says why and never contains a key."""


def ring_without(ring: KeyRing, key_id: str) -> KeyRing:
    """Return the ring without a key; raises RetirementRefused when it has none of this id, or signs with it."""
    if key_id not in ring.keys:
        raise RetirementRefused(f"there is no key {key_id!r} in the ring")
    if key_id == ring.current:
        raise RetirementRefused(f"the key {key_id} signs; rotate the secret first")
    return replace(
        ring,
        keys={name: key for name, key in ring.keys.items() if name != key_id},
        until={name: until for name, until in ring.until.items() if name != key_id},
    )


def require_unneeded(standings: Mapping[str, Any], key_id: str, *, changed_at: int, at: int) -> None:
    """Check the evidence: what `GET /keys` replied, and when the ring was last changed (epoch seconds).

    Raises:
        RetirementRefused: open pauses need the key, or it is too early to tell.
    """
    outstanding, latest = 0, None
    for key in standings["keys"]:
        if key["key_id"] == key_id:
            outstanding, latest = key["outstanding"], key["latest_expiry"]
    if outstanding:
        raise RetirementRefused(f"open pauses that need the key {key_id}: {outstanding}; the last expires at {latest}")
    if standings["unnamed"]["outstanding"]:
        raise RetirementRefused("there are open pauses that name no key, and any key may be theirs")
    if at < changed_at + SETTLING_SECONDS:
        wait = changed_at + SETTLING_SECONDS - at
        raise RetirementRefused(f"the ring was changed a moment ago, and a function may not know yet; wait {wait} s")
