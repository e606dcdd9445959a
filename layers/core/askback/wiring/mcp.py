"""The composition root of the server for the Model Context Protocol: a mint, and the readers of its questions."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools.logging import Logger

import askback
from askback.adapters.dynamodb.open_list import DynamoPauseDirectory
from askback.adapters.dynamodb.paused_state import DynamoPausedState
from askback.adapters.dynamodb.request_titles import DynamoRequestTitles
from askback.domain.errors import InvalidRequest
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.principal_scopes import PrincipalScopes
from askback.domain.pause.scope import Scope
from askback.domain.ports import IssuanceLedger, PauseDirectory
from askback.domain.records.payloads import PausePayloadStore
from askback.domain.records.turns import TurnCheckpointStore
from askback.domain.resume.outcome_reader import OutcomeReader
from askback.edge.log import pause_namer
from askback.edge.mcp.context import McpContext, Titles
from askback.edge.mcp.server import McpServer
from askback.edge.mcp.tools import askback_catalogue
from askback.settings import Settings, misconfigured
from askback.wiring.mint import MintServices, mint_services
from askback.wiring.pauses import pause_records, pause_tokens
from askback.wiring.sources import new_checkpoint_id, now
from askback.wiring.stores import open_stores

ClaimsOf = Callable[[str | None], Mapping[str, Any]]
"""Returns the claims of the token in an `Authorization` header."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServices:
    """The services of the mcp function; `clock` returns epoch seconds, and `sleep` waits some seconds."""

    server: McpServer[McpContext]
    mint: MintServices
    outcomes: OutcomeReader
    ledger: IssuanceLedger
    pauses: PauseDirectory
    titles: Titles
    bearer_claims: ClaimsOf
    settings: Settings
    default_scope: Scope
    known: Callable[[PauseClaims], None]
    clock: Callable[[], int]
    new_key: Callable[[], str]
    sleep: Callable[[float], None]

    @property
    def scopes(self) -> PrincipalScopes:
        """The scopes of each principal."""
        return self.mint.scopes


def build(
    logger: Logger, *, clock: Callable[[], int] = now, sleep: Callable[[float], None] = time.sleep
) -> McpServices:
    """Build the services from the environment; raises as `open_stores` does."""
    stores = open_stores()
    mint = mint_services(stores, logger, registry=None, clock=clock)
    checkpoints, client, table = pause_records(stores), stores.dynamodb, stores.settings.table_name
    outcomes = OutcomeReader(
        registry=mint.registry,
        tokens=pause_tokens(stores, logger),
        payloads=PausePayloadStore(checkpoints),
        turns=TurnCheckpointStore(checkpoints),
        states=DynamoPausedState(client=client, table=table, bodies=stores.bodies),
        ledger=stores.ledger,
    )
    return McpServices(
        server=McpServer(askback_catalogue(askback.__version__)),
        mint=mint,
        outcomes=outcomes,
        ledger=stores.ledger,
        pauses=DynamoPauseDirectory(client=client, table=table),
        titles=DynamoRequestTitles(client=client, table=table, bodies=stores.bodies),
        bearer_claims=_bearer_claims(stores.settings),
        settings=stores.settings,
        default_scope=_scope(stores.settings.mcp.scope),
        known=pause_namer(logger),
        clock=clock,
        new_key=new_checkpoint_id,
        sleep=sleep,
    )


def _scope(text: str) -> Scope:
    try:
        return Scope.parse(text)
    except InvalidRequest:
        raise misconfigured("ASKBACK_MCP_SCOPE must be a scope such as tenant/sub/namespace") from None


def _bearer_claims(settings: Settings) -> ClaimsOf:
    """Return the check of tokens; its libraries are loaded with the first token, which most deployments never get."""
    tokens = None

    def claims(authorization: str | None) -> Mapping[str, Any]:
        nonlocal tokens
        if tokens is None:
            from askback.adapters.bearer_tokens import BearerTokens

            mcp = settings.mcp
            tokens = BearerTokens(issuer=mcp.issuer, audience=mcp.audience, refused_audience=mcp.answer_audience)
        return tokens.claims(authorization)

    return claims
