"""The inbox function, for operators: shows, changes, redrives and audits pauses, and counts those open of each key."""

from functools import partial

import askback.edge.cold_start
from askback.domain.pause.ledger import LedgerRow
from askback.domain.pause.listing import OpenPage, PausePage
from askback.domain.pause.principal_scopes import Admit, AllowedScope
from askback.edge.amendments import extension_request, reassignment_request
from askback.edge.inbox import (
    audit_reply,
    audit_request,
    keys_reply,
    keys_request,
    link_revocation_request,
    pause_reply,
    pause_request,
    revocation_request,
)
from askback.edge.lambda_events import CallerAuth, RouteRequest
from askback.edge.pause_list import list_request, pause_list_reply
from askback.edge.serve import RouteReply, serve
from askback.wiring.inbox import InboxServices, build
from askback.wiring.observers import observers

logger, metrics = observers("inbox")


async def list_pauses(request: RouteRequest, services: InboxServices) -> RouteReply:
    """Return a page of a scope's pauses, open ones first, or of the open pauses of a scope as a whole."""
    at, principal = services.clock(), request.caller.principal
    asked = list_request(request, at=at, may_show_titles=services.settings.list_titles)
    page: PausePage | OpenPage
    if asked.whole:
        whole = AllowedScope(scope=asked.scope, below=True)
        services.scopes.require_some_of(principal, whole)
        page = await services.inbox.open_pauses(
            whole,
            limit=asked.limit,
            after=asked.after_open,
            asked=asked.filter,
            at=at,
            sees=partial(services.scopes.admits, principal),
        )
    else:
        services.scopes.require(principal, asked.scope)
        page = await services.inbox.pauses(asked.scope, limit=asked.limit, after=asked.after, asked=asked.filter)
    claims = [listed.row.claims for listed in page.pauses if listed.row is not None]
    titles = await services.titles.of(claims) if asked.titles else None
    return RouteReply(
        status=200,
        body=pause_list_reply(page, at=at, titles=titles),
        metric="PausesListed",
        log={"scope_hash": asked.scope.digest(), "looked_at": str(page.looked_at)},
    )


async def show(request: RouteRequest, services: InboxServices) -> RouteReply:
    """Return one pause."""
    row = await services.inbox.pause(pause_request(request), admit=_admit(request, services))
    return _reply(row, metric="PauseShown")


async def revoke(request: RouteRequest, services: InboxServices) -> RouteReply:
    """Revoke an open pause; the sweep delivers this outcome to the run that waits."""
    jti, operator = revocation_request(request)
    admit = _admit(request, services)
    revoked = await services.inbox.revoke(jti, by=operator, at=services.clock(), admit=admit)
    metric = "RevocationReplayed" if revoked.replayed else "PauseRevoked"
    return _reply(revoked.row, metric=metric, operator=operator)


async def revoke_link(request: RouteRequest, services: InboxServices) -> RouteReply:
    """Revoke the link of one recipient of an open pause; the name is not in the log."""
    asked = link_revocation_request(request)
    admit = _admit(request, services)
    revoked = await services.inbox.revoke_link(asked.jti, asked.recipient, at=services.clock(), admit=admit)
    metric = "LinkRevocationReplayed" if revoked.replayed else "LinkRevoked"
    return _reply(revoked.row, metric=metric, operator=asked.operator)


async def extend(request: RouteRequest, services: InboxServices) -> RouteReply:
    """Move the deadline of an open pause."""
    at = services.clock()
    asked = extension_request(request, at=at)
    extended = await services.amendments.extend(
        asked.jti, at=at, until=asked.until, field=asked.field, admit=_admit(request, services)
    )
    metric = "ExtensionReplayed" if extended.replayed else "PauseExtended"
    return _reply(extended.row, metric=metric, operator=asked.operator)


async def reassign(request: RouteRequest, services: InboxServices) -> RouteReply:
    """Ask another person instead of one who is asked; the names are not in the log."""
    asked = reassignment_request(request)
    reassigned = await services.amendments.reassign(
        asked.jti,
        leaving=asked.leaving,
        to=asked.to,
        by=asked.operator,
        at=services.clock(),
        admit=_admit(request, services),
    )
    metric = "ReassignmentReplayed" if reassigned.replayed else "PauseReassigned"
    return _reply(reassigned.row, metric=metric, operator=asked.operator)


async def redrive(request: RouteRequest, services: InboxServices) -> RouteReply:
    """Make an undeliverable pause due again; the sweep delivers it."""
    jti, admit = pause_request(request), _admit(request, services)
    return _reply(await services.inbox.redrive(jti, at=services.clock(), admit=admit), metric="PauseRedriven")


async def keys(request: RouteRequest, services: InboxServices) -> RouteReply:
    """Return how many open pauses each signing key still has."""
    keys_request(request)
    services.scopes.require_every_scope(request.caller.principal)
    return RouteReply(status=200, body=keys_reply(await services.key_standings()), metric="KeysShown")


async def audit_due(request: RouteRequest, services: InboxServices) -> RouteReply:
    """Return the rows that should be due and that the sweep cannot see; on request, make them due now."""
    asked = audit_request(request)
    services.scopes.require_every_scope(request.caller.principal)
    page = await services.due_audit.page(at=services.clock(), limit=asked.limit, after=asked.next, repair=asked.repair)
    return RouteReply(
        status=200,
        body=audit_reply(page),
        metric="DueAudited",
        log={"damaged": " ".join(unseen.marked.jti for unseen in page.unseen)},
    )


def _admit(request: RouteRequest, services: InboxServices) -> Admit:
    return partial(services.scopes.require_row, request.caller.principal)


def _reply(row: LedgerRow, *, metric: str, **log: str) -> RouteReply:
    return RouteReply(status=200, body=pause_reply(row), metric=metric, log={"status": row.status.value, **log})


handler = serve(
    build,
    http={
        "GET /pauses": (CallerAuth.IAM, list_pauses),
        "GET /pauses/{jti}": (CallerAuth.IAM, show),
        "DELETE /pauses/{jti}": (CallerAuth.IAM, revoke),
        "POST /pauses/{jti}/links/revoke": (CallerAuth.IAM, revoke_link),
        "POST /pauses/{jti}/extend": (CallerAuth.IAM, extend),
        "POST /pauses/{jti}/reassign": (CallerAuth.IAM, reassign),
        "POST /pauses/{jti}/redrive": (CallerAuth.IAM, redrive),
        "GET /keys": (CallerAuth.IAM, keys),
    },
    direct={
        "list": list_pauses,
        "show": show,
        "revoke": revoke,
        "revoke-link": revoke_link,
        "extend": extend,
        "reassign": reassign,
        "redrive": redrive,
        "keys": keys,
        "audit-due": audit_due,
    },
    default_action="list",
    logger=logger,
    metrics=metrics,
)

askback.edge.cold_start.ended()
