"""The request and the reply of `POST /pauses/{jti}/revoke`, for the program that asked.

The reply does not say which operator revoked a pause before: the program that asks need not know the operators.
"""

from dataclasses import dataclass
from typing import Any

from askback.domain.delivery.revoking import RevokedPause, require_reason
from askback.domain.limits import require_identifier
from askback.domain.pause.ledger import LedgerRow
from askback.domain.timestamps import rfc3339
from askback.edge.body import Body, read_body
from askback.edge.lambda_events import RouteRequest


class AskerRevocationBody(Body):
    """The fields of the request."""

    HALVES_ALLOWED = frozenset({"reason"})

    jti: str
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AskerRevocation:
    """A checked request; `reason` is empty if there is none."""

    jti: str
    reason: str


def asker_revocation(request: RouteRequest) -> AskerRevocation:
    """Return the checked request; raises InvalidRequest with the wrong fields."""
    body = read_body(AskerRevocationBody, request)
    reason = "" if body.reason is None else require_reason(body.reason)
    return AskerRevocation(jti=require_identifier(body.jti, field="jti"), reason=reason)


def asker_revocation_reply(revoked: RevokedPause) -> dict[str, Any]:
    """Return the id of the pause, when and why it was revoked, and whether an earlier request had done it."""
    row = revoked.row
    revocation = row.revocation
    return {
        "jti": row.claims.jti,
        "status": row.status.value,
        "revoked_at": rfc3339(revocation.at if revocation else None),
        "reason": (revocation.reason or None) if revocation else None,
        "replayed": revoked.replayed,
    }


def replacement_members(row: LedgerRow) -> dict[str, Any]:
    """Return what an operator reads of a pause that was taken back or has replaced another; each only if it has."""
    members: dict[str, Any] = {}
    if row.revocation is not None and row.revocation.reason:
        members["revoked_reason"] = row.revocation.reason
    if row.supersedes:
        members["supersedes"] = row.supersedes
    if row.superseded is not None:
        members |= {"superseded_at": rfc3339(row.superseded.at), "superseded_by": row.superseded.by}
    return members
