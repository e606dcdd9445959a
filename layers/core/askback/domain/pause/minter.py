"""The principal that minted a pause, as its row has it.

Two agents with permission to mint in one scope can send the same request. Only the one that minted the pause gets it
again: otherwise the other one would get its tokens, and could put its own run in the place of the one that waits.
"""

import hmac

from askback.domain.errors import UnknownPause
from askback.domain.pause.ids import digest

DIRECT = "direct"
"""Every direct caller: Lambda does not give a function its caller."""
IN_PROCESS = "in process"
"""Every program that mints in its own process, with permissions on the table."""
UNKNOWN_SIGNED = "iam"
"""A signed caller without an ARN: the local gateway of `sam local` has none."""

_HEX_DIGITS = 18
"""72 bits: no principal can be made to have the hash of another, and the row stays within a write unit."""


def principal_of_arn(arn: str) -> str:
    """Return the principal of a caller's ARN: for a session of a role, the role without its path and session.

    Each call of a role can have another session. Session ARNs do not have the path of the role.
    """
    parts = arn.split(":", 5)
    if len(parts) == 6 and parts[2] == "sts" and parts[5].startswith("assumed-role/"):
        role = parts[5].split("/")[1]
        return ":".join([*parts[:2], "iam", *parts[3:5], f"role/{role}"])
    return arn or UNKNOWN_SIGNED


def minter_hash(principal: str) -> str:
    """Return the hash of a principal that a row has: 18 hex digits, 9 bytes."""
    return digest("minter", principal)[:_HEX_DIGITS]


def require_minter(principal: str, minter: str) -> None:
    """Raise UnknownPause if a pause with this `minter` in its row is not the principal's: as if there were none.

    A row of an older version names none, so no principal can act on it as the one that asked.
    """
    if not hmac.compare_digest(minter, minter_hash(principal)):
        raise UnknownPause
