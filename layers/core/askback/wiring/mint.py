"""The composition root of the mint function, and of an agent's loop that mints in its process."""

from collections.abc import Callable
from dataclasses import dataclass

from aws_lambda_powertools.logging import Logger

from askback.adapters.dynamodb.open_pauses import DynamoOpenPauses
from askback.adapters.dynamodb.waiting_tasks import DynamoWaitingTasks
from askback.domain.delivery.revoking import Revoking
from askback.domain.interactions.floor import read_floors
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.mint.clarifying import Clarifying
from askback.domain.mint.pause_mint import PauseMint
from askback.domain.mint.quota import Quota
from askback.domain.pause.principal_scopes import PrincipalScopes, read_principal_scopes
from askback.domain.records.payloads import PausePayloadStore
from askback.domain.records.turns import TurnCheckpointStore
from askback.edge.log import pause_namer
from askback.edge.no_event_loop import in_two_threads
from askback.interactions import deployed_interactions
from askback.settings import Settings
from askback.wiring.delivery import delivery_and_events, open_changes
from askback.wiring.pauses import pause_records, pause_tokens
from askback.wiring.sources import new_interrupt_id, now
from askback.wiring.stores import Stores, open_stores


@dataclass(frozen=True, slots=True, kw_only=True)
class MintServices:
    """The services of the mint function; `clock` returns epoch seconds."""

    mint: PauseMint
    revoking: Revoking
    clarifying: Clarifying
    registry: InteractionRegistry
    settings: Settings
    scopes: PrincipalScopes
    clock: Callable[[], int]


def build(
    logger: Logger, *, registry: InteractionRegistry | None = None, clock: Callable[[], int] = now
) -> MintServices:
    """Build the services from the environment; without a registry, the deployment's. Raises as `open_stores` does."""
    return mint_services(open_stores(), logger, registry=registry, clock=clock)


def mint_services(
    stores: Stores, logger: Logger, *, registry: InteractionRegistry | None, clock: Callable[[], int]
) -> MintServices:
    """Return the services of a mint over these stores."""
    checkpoints = pause_records(stores)
    delivery, events = delivery_and_events(stores)
    registry = registry or deployed_interactions(stores.settings.interactions_module)
    mint = PauseMint(
        registry=registry,
        tokens=pause_tokens(stores, logger),
        payloads=PausePayloadStore(checkpoints),
        turns=TurnCheckpointStore(checkpoints),
        checkpoints=checkpoints,
        ledger=stores.ledger,
        delivery=delivery,
        events=events,
        new_interrupt_id=new_interrupt_id,
        floors=read_floors(stores.settings.mint_floor),
        quota=Quota(
            pauses=DynamoOpenPauses(client=stores.dynamodb, table=stores.settings.table_name), ledger=stores.ledger
        ),
        waiting_tasks=DynamoWaitingTasks(
            client=stores.dynamodb,
            table=stores.settings.table_name,
            retention_seconds=stores.settings.retention_seconds,
        ),
        overlap=in_two_threads,
        open_alarm_seconds=stores.settings.open_alarm_seconds,
        best_sign_in=stores.settings.best_sign_in,
        return_links=stores.settings.return_links,
    )
    scopes = read_principal_scopes(stores.settings.principal_scopes)
    return MintServices(
        mint=mint,
        revoking=Revoking(ledger=stores.ledger, delivery=delivery, known=pause_namer(logger)),
        clarifying=Clarifying(ledger=stores.ledger, changes=open_changes(stores, delivery), known=pause_namer(logger)),
        registry=registry,
        settings=stores.settings,
        scopes=scopes,
        clock=clock,
    )
