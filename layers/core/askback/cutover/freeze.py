"""When the legacy engine was stopped, and what follows: no token of it is good for longer than its longest life."""

from dataclasses import dataclass

ENGINE_MAX_TTL_SECONDS = 86_400
"""The most that the engine's own setting `ask_user_pause_ttl_seconds` takes."""
TTL_MAX_SECONDS = 366 * 86_400
"""Callers of its minter can give any; beyond this a typing error is likelier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Freeze:
    """`at` (epoch seconds) is when the engine had stopped to mint and to redeem, `longest_ttl` in seconds."""

    at: int
    longest_ttl: int = ENGINE_MAX_TTL_SECONDS

    @property
    def latest_expiry(self) -> int:
        """When the last token it minted has expired."""
        return self.at + self.longest_ttl
