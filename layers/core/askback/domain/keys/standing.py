"""How each signing key stands: whether it signs, and how many open pauses still need it.

The proof that a key can go is that nothing signs with it any more and no open pause was signed with it. So the ring is
read first and the pauses are counted then: counted the other way round, a pause that was minted in between would be
missing. A pause whose key is not in the ring can be answered by nobody until the key comes back.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from askback.domain.keys.ring import KeyRing
from askback.domain.ports import KeyUse


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStanding:
    """One key: what the ring says of it, and the open pauses that it signed; times are epoch seconds."""

    key_id: str
    in_ring: bool
    signs: bool
    until: int | None
    outstanding: int
    latest_expiry: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStandings:
    """Every key of the ring, the one that signs first, and then every key that is lost.

    `unnamed` are open pauses that name no key, so that any key may be theirs.
    """

    keys: tuple[KeyStanding, ...]
    unnamed: KeyUse
    has_legacy: bool


def key_standings(ring: KeyRing, uses: Mapping[str, KeyUse]) -> KeyStandings:
    """Return how the keys stand, from the ring and what was counted after it was read."""
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
