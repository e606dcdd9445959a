"""The mcp function: the tools of askback for agents of this account, which sign `POST /mcp` with IAM."""

import askback.edge.cold_start
from askback.edge.lambda_events import CallerAuth, RouteRequest
from askback.edge.mcp.asking import Asker
from askback.edge.mcp.replies import context_of, message_reply, no_stream
from askback.edge.serve import RouteReply, serve
from askback.wiring.mcp import McpServices, build
from askback.wiring.observers import observers

logger, metrics = observers("mcp")


async def message(request: RouteRequest, services: McpServices) -> RouteReply:
    """Answer a message of a principal, in the scope that the deployment has for it."""
    principal = request.caller.principal
    scope = services.scopes.scope_of(principal, services.default_scope)
    services.scopes.require(principal, scope)
    asker = Asker(principal=principal, scope=scope)
    return await message_reply(services.server, context_of(services.tools, request, asker, logger, metrics))


handler = serve(
    build,
    http={
        "POST /mcp": (CallerAuth.IAM, message),
        "GET /mcp": (CallerAuth.LINK, no_stream),
        "DELETE /mcp": (CallerAuth.LINK, no_stream),
    },
    direct={},
    default_action="",
    logger=logger,
    metrics=metrics,
)

askback.edge.cold_start.ended()
