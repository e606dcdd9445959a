"""The time at which the legacy engine stopped; no token of the engine lives longer than `longest_ttl` after it."""

from dataclasses import dataclass

ENGINE_MAX_TTL_SECONDS = 86_400
"""The maximum of the engine's setting `ask_user_pause_ttl_seconds`."""
TTL_MAX_SECONDS = 366 * 86_400
"""A caller of the engine's minter can give any ttl; a value above this is probably a typing error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Freeze:
    """`at` (epoch seconds): the engine minted and redeemed nothing after it; `longest_ttl` is in seconds."""

    at: int
    longest_ttl: int = ENGINE_MAX_TTL_SECONDS

    @property
    def latest_expiry(self) -> int:
        """The time (epoch seconds) at which the engine's last token has expired."""
        return self.at + self.longest_ttl
