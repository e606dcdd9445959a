"""Builders of the domain's values: a complete one by default, with what a test is about replaced."""

import hashlib
from collections.abc import Mapping
from typing import Any

from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ledger import AcceptedAnswer, LedgerRow, PauseStatus
from tests.support.memory_deployment import NOW, SCOPE


def some_claims(**over: Any) -> PauseClaims:
    """Return the claims of a pause that was issued at NOW for an hour."""
    return PauseClaims(
        **{
            "run_id": "run-1",
            "session_id": "sess-1",
            "scope_hash": SCOPE.digest(),
            "thread_id": "acme:eu:sess-1",
            "checkpoint_id": "cp-1",
            "tool_call_id": "call_Cc03Ask",
            "request_hash": "ab" * 32,
            "exp": NOW + 3600,
            "jti": "0123456789abcdef0123456789abcdef",
            "issued_at": NOW,
            **over,
        }
    )


def some_legacy_claims(**over: Any) -> PauseClaims:
    """Return the claims of a token that the legacy engine issued: a short scope hash, and no issue time."""
    return some_claims(**{"scope_hash": SCOPE.digest()[:16], "jti": "legacy-jti", "issued_at": None, **over})


def an_issued_row(claims: PauseClaims | None = None, **over: Any) -> LedgerRow:
    """Return the row of a pause that waits for its answer."""
    return LedgerRow(
        **{
            "claims": claims or some_claims(),
            "status": PauseStatus.ISSUED,
            "key_id": "k1",
            "pin": "v7",
            "turn_recorded": True,
            **over,
        }
    )


def an_acceptance(response_text: str = '"Approve"', **over: Any) -> AcceptedAnswer:
    """Return what a claim would write for an answer, given by ada a minute after NOW."""
    return AcceptedAnswer(
        **{
            "response_text": response_text,
            "response_hash": hashlib.sha256(response_text.encode()).hexdigest(),
            "answered_by": "ada",
            "answered_at": NOW + 60,
            "attempt_id": "attempt-1",
            "redeemed_scope_hash": SCOPE.digest(),
            **over,
        }
    )


def claims_mapping(claims: PauseClaims, **over: Any) -> Mapping[str, Any]:
    """Return a token's claims with some replaced, or left out where the value is `...`."""
    return {name: value for name, value in {**claims.to_mapping(), **over}.items() if value is not ...}


def incompressible(size: int, *, seed: str = "") -> str:
    """Return a text of `size` ASCII characters that compresses badly, always the same one for one seed."""
    blocks = (hashlib.sha512(f"{seed}{block}".encode()).hexdigest() for block in range(size // 128 + 1))
    return "".join(blocks)[:size]


BUCKET_SIZED = incompressible(40_000)
"""A text that is too large for the table however it is compressed, so that it stands in the bucket."""
