"""The audit record of an action that is permitted but must be provable later."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossScopeRedemption:
    """A redemption from another scope than the token's own; the interaction's registration allows it.

    `at` is in epoch seconds.
    """

    jti: str
    name: str
    issued_scope_hash: str
    redeemed_scope_hash: str
    redeemed_by: str
    at: int
