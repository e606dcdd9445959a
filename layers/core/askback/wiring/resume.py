"""The composition root of the resume function."""

from collections.abc import Callable
from dataclasses import dataclass

from aws_lambda_powertools.logging import Logger

from askback.adapters.audit_log import LoggedAuditTrail
from askback.adapters.dynamodb.paused_state import DynamoPausedState
from askback.domain.interactions.floor import read_floors
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.pause.principal_scopes import PrincipalScopes, read_principal_scopes
from askback.domain.records.payloads import PausePayloadStore
from askback.domain.records.turns import TurnCheckpointStore
from askback.domain.resume.asking_back import AskingBack
from askback.domain.resume.delegating import Delegating
from askback.domain.resume.eight_steps import ResumeService
from askback.domain.resume.outcome_reader import OutcomeReader
from askback.interactions import deployed_interactions
from askback.settings import Settings
from askback.wiring.delivery import delivery_and_events, open_changes
from askback.wiring.pauses import pause_records, pause_tokens
from askback.wiring.sources import new_attempt_id, now
from askback.wiring.stores import open_stores


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeServices:
    """The services of the resume function; `clock` returns epoch seconds."""

    resume: ResumeService
    outcomes: OutcomeReader
    asking_back: AskingBack
    delegating: Delegating
    settings: Settings
    scopes: PrincipalScopes
    clock: Callable[[], int]
    new_attempt_id: Callable[[], str]


def build(
    logger: Logger, *, registry: InteractionRegistry | None = None, clock: Callable[[], int] = now
) -> ResumeServices:
    """Build the services from the environment; without a registry, the deployment's. Raises as `open_stores` does."""
    stores = open_stores()
    checkpoints, tokens = pause_records(stores), pause_tokens(stores, logger)
    payloads, turns = PausePayloadStore(checkpoints), TurnCheckpointStore(checkpoints)
    delivery, _ = delivery_and_events(stores)
    states = DynamoPausedState(client=stores.dynamodb, table=stores.settings.table_name, bodies=stores.bodies)
    registry = registry or deployed_interactions(stores.settings.interactions_module)
    resume = ResumeService(
        registry=registry,
        tokens=tokens,
        payloads=payloads,
        turns=turns,
        states=states,
        audit=LoggedAuditTrail(logger),
        delivery=delivery,
    )
    outcomes = OutcomeReader(
        registry=registry,
        tokens=tokens,
        payloads=payloads,
        turns=turns,
        states=states,
        ledger=stores.ledger,
    )
    changes = open_changes(stores, delivery)
    return ResumeServices(
        resume=resume,
        outcomes=outcomes,
        asking_back=AskingBack(admission=resume.admission, changes=changes),
        delegating=Delegating(
            admission=resume.admission,
            ledger=stores.ledger,
            changes=changes,
            floors=read_floors(stores.settings.mint_floor),
        ),
        settings=stores.settings,
        scopes=read_principal_scopes(stores.settings.principal_scopes),
        clock=clock,
        new_attempt_id=new_attempt_id,
    )
