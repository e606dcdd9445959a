"""From an HTTP request to a message of the protocol and back; both functions that serve the tools share this."""

from functools import partial

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics

from askback.edge.lambda_events import RouteRequest
from askback.edge.mcp.asking import Asker
from askback.edge.mcp.context import McpContext, ToolServices
from askback.edge.mcp.server import McpServer
from askback.edge.serve import RouteReply, note_item


def context_of(
    services: ToolServices, request: RouteRequest, asker: Asker, logger: Logger, metrics: Metrics
) -> McpContext:
    """Return what the tools act on for one request; a refusal of a tool is logged and counted like every other one."""
    return McpContext(services=services, request=request, asker=asker, refused=partial(note_item, logger, metrics))


async def message_reply(server: McpServer[McpContext], context: McpContext) -> RouteReply:
    """Answer the message of a request whose caller is known."""
    request = context.request
    if not _of_this_site(request):
        return RouteReply(status=403, body={}, metric="McpOriginRefused")
    status, body = await server.answer(request, context)
    return RouteReply(
        status=status,
        body=body,
        metric="McpAnswered" if status < 400 else "McpRefused",
        log={"principal": request.caller.arn} if request.caller.arn else {},
        also_count=tuple(context.done),
        headers={"content-type": "application/json"} if body else {},
    )


async def no_stream(request: RouteRequest, services: object) -> RouteReply:
    """Refuse what a client tries for a stream or a session: this server has neither."""
    return RouteReply(status=405, body={}, metric="McpNotAllowed", headers={"allow": "POST"})


def _of_this_site(request: RouteRequest) -> bool:
    """Return whether no other web site sends the request: a browser says in `Origin` which one does."""
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host")
