"""The attributes of a row that say why its pause was taken back: revoked, or replaced by a newer one.

Only the rows of such pauses have them, and a newer pause has the id of the one that it has replaced.
"""

from typing import Any

from askback.domain.pause.ledger import LedgerRow, Revocation, RowChange, Supersession

REVOKED_AT, REVOKED_BY, REVOKED_WHY = "revoked_at", "revoked_by", "revoked_why"
SUPERSEDES, SUPERSEDED_AT, SUPERSEDED_BY, WAITER_MOVED = "supersedes", "superseded_at", "superseded_by", "waiter_moved"

Attributes = dict[str, Any]


def supersedes_attributes(row: LedgerRow) -> Attributes:
    """Return the id of the pause that a new one replaces; nothing if it replaces none."""
    return {SUPERSEDES: {"S": row.supersedes}} if row.supersedes else {}


def taken_back_attributes(change: RowChange) -> Attributes:
    """Return what a change says of a revocation or a supersession; nothing for every other change."""
    attributes: Attributes = {}
    if change.revocation is not None:
        attributes |= {REVOKED_AT: {"N": str(change.revocation.at)}, REVOKED_BY: {"S": change.revocation.by}}
        if change.revocation.reason:
            attributes[REVOKED_WHY] = {"S": change.revocation.reason}
    if change.superseded is not None:
        attributes |= {SUPERSEDED_AT: {"N": str(change.superseded.at)}, SUPERSEDED_BY: {"S": change.superseded.by}}
        if change.superseded.waiter_moved:
            attributes[WAITER_MOVED] = {"BOOL": True}
    return attributes


def read_revocation(item: Attributes) -> Revocation | None:
    """Return the revocation in an item."""
    if REVOKED_AT not in item:
        return None
    reason = item[REVOKED_WHY]["S"] if REVOKED_WHY in item else ""
    return Revocation(by=item[REVOKED_BY]["S"], at=int(item[REVOKED_AT]["N"]), reason=reason)


def read_supersedes(item: Attributes) -> str:
    """Return the id of the pause that the one of an item has replaced; empty if there is none."""
    return item[SUPERSEDES]["S"] if SUPERSEDES in item else ""


def read_supersession(item: Attributes) -> Supersession | None:
    """Return which pause has replaced the one of an item."""
    if SUPERSEDED_AT not in item:
        return None
    moved = bool(item[WAITER_MOVED]["BOOL"]) if WAITER_MOVED in item else False
    return Supersession(by=item[SUPERSEDED_BY]["S"], at=int(item[SUPERSEDED_AT]["N"]), waiter_moved=moved)
