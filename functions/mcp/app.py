"""The mcp function: the tools of askback for agents that speak the Model Context Protocol.

An agent of this account signs `POST /mcp` with IAM. An agent of a person brings that person's token to
`POST /user/mcp`, and this function verifies it, because only so can a refusal say where to sign in.
"""

import json
from functools import partial

import askback.edge.cold_start
from askback.domain.errors import Unauthenticated, UnknownRoute
from askback.edge.answer import signed_in
from askback.edge.lambda_events import Caller, CallerAuth, RouteRequest
from askback.edge.mcp.asking import Asker
from askback.edge.mcp.context import McpContext
from askback.edge.problems import problem
from askback.edge.serve import RouteReply, note_item, serve
from askback.wiring.mcp import McpServices, build
from askback.wiring.observers import observers

logger, metrics = observers("mcp")

USER_PATH = "/user/mcp"
METADATA_PATH = "/.well-known/oauth-protected-resource"
"""Where RFC 9728 looks for the metadata; the path of the resource follows it."""


async def signed(request: RouteRequest, services: McpServices) -> RouteReply:
    """Answer a message of a caller whom the gateway has authenticated."""
    principal = request.caller.principal
    scope = services.scopes.scope_of(principal, services.default_scope)
    services.scopes.require(principal, scope)
    return await _answer(request, services, Asker(principal=principal, scope=scope))


async def user(request: RouteRequest, services: McpServices) -> RouteReply:
    """Answer a message of an agent that has a person's token; without a valid one, say where to get one."""
    settings = services.settings
    if not settings.mcp.audience:
        raise UnknownRoute("this deployment has no audience for people's tokens")
    try:
        claims = services.bearer_claims(request.headers.get("authorization"))
        scope, person = signed_in(Caller(auth=CallerAuth.JWT, jwt_claims=claims), settings.claim_names)
    except Unauthenticated as error:
        return _sign_in_first(error, settings.mcp.url)
    # The person in this scope: the client is only the tool, and can be another one tomorrow.
    principal = json.dumps(["person", scope.label(), person])
    return await _answer(request, services, Asker(principal=principal, scope=scope, person=person))


async def no_stream(request: RouteRequest, services: McpServices) -> RouteReply:
    """Refuse what a client tries for a stream or a session: this server has neither."""
    return RouteReply(status=405, body={}, metric="McpNotAllowed", headers={"allow": "POST"})


async def metadata(request: RouteRequest, services: McpServices) -> RouteReply:
    """Return where people sign in for `POST /user/mcp` (RFC 9728)."""
    mcp = services.settings.mcp
    body = {
        "resource": mcp.url,
        "resource_name": "askback",
        "authorization_servers": [mcp.issuer],
        "bearer_methods_supported": ["header"],
    }
    return RouteReply(status=200, body=body, metric="McpMetadataRead")


async def _answer(request: RouteRequest, services: McpServices, asker: Asker) -> RouteReply:
    if not _of_this_site(request):
        return RouteReply(status=403, body={}, metric="McpOriginRefused")
    counted: list[str] = []
    context = McpContext(
        asker=asker,
        request=request,
        mint=services.mint.mint,
        revoking=services.mint.revoking,
        outcomes=services.outcomes,
        ledger=services.ledger,
        pauses=services.pauses,
        titles=services.titles,
        sign_in_url=services.settings.sign_in_url,
        retention_seconds=services.settings.retention_seconds,
        clock=services.clock,
        new_key=services.new_key,
        sleep=services.sleep,
        known=services.known,
        note=counted.append,
        refused=partial(note_item, logger, metrics),
    )
    status, body = await services.server.answer(request, context)
    return RouteReply(
        status=status,
        body=body,
        metric="McpAnswered" if status < 400 else "McpRefused",
        log={"principal": request.caller.arn or "person"},
        also_count=tuple(counted),
        headers={"content-type": "application/json"},
    )


def _of_this_site(request: RouteRequest) -> bool:
    """Return whether no other web site sends the request: a browser says in `Origin` which one does."""
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host")


def _sign_in_first(error: Unauthenticated, url: str) -> RouteReply:
    site = url.removesuffix(USER_PATH)
    where = f'Bearer error="invalid_token", resource_metadata="{site}{METADATA_PATH}{USER_PATH}"'
    return RouteReply(
        status=error.status, body=problem(error), metric="McpSignInAsked", headers={"www-authenticate": where}
    )


handler = serve(
    build,
    http={
        "POST /mcp": (CallerAuth.IAM, signed),
        "GET /mcp": (CallerAuth.LINK, no_stream),
        "DELETE /mcp": (CallerAuth.LINK, no_stream),
        "POST /user/mcp": (CallerAuth.LINK, user),
        "GET /user/mcp": (CallerAuth.LINK, no_stream),
        "DELETE /user/mcp": (CallerAuth.LINK, no_stream),
        f"GET {METADATA_PATH}": (CallerAuth.LINK, metadata),
        f"GET {METADATA_PATH}{USER_PATH}": (CallerAuth.LINK, metadata),
    },
    direct={},
    default_action="",
    logger=logger,
    metrics=metrics,
)

askback.edge.cold_start.ended()
