"""A row of the legacy engine's consumed-token store: `jti`, `scope_hash`, `consumed_at`, `name`.

Its PostgreSQL table `interrupt_consumed_tokens` has the four as columns; its MongoDB collection of the same name has
the jti as `_id` and no time. Nothing there says what was answered or when the token expires, so both are bounded: a
token is consumed no later than the engine was stopped, and expires no later than its longest life after that.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from askback.cutover.freeze import Freeze
from askback.cutover.lines import FieldRefused, hex_digits, require_known, text, time
from askback.domain.limits import CLOCK_LEEWAY_SECONDS, IDENTIFIER_MAX_BYTES
from askback.domain.pause.claims import ASK_USER, PauseClaims
from askback.domain.pause.ledger import AcceptedAnswer
from askback.domain.pause.scope import LEGACY_SCOPE_HASH_LENGTH

LEGACY_ENGINE = "legacy engine"
"""Who answered, when the legacy engine took the answer."""

_KNOWN = frozenset({"jti", "_id", "scope_hash", "consumed_at", "name"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumedToken:
    """One token that the legacy engine has redeemed; `consumed_at` (epoch seconds) is None where it kept no time."""

    jti: str
    scope_hash: str
    consumed_at: int | None
    name: str

    @classmethod
    def from_record(cls, record: Mapping[str, Any], freeze: Freeze) -> "ConsumedToken":
        """Read a record of the export.

        Raises:
            FieldRefused: a field is wrong, or the token was consumed after the engine was said to have stopped.
        """
        require_known(record, _KNOWN)
        names = [name for name in ("jti", "_id") if name in record]
        if len(names) != 1:
            raise FieldRefused("must have either jti or _id")
        consumed_at = time(record, "consumed_at")
        if consumed_at is not None and consumed_at > freeze.at + CLOCK_LEEWAY_SECONDS:
            raise FieldRefused("was consumed after the engine was frozen: freeze it, export again, give --frozen-at")
        return cls(
            jti=text(record, names[0], limit=IDENTIFIER_MAX_BYTES),
            scope_hash=hex_digits(record, "scope_hash", length=LEGACY_SCOPE_HASH_LENGTH),
            consumed_at=consumed_at,
            name=text(record, "name", limit=64) if record.get("name") else ASK_USER,
        )

    def latest_expiry(self, freeze: Freeze) -> int:
        """Return when the token has expired for certain."""
        return min(self.consumed_at or freeze.at, freeze.at) + freeze.longest_ttl

    def claims(self, freeze: Freeze) -> PauseClaims:
        """Return what is known of the token's claims, so that its row can be found and will be removed in time."""
        return PauseClaims(
            run_id="",
            session_id="",
            scope_hash=self.scope_hash,
            thread_id="",
            checkpoint_id="",
            tool_call_id="",
            request_hash="",
            exp=self.latest_expiry(freeze),
            jti=self.jti,
            name=self.name,
        )

    def answer(self, freeze: Freeze) -> AcceptedAnswer:
        """Return an accepted answer that nobody's can equal: the empty hash is no answer's, and no attempt is its."""
        return AcceptedAnswer(
            response=None,
            response_hash="",
            answered_by=LEGACY_ENGINE,
            answered_at=min(self.consumed_at or freeze.at, freeze.at),
            attempt_id=LEGACY_ENGINE,
            redeemed_scope_hash=self.scope_hash,
        )
