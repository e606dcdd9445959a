"""The links function: gives the answer links of an open pause to a program that brings them to people.

It is not a route of the mint function: an agent that may invoke the mint must not get what answers.
"""

from functools import partial

import askback.edge.cold_start
from askback.edge.lambda_events import CallerAuth, RouteRequest
from askback.edge.links import links_reply, links_request
from askback.edge.serve import RouteReply, serve
from askback.wiring.links import LinksServices, build
from askback.wiring.observers import observers

logger, metrics = observers("links")


async def links(request: RouteRequest, services: LinksServices) -> RouteReply:
    """Return the answer links; the line of the log says who got them."""
    asked = links_request(request)
    admit = partial(services.scopes.require_row, request.caller.principal)
    issued = await services.links.of(asked.jti, recipients=asked.recipients, at=services.clock(), admit=admit)
    return RouteReply(
        status=200,
        body=links_reply(issued, answer_url=services.settings.answer_url),
        metric="LinksIssued",
        log={"operator": asked.operator, "recipients": str(len(issued.tokens.links))},
    )


handler = serve(
    build,
    http={"POST /pauses/{jti}/links": (CallerAuth.IAM, links)},
    direct={"links": links},
    default_action="links",
    logger=logger,
    metrics=metrics,
)

askback.edge.cold_start.ended()
