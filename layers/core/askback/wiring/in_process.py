"""The composition root for your own program that asks and answers in its process, with the deployment's table.

`askback.langgraph.saver_pauses.over_saver` takes these services; then requests and turns are in the graph's saver, and
everything else is in the deployment's stores.
"""

from dataclasses import dataclass

from aws_lambda_powertools.logging import Logger

from askback.domain.delivery.delivery import Delivery
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.people.answer_links import AnswerLinks
from askback.domain.ports import EventSink, IssuanceLedger
from askback.domain.tokens.service import PauseTokenService
from askback.interactions import deployed_interactions
from askback.wiring.delivery import delivery_and_events
from askback.wiring.pauses import pause_tokens
from askback.wiring.stores import open_stores


@dataclass(frozen=True, slots=True, kw_only=True)
class InProcessServices:
    """The services that such a program shares with the deployed functions.

    A mint returns no answer token. `links` issues them: call it where you bring a link to a person, not in the agent.
    """

    registry: InteractionRegistry
    tokens: PauseTokenService
    links: AnswerLinks
    ledger: IssuanceLedger
    delivery: Delivery
    events: EventSink
    open_alarm_seconds: int


def build(logger: Logger, *, registry: InteractionRegistry | None = None) -> InProcessServices:
    """Build the services from the environment; without a registry, the deployment's. Raises as `open_stores` does."""
    stores = open_stores()
    delivery, events = delivery_and_events(stores)
    tokens = pause_tokens(stores, logger)
    return InProcessServices(
        registry=registry or deployed_interactions(stores.settings.interactions_module),
        tokens=tokens,
        links=AnswerLinks(ledger=stores.ledger, tokens=tokens),
        ledger=stores.ledger,
        delivery=delivery,
        events=events,
        open_alarm_seconds=stores.settings.open_alarm_seconds,
    )
