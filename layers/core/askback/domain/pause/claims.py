"""The claims of a pause token, and the check of their form.

The eleven claims of the legacy engine keep their names and meaning; the mint adds `iat`, `aud` and `scoped`. The code
checks each required claim explicitly: a token without `exp` would never expire, and one without `jti` could be used
twice.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from operator import attrgetter
from typing import Any, NewType

from askback.domain.errors import TokenRejected
from askback.domain.limits import CLOCK_LEEWAY_SECONDS, THREAD_ID_MAX_BYTES, TOOL_CALL_ID_MAX_BYTES
from askback.domain.pause.scope import LEGACY_SCOPE_HASH_LENGTH, SCOPE_HASH_LENGTH

ASK_USER = "ask_user"

_HEX = re.compile(r"[0-9a-f]+")
_EPOCH_MAX = 253_402_300_799
"""The last second of the year 9999; RFC 3339 has no text for later times."""


_ASKED = attrgetter(
    "run_id",
    "session_id",
    "scope_hash",
    "thread_id",
    "checkpoint_id",
    "tool_call_id",
    "request_hash",
    "jti",
    "name",
    "interrupt_id",
)
"""What a pause and each of its tokens have in common; compared at every request, so without a copy of the claims."""


class Audience(StrEnum):
    """The audience of a token.

    `resume` marks the pause token, for the backend. `answer` marks an answer token, for a person; it does not give
    access to the transcript. Tokens in flight contain these values, so they must not change.
    """

    RESUME = "resume"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseIdentity:
    """The identity of a pause for operators. `name` and `scope_hash` are empty if a damaged row does not have them."""

    jti: str
    name: str = ""
    scope_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseClaims:
    """The claims of one pause: its scope, the place of its request and turn, and the end of the time to answer.

    `exp` and `issued_at` are epoch seconds. `issued_at` is None for legacy tokens only.
    """

    run_id: str
    session_id: str
    scope_hash: str
    thread_id: str
    checkpoint_id: str
    tool_call_id: str
    request_hash: str
    exp: int
    jti: str
    name: str = ASK_USER
    interrupt_id: str = ""
    issued_at: int | None = None
    audience: Audience = Audience.RESUME
    recipient: str = ""
    """The person that an answer token was made for; empty for every other token, and in the ledger."""
    scoped: bool = False
    """Whether the scope is a part of the place of the records; False for a legacy pause and one of an older version."""

    @property
    def legacy(self) -> bool:
        """Whether the legacy engine issued the token; then the ledger has no row before the answer."""
        return self.issued_at is None

    @property
    def identity(self) -> PauseIdentity:
        """The identity of the pause for operators."""
        return PauseIdentity(jti=self.jti, name=self.name, scope_hash=self.scope_hash)

    @property
    def record_place(self) -> dict[str, str]:
        """The place of the recorded request and turn: their thread, their checkpoint, and the scope if it is a part."""
        return {
            "thread_id": self.thread_id,
            "checkpoint_id": self.checkpoint_id,
            "scope_hash": self.scope_hash if self.scoped else "",
        }

    def for_audience(self, audience: Audience) -> "PauseClaims":
        """Return the same claims for another audience."""
        return replace(self, audience=audience)

    def under(self, jti: str) -> "PauseClaims":
        """Return the same claims with this id."""
        return replace(self, jti=jti)

    def asks_as(self, other: "PauseClaims") -> bool:
        """Return whether these are the claims of the same pause, whatever their times, audience and recipient."""
        return _ASKED(self) == _ASKED(other)

    def as_minted_with(self, other: "PauseClaims") -> "PauseClaims":
        """Return the same claims with the times and the place of records of `other`, to compare all other claims."""
        return replace(self, exp=other.exp, issued_at=other.issued_at, scoped=other.scoped)

    def to_mapping(self) -> dict[str, Any]:
        """Return the claims with their names in the token."""
        return {
            "run_id": self.run_id,
            "session_id": self.session_id,
            "scope_hash": self.scope_hash,
            "thread_id": self.thread_id,
            "checkpoint_id": self.checkpoint_id,
            "tool_call_id": self.tool_call_id,
            "request_hash": self.request_hash,
            "exp": self.exp,
            "jti": self.jti,
            "name": self.name,
            "interrupt_id": self.interrupt_id,
            "iat": self.issued_at,
            "aud": self.audience.value,
            **({"sub": self.recipient} if self.recipient else {}),
            **({"scoped": True} if self.scoped else {}),
        }

    @classmethod
    def from_mapping(cls, raw: Mapping[str, Any], *, legacy: bool) -> "PauseClaims":
        """Read signed claims; raises TokenRejected if a claim is missing, has a wrong type or is not within its limits.

        `legacy` comes from the codec: the legacy key signed the token, and it has no key id. Only such a token may have
        no `iat` and no `aud`, and only its scope hash is the short one.
        """
        return cls(
            run_id=read_text(raw, "run_id"),
            session_id=read_text(raw, "session_id", empty=True),
            scope_hash=_hex(raw, "scope_hash", LEGACY_SCOPE_HASH_LENGTH if legacy else SCOPE_HASH_LENGTH),
            thread_id=read_text(raw, "thread_id", limit=THREAD_ID_MAX_BYTES),
            checkpoint_id=read_text(raw, "checkpoint_id"),
            tool_call_id=read_text(raw, "tool_call_id", limit=TOOL_CALL_ID_MAX_BYTES, empty=True),
            request_hash=_hex(raw, "request_hash", 64),
            exp=read_epoch(raw, "exp"),
            jti=read_text(raw, "jti"),
            name=read_text(raw, "name") if "name" in raw else ASK_USER,
            interrupt_id=read_text(raw, "interrupt_id", empty=True) if "interrupt_id" in raw else "",
            issued_at=None if legacy else read_epoch(raw, "iat"),
            audience=Audience.RESUME if legacy else read_audience(raw),
            recipient=read_text(raw, "sub") if "sub" in raw and not legacy else "",
            scoped=_flag(raw, "scoped") if not legacy else False,
        )

    def issued_after(self, now: int) -> bool:
        """Return whether `iat` is later than `now` by more than the clock leeway."""
        return self.issued_at is not None and self.issued_at > now + CLOCK_LEEWAY_SECONDS


AuthenticClaims = NewType("AuthenticClaims", PauseClaims)
"""Claims of an authentic token, live or expired: signature and form were checked, expiry was not.

They are enough to read how a pause ended, but not to answer it. They can also be those of a pause that a person named
who has signed in. Only `PauseTokenService` makes them.
"""
LiveClaims = NewType("LiveClaims", AuthenticClaims)
"""Authentic claims whose expiry was checked too; only these can be consumed.

Only `PauseTokenService` makes them. A type checker refuses ended claims where live ones are needed.
"""


def read_text(raw: Mapping[str, Any], name: str, *, limit: int = 256, empty: bool = False) -> str:
    """Return a text claim; raises TokenRejected if it is missing, has a wrong type or is too long."""
    value = raw.get(name)
    if not isinstance(value, str) or not (value or empty) or not _fits(value, limit):
        raise TokenRejected
    return value


def _fits(value: str, limit: int) -> bool:
    try:
        return len(value.encode()) <= limit
    except UnicodeEncodeError:
        # Half a surrogate pair: a legacy token can contain it, but a key of the table cannot.
        return False


def _hex(raw: Mapping[str, Any], name: str, length: int) -> str:
    value = raw.get(name)
    if not isinstance(value, str) or len(value) != length or not _HEX.fullmatch(value):
        raise TokenRejected
    return value


def _flag(raw: Mapping[str, Any], name: str) -> bool:
    value = raw.get(name, False)
    if not isinstance(value, bool):
        raise TokenRejected
    return value


def read_epoch(raw: Mapping[str, Any], name: str) -> int:
    """Return a claim that is a time in epoch seconds; raises TokenRejected."""
    value = raw.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _EPOCH_MAX:
        raise TokenRejected
    return value


def read_audience(raw: Mapping[str, Any]) -> Audience:
    """Return the audience of a token; raises TokenRejected."""
    try:
        return Audience(raw["aud"])
    except (KeyError, ValueError):
        raise TokenRejected from None
