"""The state of each signing key: whether it signs, and how many open pauses need it.

A key can be removed when it does not sign any more and no open pause was signed with it. So the caller reads the ring
first and counts the pauses second: in the other order, a pause that is minted in between would not be counted. A pause
whose key is not in the ring cannot be answered until the key is back.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from askback.domain.keys.ring import KeyRing
from askback.domain.ports import KeyUse


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStanding:
    """One key: its facts from the ring, and the number of open pauses that it signed; times are epoch seconds."""

    key_id: str
    in_ring: bool
    signs: bool
    until: int | None
    outstanding: int
    latest_expiry: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStandings:
    """Every key of the ring, the one that signs first, and then every lost key.

    A lost key has open pauses and is not in the ring. `unnamed` counts open pauses without a key id: any key may have
    signed them.
    """

    keys: tuple[KeyStanding, ...]
    unnamed: KeyUse
    has_legacy: bool


def key_standings(ring: KeyRing, uses: Mapping[str, KeyUse]) -> KeyStandings:
    """Return the state of the keys, from the ring and from a count that was made after the ring was read."""
    held = [_standing(state.key_id, uses, signs=state.signs, until=state.until) for state in ring.states()]
    lost = [_standing(key_id, uses, in_ring=False) for key_id in sorted(uses) if key_id and key_id not in ring.keys]
    return KeyStandings(keys=(*held, *lost), unnamed=_use("", uses), has_legacy=ring.legacy is not None)


def _standing(
    key_id: str, uses: Mapping[str, KeyUse], *, in_ring: bool = True, signs: bool = False, until: int | None = None
) -> KeyStanding:
    use = _use(key_id, uses)
    return KeyStanding(
        key_id=key_id,
        in_ring=in_ring,
        signs=signs,
        until=until,
        outstanding=use.outstanding,
        latest_expiry=use.latest_expiry,
    )


def _use(key_id: str, uses: Mapping[str, KeyUse]) -> KeyUse:
    return uses.get(key_id) or KeyUse(key_id=key_id, outstanding=0, latest_expiry=None)
