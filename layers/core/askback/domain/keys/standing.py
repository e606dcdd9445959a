"""The state of each signing key: whether it signs, and how many open pauses need it.

A key can be removed when it does not sign any more and no open pause was signed with it. So the caller reads the facts
of the ring first and counts the pauses second: in the other order, a pause that is minted in between would not be
counted. A pause whose key is not in the ring cannot be answered until the key is back.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from askback.domain.keys.facts import RingFacts
from askback.domain.ports import KeyUse


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStanding:
    """One key: its facts from the ring, and the number of open pauses that it signed; times are epoch seconds.

    `in_ring` and `signs` are None when the facts of the ring are not known.
    """

    key_id: str
    in_ring: bool | None
    signs: bool | None
    until: int | None
    outstanding: int
    latest_expiry: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStandings:
    """Every key of the ring, the one that signs first, and then every lost key.

    A lost key has open pauses and is not in the ring. `unnamed` counts open pauses without a key id: any key may have
    signed them. When the facts of the ring are not known, `keys` has the keys with open pauses, and `has_legacy` is
    None.
    """

    keys: tuple[KeyStanding, ...]
    unnamed: KeyUse
    has_legacy: bool | None


def key_standings(facts: RingFacts | None, uses: Mapping[str, KeyUse]) -> KeyStandings:
    """Return the state of the keys, from the facts of the ring and from a count that was made after they were read."""
    states = facts.keys if facts else ()
    held = [_standing(state.key_id, uses, in_ring=True, signs=state.signs, until=state.until) for state in states]
    missing = False if facts else None
    others = sorted(key_id for key_id in uses if key_id and key_id not in {state.key_id for state in states})
    return KeyStandings(
        keys=(*held, *(_standing(key_id, uses, in_ring=missing, signs=missing) for key_id in others)),
        unnamed=_use("", uses),
        has_legacy=facts.has_legacy if facts else None,
    )


def _standing(
    key_id: str, uses: Mapping[str, KeyUse], *, in_ring: bool | None, signs: bool | None, until: int | None = None
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
