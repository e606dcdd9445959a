"""A ledger row as a table item.

Every claim is an attribute of its own; `scope_hash` is also a key of the scope index.
"""

from typing import Any

from askback.adapters.item_keys import PK, due_shard, ledger_key, scope_order
from askback.adapters.records import TTL
from askback.domain.claims import PauseClaims
from askback.domain.ledger import AcceptedAnswer, LedgerRow, PauseStatus

STATUS, EXP, DUE_AT, DUE_SHARD, SCOPE_ORDER = "status", "exp", "due_at", "due_shard", "scope_order"
RESPONSE, RESPONSE_HASH = "response", "response_hash"
ANSWERED_BY, ANSWERED_AT, ATTEMPT_ID, REDEEMED_SCOPE = "answered_by", "answered_at", "attempt_id", "redeemed_scope_hash"

_TEXT_CLAIMS = (
    "run_id",
    "session_id",
    "scope_hash",
    "thread_id",
    "checkpoint_id",
    "tool_call_id",
    "request_hash",
    "name",
    "interrupt_id",
)


def issued_item(row: LedgerRow, *, retention_seconds: int) -> dict[str, Any]:
    """Return the item of a new pause: due at its expiry, listed among its scope's open ones."""
    claims = row.claims
    return {
        **_claims_attributes(claims, retention_seconds=retention_seconds),
        STATUS: {"S": row.status.value},
        "pin": {"S": row.pin},
        "turn_recorded": {"BOOL": row.turn_recorded},
        DUE_SHARD: {"S": due_shard(claims.jti)},
        DUE_AT: {"N": str(claims.exp)},
        SCOPE_ORDER: {"S": scope_order(is_open=True, issued_at=claims.issued_at or 0, jti=claims.jti)},
    }


def legacy_item(claims: PauseClaims, answer: AcceptedAnswer, *, retention_seconds: int) -> dict[str, Any]:
    """Return the item that claims a pause of the legacy engine, which has no row before it is answered."""
    return {
        **_claims_attributes(claims, retention_seconds=retention_seconds),
        SCOPE_ORDER: {"S": scope_order(is_open=False, issued_at=answer.answered_at, jti=claims.jti)},
        **answer_attributes(answer),
    }


def answer_attributes(answer: AcceptedAnswer) -> dict[str, Any]:
    """Return what a claim writes: the accepted answer and the status that goes with it."""
    return {
        STATUS: {"S": PauseStatus.ANSWERED.value},
        RESPONSE: {"S": answer.response},
        RESPONSE_HASH: {"S": answer.response_hash},
        ANSWERED_BY: {"S": answer.answered_by},
        ANSWERED_AT: {"N": str(answer.answered_at)},
        ATTEMPT_ID: {"S": answer.attempt_id},
        REDEEMED_SCOPE: {"S": answer.redeemed_scope_hash},
    }


def read_row(item: dict[str, Any]) -> LedgerRow:
    """Return the row of an item."""
    return LedgerRow(
        claims=PauseClaims(
            jti=item[PK]["S"].removeprefix("pause#"),
            exp=int(item[EXP]["N"]),
            issued_at=int(item["issued_at"]["N"]) if "issued_at" in item else None,
            **{name: item[name]["S"] for name in _TEXT_CLAIMS},
        ),
        status=PauseStatus(item[STATUS]["S"]),
        pin=item["pin"]["S"] if "pin" in item else "",
        turn_recorded=item["turn_recorded"]["BOOL"] if "turn_recorded" in item else False,
        answer=_read_answer(item),
    )


def _claims_attributes(claims: PauseClaims, *, retention_seconds: int) -> dict[str, Any]:
    issued_at = {} if claims.issued_at is None else {"issued_at": {"N": str(claims.issued_at)}}
    return {
        **ledger_key(claims.jti),
        **{name: {"S": getattr(claims, name)} for name in _TEXT_CLAIMS},
        **issued_at,
        EXP: {"N": str(claims.exp)},
        TTL: {"N": str(claims.exp + retention_seconds)},
    }


def _read_answer(item: dict[str, Any]) -> AcceptedAnswer | None:
    if RESPONSE not in item:
        return None
    return AcceptedAnswer(
        response=item[RESPONSE]["S"],
        response_hash=item[RESPONSE_HASH]["S"],
        answered_by=item[ANSWERED_BY]["S"],
        answered_at=int(item[ANSWERED_AT]["N"]),
        attempt_id=item[ATTEMPT_ID]["S"],
        redeemed_scope_hash=item[REDEEMED_SCOPE]["S"],
    )
