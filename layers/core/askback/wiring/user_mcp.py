"""The composition root of the user_mcp function: the services of the mcp function, and what verifies tokens."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from aws_lambda_powertools.logging import Logger

from askback.adapters.bearer_tokens import BearerTokens
from askback.edge.mcp.context import McpContext, ToolServices
from askback.edge.mcp.server import McpServer
from askback.settings import Settings, misconfigured
from askback.wiring.mcp import mcp_services
from askback.wiring.sources import now
from askback.wiring.stores import open_stores


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMcpServices:
    """The services of the user_mcp function."""

    server: McpServer[McpContext]
    tools: ToolServices
    bearer: BearerTokens
    settings: Settings


def build(
    logger: Logger, *, clock: Callable[[], int] = now, sleep: Callable[[float], None] = time.sleep
) -> UserMcpServices:
    """Build the services from the environment.

    Raises:
        InteractionConfigurationError: as `open_stores` does; there is no audience, or it is also good for answering.
    """
    stores = open_stores()
    services, mcp = mcp_services(stores, logger, clock=clock, sleep=sleep), stores.settings.mcp
    if not mcp.audience or mcp.audience == mcp.answer_audience:
        raise misconfigured("ASKBACK_MCP_AUDIENCE must be an audience of its own")
    return UserMcpServices(
        server=services.server,
        tools=services.tools,
        bearer=BearerTokens(issuer=mcp.issuer, audience=mcp.audience, refused_audience=mcp.answer_audience),
        settings=stores.settings,
    )
