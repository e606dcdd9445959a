"""The requests and replies of the operators' API. A reply contains ids, states and times.

A request has the same fields in a path, in a query, and in a direct invocation. A reply never contains an answer, a
payload, a token or the address of a waiter.
"""

from dataclasses import dataclass
from typing import Any

from askback.domain.keys.standing import KeyStandings
from askback.domain.limits import require_identifier
from askback.domain.operators.due_audit import AuditPage
from askback.domain.pause.changes import clarifications, new_places, steps_done
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.timestamps import rfc3339
from askback.edge.body import Body, read_body
from askback.edge.lambda_events import RouteRequest
from askback.edge.operator import OperatorBody, operator_of, read_with_operator
from askback.edge.pause_list import whole_number
from askback.edge.taking_back import replacement_members
from askback.edge.votes import votes_for_operators

AUDIT_MAX = 1000
"""How many rows one request of the audit looks through, at most and by default."""


class NoBody(Body):
    """The fields of `GET /keys`: none."""


class DueAuditBody(Body):
    """The fields of the direct action `audit-due`."""

    limit: Any = AUDIT_MAX
    next: str | None = None
    repair: bool = False


class PauseBody(Body):
    """The fields of a route about one pause."""

    jti: str


class RevocationBody(PauseBody, OperatorBody):
    """The fields of the direct action `revoke`; over HTTP there is the id alone."""


class LinkRevocationBody(PauseBody):
    """The fields of `POST /pauses/{jti}/links/revoke`."""

    recipient: str


class DirectLinkRevocationBody(LinkRevocationBody, OperatorBody):
    """The fields of the direct action `revoke-link`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRevocation:
    """A request to revoke the link of one recipient."""

    jti: str
    recipient: str
    operator: str


def audit_request(request: RouteRequest) -> DueAuditBody:
    """Return the checked request; raises InvalidRequest with the wrong fields."""
    body = read_body(DueAuditBody, request)
    whole_number(body.limit, field="limit", most=AUDIT_MAX)
    return body


def keys_request(request: RouteRequest) -> None:
    """Check that a request has no fields; raises InvalidRequest."""
    read_body(NoBody, request)


def pause_request(request: RouteRequest) -> str:
    """Return the id of the pause in the request; raises InvalidRequest."""
    return _jti(read_body(PauseBody, request))


def revocation_request(request: RouteRequest) -> tuple[str, str]:
    """Return the id of the pause to revoke, and who revokes it; raises InvalidRequest."""
    body, stated = read_with_operator(PauseBody, RevocationBody, request)
    return _jti(body), operator_of(request.caller, stated)


def link_revocation_request(request: RouteRequest) -> LinkRevocation:
    """Return the checked request; raises InvalidRequest with the wrong fields."""
    body, stated = read_with_operator(LinkRevocationBody, DirectLinkRevocationBody, request)
    return LinkRevocation(
        jti=_jti(body),
        recipient=require_identifier(body.recipient, field="recipient"),
        operator=operator_of(request.caller, stated),
    )


def _jti(body: PauseBody) -> str:
    return require_identifier(body.jti, field="jti")


def audit_reply(page: AuditPage) -> dict[str, Any]:
    """Return the rows of a page that the sweep cannot see; with its `next`, the caller gets the next page."""
    return {
        "scanned": page.scanned,
        "rows": [
            {
                "jti": unseen.marked.jti,
                "status": unseen.marked.status,
                "damage": unseen.marked.damage,
                "repaired": unseen.repaired,
            }
            for unseen in page.unseen
        ],
        "next": page.next,
    }


def pause_reply(row: LedgerRow) -> dict[str, Any]:
    """Return the current state of one pause.

    `due_at` is the time of the sweep's next action, or null if no action is due. A legacy pause has no time of issue.
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
        "minted_by": row.minter or None,
        "issued_at": rfc3339(claims.issued_at),
        "expires_at": rfc3339(row.expires_at),
        **({} if row.deadline is None else {"latest_expires_at": rfc3339(claims.exp)}),
        "turn_recorded": row.turn_recorded,
        "waiter": row.waiter.kind.value if row.waiter else None,
        "attempts": row.attempts,
        "given_up": row.redrivable,
        "due_at": rfc3339(row.due_at),
        "remind_at": rfc3339(row.remind_at),
        "answered_at": rfc3339(answer.answered_at if answer else None),
        "answered_by": answer.answered_by if answer else None,
        "by_policy": answer.by_policy if answer else False,
        "assurance": answer.known_as if answer else None,
        "least_assurance": row.answerers.least_assurance.value,
        **_floor_members(row),
        "revoked_links": list(row.revoked_links),
        "revoked_at": rfc3339(revocation.at if revocation else None),
        "revoked_by": revocation.by if revocation else None,
        **replacement_members(row),
        "erased_at": rfc3339(row.erased.at if row.erased else None),
        **({"delegates": list(row.delegates)} if row.delegates else {}),
        **votes_for_operators(row),
        **_people_members(row),
    }


def _floor_members(row: LedgerRow) -> dict[str, Any]:
    """Return how well each approver must be known, if that is not the same for all; other pauses have no member."""
    people = row.answerers
    if not people.member_floors:
        return {}
    return {"approvers": [{"name": each, "least_assurance": people.least_of(each).value} for each in people.approvers]}


def _people_members(row: LedgerRow) -> dict[str, Any]:
    """Return who is asked, the steps that are left and the changes so far; other pauses have none of these members."""
    if not (row.escalation or row.changes):
        return {}
    return {
        "asked": list(row.people.asked()),
        "next_step_at": rfc3339(row.next_step_at if row.status is PauseStatus.ISSUED else None),
        "steps_left": len(row.escalation) - steps_done(row.changes),
        **_questions(row),
        "changes": [
            {
                "kind": change.kind.value,
                "at": rfc3339(change.at),
                "by": change.by or None,
                "added": list(new_places(row.changes, number, row.answerers.recipients)),
            }
            for number, change in enumerate(row.changes, start=1)
        ],
    }


def _questions(row: LedgerRow) -> dict[str, Any]:
    """Return how many questions people have asked back, and how many have no reply; no text of them."""
    asked = clarifications(row.changes)
    return {"questions": {"asked": len(asked), "open": sum(not each.reply for each in asked)}} if asked else {}


def keys_reply(standings: KeyStandings) -> dict[str, Any]:
    """Return the state of the signing keys. Key ids are not secret: every token contains its key id."""
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
