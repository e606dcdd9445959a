"""The mint function: records a paused request and a paused turn, and returns the pause's tokens."""

import askback.edge.cold_start
from askback.edge.lambda_events import Request, Via
from askback.edge.mint import mint_command, mint_reply
from askback.edge.serve import Reply, serve
from askback.wiring.deferred import Deferred
from askback.wiring.services import Services, observers, services

logger, metrics = observers("mint")
deployed = Deferred(lambda: services(logger), Services.mint)


async def mint(request: Request) -> Reply:
    """Mint the pause that the request asks for."""
    wired = deployed()
    command = mint_command(
        request,
        at=wired.clock(),
        waiter_functions=wired.settings.waiter_functions,
        has_event_bus=bool(wired.settings.event_bus),
    )
    minted = await wired.mint().mint(command)
    # A retry gets the pause of its first mint, and must not be counted as another.
    repeated = minted.claims.issued_at != command.at
    return Reply(
        status=201,
        body=mint_reply(minted, answer_url=wired.settings.answer_url),
        metric="MintRepeated" if repeated else "PauseIssued",
    )


handler = serve(
    http={"POST /pauses": (Via.IAM, mint)},
    direct={"mint": mint},
    default_action="mint",
    trust_unsigned=lambda: deployed().settings.trust_unsigned_routes,
    logger=logger,
    metrics=metrics,
)

askback.edge.cold_start.ended()
