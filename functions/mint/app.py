"""The mint function: records a paused request and a paused turn, and returns the pause's tokens.

The program that asked revokes its question here too, and replies to what people ask back about it: it needs no
permission of an operator.
"""

import askback.edge.cold_start
from askback.domain.mint.command import MintCommand
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.ledger import LedgerRow, Revocation
from askback.domain.pause.minter import minter_hash, require_minter
from askback.domain.pause.person_names import ASKER
from askback.domain.pause.principal_scopes import Admit
from askback.edge.clarifications import clarification_reply, clarification_request
from askback.edge.lambda_events import CallerAuth, RouteRequest
from askback.edge.mint import mint_command, mint_reply
from askback.edge.serve import RouteReply, serve
from askback.edge.taking_back import asker_revocation, asker_revocation_reply
from askback.wiring.mint import MintServices, build
from askback.wiring.observers import observers

logger, metrics = observers("mint")


async def mint(request: RouteRequest, services: MintServices) -> RouteReply:
    """Mint the pause of the request."""
    settings = services.settings
    command = mint_command(
        request,
        at=services.clock(),
        waiter_functions=settings.waiter_functions,
        has_event_bus=bool(settings.event_bus),
    )
    # Every command has a scope; the mint itself refuses one without.
    if command.binding.scope is not None:
        services.scopes.require(command.principal, command.binding.scope)
    minted = await services.mint.mint(command)
    # A retry gets the pause of the first mint, so it must not be counted as a new pause.
    repeated = minted.claims.issued_at != command.at
    lost = [
        what for what, is_lost in (("request", not minted.recorded), ("turn", _lost_turn(command, minted))) if is_lost
    ]
    if lost:
        # Best effort without a waiter: the caller reads it in the reply, and the operator here.
        logger.error("not recorded", extra={"lost": lost})
    if minted.unanswerable:
        logger.warning(
            "no way to answer is known as well as this question demands", extra={"reason": minted.unanswerable}
        )
    faults = {"NotRecorded": bool(lost), "Unanswerable": bool(minted.unanswerable)}
    return RouteReply(
        status=201,
        body=mint_reply(minted, answer_url=settings.answer_url),
        metric="MintRepeated" if repeated else "PauseIssued",
        log={"principal": request.caller.arn or command.principal, "minted_by": minter_hash(command.principal)},
        also_count=tuple(name for name, counts in faults.items() if counts),
    )


async def revoke(request: RouteRequest, services: MintServices) -> RouteReply:
    """Revoke an open pause of the caller; the sweep delivers this outcome to the run that waits."""
    asked = asker_revocation(request)
    revocation = Revocation(by=ASKER, at=services.clock(), reason=asked.reason)
    revoked = await services.revoking.revoke(asked.jti, revocation, admit=_own(request, services))
    return RouteReply(
        status=200,
        body=asker_revocation_reply(revoked),
        metric="RevocationReplayed" if revoked.replayed else "PauseRevoked",
        log={"status": revoked.row.status.value, "principal": request.caller.arn or request.caller.principal},
    )


async def clarify(request: RouteRequest, services: MintServices) -> RouteReply:
    """Return what people ask back about a pause of the caller, or add the caller's reply to one of these questions."""
    (jti, reply), admit = clarification_request(request), _own(request, services)
    if reply is None:
        row = await services.clarifying.pause(jti, admit=admit)
        return RouteReply(status=200, body=clarification_reply(row), metric="ClarificationsRead")
    clarified = await services.clarifying.reply(
        jti, number=reply.number, text=reply.text, at=services.clock(), admit=admit
    )
    return RouteReply(
        status=200,
        body=clarification_reply(clarified.row, replayed=clarified.replayed),
        metric="ClarificationReplayed" if clarified.replayed else "PauseClarified",
    )


def _own(request: RouteRequest, services: MintServices) -> Admit:
    """Return the check that a pause is one of the caller."""
    principal = request.caller.principal

    def admit(row: LedgerRow) -> None:
        # The order matters: another program must not learn from a refusal that there is such a pause.
        require_minter(principal, row.minter)
        services.scopes.require_row(principal, row)

    return admit


def _lost_turn(command: MintCommand, minted: MintedPause) -> bool:
    return command.messages is not None and not minted.resumable


handler = serve(
    build,
    http={
        "POST /pauses": (CallerAuth.IAM, mint),
        "POST /pauses/{jti}/revoke": (CallerAuth.IAM, revoke),
        "POST /pauses/{jti}/clarifications": (CallerAuth.IAM, clarify),
    },
    direct={"mint": mint, "revoke": revoke, "clarify": clarify},
    default_action="mint",
    logger=logger,
    metrics=metrics,
)

askback.edge.cold_start.ended()
