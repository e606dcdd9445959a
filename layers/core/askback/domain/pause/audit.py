"""What must be provable afterwards although it was permitted."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossScopeRedemption:
    """A token redeemed from another scope than it was issued for, which its registration allows.

    `at` is in epoch seconds.
    """

    jti: str
    name: str
    issued_scope_hash: str
    redeemed_scope_hash: str
    redeemed_by: str
    at: int
