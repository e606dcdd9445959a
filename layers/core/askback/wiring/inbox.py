"""The composition root of the inbox function."""

from collections.abc import Callable
from dataclasses import dataclass

from aws_lambda_powertools.logging import Logger

from askback.adapters.dynamodb.due_marks import DynamoDueMarks
from askback.adapters.dynamodb.outstanding import DynamoOutstandingPauses
from askback.adapters.dynamodb.scope_index import ScopeIndex
from askback.adapters.secrets.key_ring import KeyRingSource
from askback.domain.keys.standing import KeyStandings, key_standings
from askback.domain.operators.due_audit import DueAudit
from askback.domain.operators.inbox import Inbox
from askback.edge.log import pause_namer
from askback.settings import Settings
from askback.wiring.delivery import delivery_and_events
from askback.wiring.sources import now
from askback.wiring.stores import open_stores


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxServices:
    """The services of the inbox function; `clock` returns epoch seconds."""

    inbox: Inbox
    due_audit: DueAudit
    keys: KeyRingSource
    outstanding: DynamoOutstandingPauses
    settings: Settings
    clock: Callable[[], int]

    async def key_standings(self) -> KeyStandings:
        """Return the current state of the signing keys."""
        return key_standings(self.keys.latest_ring(), await self.outstanding.outstanding_by_key(at=self.clock()))


def build(logger: Logger, *, clock: Callable[[], int] = now) -> InboxServices:
    """Build the services from the environment; raises as `open_stores` does."""
    stores = open_stores()
    delivery, _ = delivery_and_events(stores)
    client, table = stores.dynamodb, stores.settings.table_name
    inbox = Inbox(
        ledger=stores.ledger,
        pauses=ScopeIndex(client=client, table=table),
        delivery=delivery,
        known=pause_namer(logger),
    )
    return InboxServices(
        inbox=inbox,
        due_audit=DueAudit(marks=DynamoDueMarks(client=client, table=table)),
        keys=stores.keys,
        outstanding=DynamoOutstandingPauses(client=client, table=table),
        settings=stores.settings,
        clock=clock,
    )
