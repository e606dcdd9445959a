"""The user_mcp function: the tools of askback for an agent that brings the token of a person, to `POST /user/mcp`.

The function verifies the token itself, because only so can a refusal say where to sign in. It is a function of its own,
because what verifies makes a start slower.
"""

import json

import askback.edge.cold_start
from askback.domain.errors import Unauthenticated
from askback.edge.answer import signed_in
from askback.edge.lambda_events import Caller, CallerAuth, RouteRequest
from askback.edge.mcp.asking import Asker
from askback.edge.mcp.replies import context_of, message_reply, no_stream
from askback.edge.problems import problem
from askback.edge.serve import RouteReply, serve
from askback.wiring.observers import observers
from askback.wiring.user_mcp import UserMcpServices, build

logger, metrics = observers("user_mcp")

PATH = "/user/mcp"
METADATA = "/.well-known/oauth-protected-resource"
"""Where RFC 9728 looks for the metadata of a site; the path of a resource of it follows."""


async def message(request: RouteRequest, services: UserMcpServices) -> RouteReply:
    """Answer a message of an agent that has a person's token; without a valid one, say where to get one."""
    try:
        claims = services.bearer.claims(request.headers.get("authorization"))
        scope, person = signed_in(Caller(auth=CallerAuth.JWT, jwt_claims=claims), services.settings.claim_names)
    except Unauthenticated as error:
        return _sign_in_first(request, error)
    # The person in this scope: the client is only the tool, and can be another one tomorrow.
    asker = Asker(principal=json.dumps(["person", scope.label(), person]), scope=scope, person=person)
    return await message_reply(services.server, context_of(services.tools, request, asker, logger, metrics))


async def metadata(request: RouteRequest, services: UserMcpServices) -> RouteReply:
    """Return where people sign in for this server (RFC 9728)."""
    body = {
        "resource": _site(request) + PATH,
        "resource_name": "askback",
        "authorization_servers": [services.settings.mcp.issuer],
        "bearer_methods_supported": ["header"],
    }
    return RouteReply(status=200, body=body, metric="McpMetadataRead")


def _sign_in_first(request: RouteRequest, error: Unauthenticated) -> RouteReply:
    where = f'Bearer error="invalid_token", resource_metadata="{_site(request)}{METADATA}{PATH}"'
    headers = {"www-authenticate": where}
    return RouteReply(status=error.status, body=problem(error), metric="McpSignInAsked", headers=headers)


def _site(request: RouteRequest) -> str:
    """Return the address that the client has used; the gateway serves no host that is not its own."""
    return f"{request.headers.get('x-forwarded-proto', 'http')}://{request.headers.get('host', '')}"


handler = serve(
    build,
    http={
        f"POST {PATH}": (CallerAuth.LINK, message),
        f"GET {PATH}": (CallerAuth.LINK, no_stream),
        f"DELETE {PATH}": (CallerAuth.LINK, no_stream),
        f"GET {METADATA}": (CallerAuth.LINK, metadata),
        f"GET {METADATA}{PATH}": (CallerAuth.LINK, metadata),
    },
    direct={},
    default_action="",
    logger=logger,
    metrics=metrics,
)

askback.edge.cold_start.ended()
