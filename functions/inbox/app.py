"""The inbox function, for operators: shows, withdraws and redrives pauses, and counts what each key has open."""

import askback.edge.cold_start
from askback.domain.pause.ledger import LedgerRow
from askback.edge.inbox import (
    keys_reply,
    keys_request,
    list_request,
    pause_list_reply,
    pause_reply,
    pause_request,
    revocation_request,
)
from askback.edge.lambda_events import Request, Via
from askback.edge.serve import Reply, serve
from askback.wiring.deferred import Deferred
from askback.wiring.services import Services, observers, services

logger, metrics = observers("inbox")
deployed = Deferred(lambda: services(logger), Services.inbox)


async def list_pauses(request: Request) -> Reply:
    """Return a page of a scope's pauses, open ones first."""
    asked = list_request(request)
    page = await deployed().inbox().pauses(asked.scope, limit=asked.limit, after=asked.after)
    return Reply(
        status=200, body=pause_list_reply(page), metric="PausesListed", log={"scope_hash": asked.scope.digest()}
    )


async def show(request: Request) -> Reply:
    """Return one pause."""
    return _reply(await deployed().inbox().pause(pause_request(request)), metric="PauseShown")


async def revoke(request: Request) -> Reply:
    """Withdraw an open pause; the sweep tells the run that waits for it."""
    wired = deployed()
    jti, operator = revocation_request(request)
    withdrawal = await wired.inbox().revoke(jti, by=operator, at=wired.clock())
    metric = "RevocationReplayed" if withdrawal.replayed else "PauseRevoked"
    return _reply(withdrawal.row, metric=metric, operator=operator)


async def redrive(request: Request) -> Reply:
    """Put an undeliverable pause back; the sweep delivers it once more."""
    wired = deployed()
    return _reply(await wired.inbox().redrive(pause_request(request), at=wired.clock()), metric="PauseRedriven")


async def keys(request: Request) -> Reply:
    """Return how many open pauses each signing key still has."""
    keys_request(request)
    return Reply(status=200, body=keys_reply(await deployed().key_standings()), metric="KeysShown")


def _reply(row: LedgerRow, *, metric: str, **log: str) -> Reply:
    return Reply(status=200, body=pause_reply(row), metric=metric, log={"status": row.status.value, **log})


handler = serve(
    http={
        "GET /pauses": (Via.IAM, list_pauses),
        "GET /pauses/{jti}": (Via.IAM, show),
        "DELETE /pauses/{jti}": (Via.IAM, revoke),
        "POST /pauses/{jti}/redrive": (Via.IAM, redrive),
        "GET /keys": (Via.IAM, keys),
    },
    direct={"list": list_pauses, "show": show, "revoke": revoke, "redrive": redrive, "keys": keys},
    default_action="list",
    trust_unsigned=lambda: deployed().settings.trust_unsigned_routes,
    logger=logger,
    metrics=metrics,
)

askback.edge.cold_start.ended()
