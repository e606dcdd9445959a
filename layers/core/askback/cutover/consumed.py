"""A row of the legacy engine's consumed-token store: `jti`, `scope_hash`, `consumed_at`, `name`.

The PostgreSQL table `interrupt_consumed_tokens` has four columns with these names. The MongoDB collection of the same
name stores the jti as `_id` and stores no time. Neither stores the answer or the expiry of the token, so this file uses
upper bounds: the token was consumed before the engine stopped, and it expires at most one longest life after that.
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
"""The recorded answerer of an answer that the legacy engine accepted."""

_KNOWN = frozenset({"jti", "_id", "scope_hash", "consumed_at", "name"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumedToken:
    """One token that the legacy engine redeemed; `consumed_at` (epoch seconds) is None where it stored no time."""

    jti: str
    scope_hash: str
    consumed_at: int | None
    name: str

    @classmethod
    def from_record(cls, record: Mapping[str, Any], freeze: Freeze) -> "ConsumedToken":
        """Read a record of the export.

        Raises:
            FieldRefused: a field is wrong, or the token was consumed after `freeze.at`.
        """
        require_known(record, _KNOWN)
        names = [name for name in ("jti", "_id") if name in record]
        if len(names) != 1:
            raise FieldRefused("must have either jti or _id")
        consumed_at = time(record, "consumed_at")
        if consumed_at is not None and consumed_at > freeze.at + CLOCK_LEEWAY_SECONDS:
            raise FieldRefused("is after --frozen-at: stop the engine, export again, and give the new --frozen-at")
        return cls(
            jti=text(record, names[0], limit=IDENTIFIER_MAX_BYTES),
            scope_hash=hex_digits(record, "scope_hash", length=LEGACY_SCOPE_HASH_LENGTH),
            consumed_at=consumed_at,
            name=text(record, "name", limit=64) if record.get("name") else ASK_USER,
        )

    def latest_expiry(self, freeze: Freeze) -> int:
        """Return a time (epoch seconds) at which the token has certainly expired."""
        return min(self.consumed_at or freeze.at, freeze.at) + freeze.longest_ttl

    def claims(self, freeze: Freeze) -> PauseClaims:
        """Return the known claims: enough to find the token's row and to remove it in time."""
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
        """Return an accepted answer that no other answer equals: no answer has the empty hash or this attempt id."""
        return AcceptedAnswer(
            response_text=None,
            response_hash="",
            answered_by=LEGACY_ENGINE,
            answered_at=min(self.consumed_at or freeze.at, freeze.at),
            attempt_id=LEGACY_ENGINE,
            redeemed_scope_hash=self.scope_hash,
        )
