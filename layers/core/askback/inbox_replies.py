"""What an operator is sent back, as JSON objects: ids, states and times.

Never an answer, a payload, a token, or a waiter's address.
"""

from typing import Any

from askback.domain.keys.standing import KeyStandings
from askback.domain.pause.ledger import LedgerRow
from askback.domain.pause.listing import PausePage
from askback.domain.timestamps import rfc3339


def pause_list_reply(page: PausePage) -> dict[str, Any]:
    """Return one page of a scope's pauses; `next` asks for the one behind it."""
    return {
        "pauses": [
            {
                "jti": listed.jti,
                "name": listed.name,
                "status": listed.status,
                "issued_at": rfc3339(listed.issued_at),
                "expires_at": rfc3339(listed.expires_at),
            }
            for listed in page.pauses
        ],
        "next": None if page.next is None else page.next.cursor(),
    }


def pause_reply(row: LedgerRow) -> dict[str, Any]:
    """Return one pause as it is now.

    `due_at` is when the sweep looks at it next, null when nothing is left to do. A pause of the legacy engine does not
    know when it was issued.
    """
    claims, answer, revocation = row.claims, row.answer, row.revocation
    return {
        "jti": claims.jti,
        "name": claims.name,
        "status": row.status.value,
        "scope_hash": claims.scope_hash,
        "run_id": claims.run_id,
        "session_id": claims.session_id,
        "thread_id": claims.thread_id,
        "checkpoint_id": claims.checkpoint_id,
        "tool_call_id": claims.tool_call_id,
        "interrupt_id": claims.interrupt_id,
        "key_id": row.key_id or None,
        "pin": row.pin,
        "issued_at": rfc3339(claims.issued_at),
        "expires_at": rfc3339(claims.exp),
        "turn_recorded": row.turn_recorded,
        "waiter": row.waiter.kind.value if row.waiter else None,
        "attempts": row.attempts,
        "due_at": rfc3339(row.due_at),
        "remind_at": rfc3339(row.remind_at),
        "answered_at": rfc3339(answer.answered_at if answer else None),
        "answered_by": answer.answered_by if answer else None,
        "by_policy": answer.by_policy if answer else False,
        "revoked_at": rfc3339(revocation.at if revocation else None),
        "revoked_by": revocation.by if revocation else None,
    }


def keys_reply(standings: KeyStandings) -> dict[str, Any]:
    """Return how the signing keys stand. Key ids are no secret: every token carries its own."""
    unnamed = standings.unnamed
    return {
        "keys": [
            {
                "key_id": key.key_id,
                "in_ring": key.in_ring,
                "signs": key.signs,
                "until": rfc3339(key.until),
                "outstanding": key.outstanding,
                "latest_expiry": rfc3339(key.latest_expiry),
            }
            for key in standings.keys
        ],
        "unnamed": {"outstanding": unnamed.outstanding, "latest_expiry": rfc3339(unnamed.latest_expiry)},
        "legacy_key": standings.has_legacy,
    }
