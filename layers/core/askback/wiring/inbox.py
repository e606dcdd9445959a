"""The composition root of the inbox function."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aws_lambda_powertools.logging import Logger

from askback.adapters.dynamodb.due_marks import DynamoDueMarks
from askback.adapters.dynamodb.open_list import DynamoPauseDirectory
from askback.adapters.dynamodb.outstanding import DynamoOutstandingPauses
from askback.adapters.dynamodb.request_titles import DynamoRequestTitles
from askback.adapters.secrets.state import SecretsManagerState
from askback.domain.interactions.floor import read_floors
from askback.domain.keys.facts import RingFacts
from askback.domain.keys.ring import KeyRing
from askback.domain.keys.standing import KeyStandings, key_standings
from askback.domain.operators.amendments import Amendments
from askback.domain.operators.due_audit import DueAudit
from askback.domain.operators.inbox import Inbox
from askback.domain.pause.principal_scopes import PrincipalScopes, read_principal_scopes
from askback.edge.log import pause_namer
from askback.settings import Settings
from askback.wiring.delivery import delivery_and_events
from askback.wiring.sources import now
from askback.wiring.stores import Stores, open_stores


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxServices:
    """The services of the inbox function; `clock` returns epoch seconds.

    `ring_facts` returns the public facts of the key ring. This function has no permission to read a key.
    """

    inbox: Inbox
    titles: DynamoRequestTitles
    amendments: Amendments
    due_audit: DueAudit
    ring_facts: Callable[[], Awaitable[RingFacts | None]]
    outstanding: DynamoOutstandingPauses
    settings: Settings
    scopes: PrincipalScopes
    clock: Callable[[], int]

    async def key_standings(self) -> KeyStandings:
        """Return the current state of the signing keys."""
        facts = await self.ring_facts()
        return key_standings(facts, await self.outstanding.outstanding_by_key(at=self.clock()))


def build(logger: Logger, *, clock: Callable[[], int] = now) -> InboxServices:
    """Build the services from the environment; raises as `open_stores` does."""
    stores = open_stores()
    delivery, _ = delivery_and_events(stores)
    client, table = stores.dynamodb, stores.settings.table_name
    inbox = Inbox(
        ledger=stores.ledger,
        pauses=DynamoPauseDirectory(client=client, table=table),
        delivery=delivery,
        known=pause_namer(logger),
    )
    return InboxServices(
        inbox=inbox,
        titles=DynamoRequestTitles(client=client, table=table, bodies=stores.bodies),
        amendments=Amendments(
            inbox=inbox,
            ledger=stores.ledger,
            delivery=delivery,
            open_alarm_seconds=stores.settings.open_alarm_seconds,
            floors=read_floors(stores.settings.mint_floor),
        ),
        due_audit=DueAudit(marks=DynamoDueMarks(client=client, table=table)),
        ring_facts=_ring_facts(stores),
        outstanding=DynamoOutstandingPauses(client=client, table=table),
        settings=stores.settings,
        scopes=read_principal_scopes(stores.settings.principal_scopes),
        clock=clock,
    )


def _ring_facts(stores: Stores) -> Callable[[], Awaitable[RingFacts | None]]:
    local, secret_id = stores.settings.local_key_ring, stores.settings.key_secret_id
    secret = SecretsManagerState(client=stores.clients.when_needed("secretsmanager"), secret_id=secret_id)

    async def of_the_local_ring() -> RingFacts | None:
        return RingFacts.of_ring(KeyRing.parse(local), version_id="local")

    async def of_the_secret() -> RingFacts | None:
        return (await secret.state()).facts

    return of_the_local_ring if local else of_the_secret
