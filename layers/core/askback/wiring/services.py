"""The composition root: builds each function's services from the environment, with only the AWS clients it needs.

The DynamoDB client is made when a function starts, because every request needs it. The others are made on first use.
"""

import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics

from askback.adapters.aws.clients import DELIVERY_CONFIG, Clients
from askback.adapters.delivery import AwsDelivery, NoBusForWaiters, NoEvents
from askback.adapters.dynamodb.ledger import DynamoIssuanceLedger
from askback.adapters.dynamodb.paused_state import DynamoPausedState
from askback.adapters.dynamodb.records import DynamoCheckpoints
from askback.adapters.event_bridge import EventBridgeEvents
from askback.adapters.s3_bodies import S3Bodies
from askback.adapters.secrets.key_ring import FixedKeyRing, KeyRingSource, SecretsManagerKeyRing
from askback.domain.delivery.delivery import Delivery
from askback.domain.ports import EventSink
from askback.domain.records.turns import TurnCheckpointStore
from askback.edge.log import naming
from askback.settings import Settings

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from askback.domain.delivery.sweep import Sweep
    from askback.domain.interactions.registry import InteractionRegistry
    from askback.domain.keys.standing import KeyStandings
    from askback.domain.mint.pause_mint import PauseMint
    from askback.domain.operators.inbox import Inbox
    from askback.domain.records.payloads import PausePayloadStore
    from askback.domain.resume.eight_steps import ResumeService
    from askback.domain.resume.outcome_reader import OutcomeReader
    from askback.domain.tokens.service import PauseTokenService


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What the functions share, over one table.

    Each service is imported where it is made: a function starts without what only others serve with.
    """

    settings: Settings
    dynamodb: "DynamoDBClient"
    registry: "InteractionRegistry | None"
    """What can be asked; None for what the deployment registers."""
    turns: TurnCheckpointStore
    checkpoints: DynamoCheckpoints
    ledger: DynamoIssuanceLedger
    keys: KeyRingSource
    states: DynamoPausedState
    delivery: Delivery
    events: EventSink
    logger: Logger
    clock: Callable[[], int]
    """Gives the time in epoch seconds."""

    def mint(self) -> "PauseMint":
        """Return the mint."""
        from askback.domain.mint.pause_mint import PauseMint
        from askback.edge.no_event_loop import in_two_threads

        return PauseMint(
            registry=self.interactions(),
            tokens=self.tokens(),
            payloads=self.payloads(),
            turns=self.turns,
            checkpoints=self.checkpoints,
            ledger=self.ledger,
            delivery=self.delivery,
            events=self.events,
            new_interrupt_id=lambda: f"i-{secrets.token_hex(6)}",
            overlap=in_two_threads,
        )

    def resume(self) -> "ResumeService":
        """Return the resume service."""
        from askback.adapters.audit_log import LoggedAuditTrail
        from askback.domain.resume.eight_steps import ResumeService

        return ResumeService(
            registry=self.interactions(),
            tokens=self.tokens(),
            payloads=self.payloads(),
            turns=self.turns,
            states=self.states,
            audit=LoggedAuditTrail(self.logger),
            delivery=self.delivery,
        )

    def outcomes(self) -> "OutcomeReader":
        """Return the reader of outcomes."""
        from askback.domain.resume.outcome_reader import OutcomeReader

        return OutcomeReader(
            registry=self.interactions(),
            tokens=self.tokens(),
            payloads=self.payloads(),
            turns=self.turns,
            states=self.states,
            ledger=self.ledger,
        )

    def sweep(self) -> "Sweep":
        """Return the sweep."""
        from askback.domain.delivery.sweep import Sweep

        return Sweep(ledger=self.ledger, delivery=self.delivery)

    async def key_standings(self) -> "KeyStandings":
        """Return how the signing keys stand now."""
        from askback.adapters.dynamodb.outstanding import DynamoOutstandingPauses
        from askback.domain.keys.standing import key_standings

        outstanding = DynamoOutstandingPauses(client=self.dynamodb, table=self.settings.table_name)
        return key_standings(self.keys.latest_ring(), await outstanding.outstanding_by_key(at=self.clock()))

    def inbox(self) -> "Inbox":
        """Return the operator's inbox."""
        from askback.adapters.dynamodb.scope_index import ScopeIndex
        from askback.domain.operators.inbox import Inbox

        pauses = ScopeIndex(client=self.dynamodb, table=self.settings.table_name)
        return Inbox(ledger=self.ledger, pauses=pauses, delivery=self.delivery, known=naming(self.logger))

    def tokens(self) -> "PauseTokenService":
        """Return what issues and reads tokens."""
        from askback.adapters.jwt_codec import JwtTokenCodec
        from askback.domain.tokens.service import PauseTokenService

        return PauseTokenService(codec=JwtTokenCodec(self.keys), ledger=self.ledger, known=naming(self.logger))

    def interactions(self) -> "InteractionRegistry":
        """Return what can be asked."""
        from askback.interactions import deployed_interactions

        return self.registry or deployed_interactions(self.settings.interactions_module)

    def payloads(self) -> "PausePayloadStore":
        """Return what records requests and recovers them."""
        from askback.domain.records.payloads import PausePayloadStore

        return PausePayloadStore(self.checkpoints)


def now() -> int:
    """Return the time in epoch seconds."""
    return int(time.time())


def services(logger: Logger, registry: "InteractionRegistry | None" = None, clock: Callable[[], int] = now) -> Services:
    """Build the services of this process from its environment."""
    settings = Settings.from_environment(os.environ)
    clients = Clients()
    dynamodb: DynamoDBClient = clients.make("dynamodb")
    bodies = S3Bodies(client=clients.when_needed("s3"), bucket=settings.bucket_name)
    ledger = DynamoIssuanceLedger(
        client=dynamodb,
        table=settings.table_name,
        bodies=bodies,
        inline_limit=settings.inline_limit_bytes,
        retention_seconds=settings.retention_seconds,
    )
    checkpoints = DynamoCheckpoints(
        client=dynamodb,
        table=settings.table_name,
        bodies=bodies,
        inline_limit=settings.inline_limit_bytes,
        retention_seconds=settings.retention_seconds,
        new_checkpoint_id=new_checkpoint_id,
    )
    events, waiting_events = _events(settings, clients)
    return Services(
        settings=settings,
        dynamodb=dynamodb,
        registry=registry,
        turns=TurnCheckpointStore(checkpoints),
        checkpoints=checkpoints,
        ledger=ledger,
        keys=_keys(settings, clients),
        delivery=Delivery(
            ledger=ledger,
            port=AwsDelivery(
                step_functions=clients.when_needed("stepfunctions", DELIVERY_CONFIG),
                functions=clients.when_needed("lambda", DELIVERY_CONFIG),
                events=waiting_events,
            ),
            events=events,
            jitter=secrets.SystemRandom().random,
        ),
        events=events,
        states=DynamoPausedState(client=dynamodb, table=settings.table_name, bodies=bodies),
        logger=logger,
        clock=clock,
    )


def observers(service: str) -> tuple[Logger, Metrics]:
    """Return a function's logger and metrics; the environment may name the service and the namespace otherwise."""
    service = os.environ.get("POWERTOOLS_SERVICE_NAME") or service
    namespace = os.environ.get("POWERTOOLS_METRICS_NAMESPACE") or "askback"
    return Logger(service=service), Metrics(namespace=namespace, service=service)


def new_attempt_id() -> str:
    """Return an id for one attempt to claim."""
    return secrets.token_hex(8)


def new_checkpoint_id() -> str:
    """Return a unique checkpoint id that sorts by time: milliseconds in hex, then 80 random bits."""
    return f"{time.time_ns() // 1_000_000:012x}-{secrets.token_hex(10)}"


def _keys(settings: Settings, clients: Clients) -> KeyRingSource:
    if settings.local_key_ring:
        return FixedKeyRing(settings.local_key_ring)
    return SecretsManagerKeyRing(
        client=clients.when_needed("secretsmanager"),
        secret_id=settings.key_secret_id,
        clock=time.monotonic,
    )


def _events(settings: Settings, clients: Clients) -> tuple[EventSink, EventSink]:
    """Return where announcements go, and where an `event` waiter's delivery goes."""
    if not settings.event_bus:
        return NoEvents(), NoBusForWaiters()
    bus = EventBridgeEvents(client=clients.when_needed("events"), bus=settings.event_bus)
    return bus, bus
