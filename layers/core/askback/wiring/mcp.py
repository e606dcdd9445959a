"""The composition root of the mcp function: a mint, and the readers of its questions."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from aws_lambda_powertools.logging import Logger

from askback import __version__
from askback.adapters.dynamodb.open_list import DynamoPauseDirectory
from askback.adapters.dynamodb.paused_state import DynamoPausedState
from askback.adapters.dynamodb.request_titles import DynamoRequestTitles
from askback.domain.errors import InvalidRequest
from askback.domain.pause.principal_scopes import PrincipalScopes
from askback.domain.pause.scope import Scope
from askback.domain.records.payloads import PausePayloadStore
from askback.domain.records.turns import TurnCheckpointStore
from askback.domain.resume.outcome_reader import OutcomeReader
from askback.edge.log import pause_namer
from askback.edge.mcp.catalogue import Catalogue
from askback.edge.mcp.context import McpContext, ToolServices
from askback.edge.mcp.human_tools import human_tools
from askback.edge.mcp.server import McpServer
from askback.settings import Settings, misconfigured
from askback.wiring.mint import mint_services
from askback.wiring.pauses import pause_records, pause_tokens
from askback.wiring.sources import new_checkpoint_id, now
from askback.wiring.stores import Stores, open_stores


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServices:
    """The services of the mcp function; `default_scope` is that of a principal for whom the deployment has none."""

    server: McpServer[McpContext]
    tools: ToolServices
    default_scope: Scope
    scopes: PrincipalScopes
    settings: Settings


def build(
    logger: Logger,
    *,
    clock: Callable[[], int] = now,
    sleep: Callable[[float], None] = time.sleep,
    catalogue: Catalogue[McpContext] | None = None,
) -> McpServices:
    """Build the services from the environment, with the tools of askback or those of another catalogue.

    Raises as `open_stores` does.
    """
    services = mcp_services(open_stores(), logger, clock=clock, sleep=sleep)
    return services if catalogue is None else replace(services, server=McpServer(catalogue))


def mcp_services(
    stores: Stores, logger: Logger, *, clock: Callable[[], int], sleep: Callable[[float], None]
) -> McpServices:
    """Return the services of the tools over these stores."""
    mint = mint_services(stores, logger, registry=None, clock=clock)
    checkpoints, client, table = pause_records(stores), stores.dynamodb, stores.settings.table_name
    tools = ToolServices(
        mint=mint.mint,
        revoking=mint.revoking,
        outcomes=OutcomeReader(
            registry=mint.registry,
            tokens=pause_tokens(stores, logger),
            payloads=PausePayloadStore(checkpoints),
            turns=TurnCheckpointStore(checkpoints),
            states=DynamoPausedState(client=client, table=table, bodies=stores.bodies),
            ledger=stores.ledger,
        ),
        ledger=stores.ledger,
        pauses=DynamoPauseDirectory(client=client, table=table),
        titles=DynamoRequestTitles(client=client, table=table, bodies=stores.bodies),
        sign_in_url=stores.settings.sign_in_url,
        retention_seconds=stores.settings.retention_seconds,
        clock=clock,
        sleep=sleep,
        new_key=new_checkpoint_id,
        known=pause_namer(logger),
    )
    return McpServices(
        server=McpServer(human_tools(__version__)),
        tools=tools,
        default_scope=_scope(stores.settings.mcp.scope),
        scopes=mint.scopes,
        settings=stores.settings,
    )


def _scope(text: str) -> Scope:
    try:
        return Scope.parse(text)
    except InvalidRequest:
        raise misconfigured("ASKBACK_MCP_SCOPE must be a scope such as tenant/sub/namespace") from None
