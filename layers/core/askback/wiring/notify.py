"""The composition root of the notify function: the configured channels and the notifier."""

from collections.abc import Callable
from dataclasses import dataclass

from aws_lambda_powertools.logging import Logger

from askback.adapters.channels.message_files import message_texts
from askback.adapters.channels.ses_mail import SesMail
from askback.adapters.channels.sns_topic import SnsTopic
from askback.adapters.channels.webhook import Webhook, secret_target
from askback.domain.errors import InteractionConfigurationError
from askback.domain.people.notifier import NotificationPort, Notifier
from askback.domain.records.payloads import PausePayloadStore
from askback.edge.no_event_loop import in_two_threads
from askback.wiring.pauses import pause_records, pause_tokens
from askback.wiring.sources import now
from askback.wiring.stores import Stores, open_stores


@dataclass(frozen=True, slots=True, kw_only=True)
class NotifyServices:
    """The services of the notify function; `clock` returns epoch seconds."""

    notifier: Notifier
    clock: Callable[[], int]


def build(logger: Logger, *, clock: Callable[[], int] = now) -> NotifyServices:
    """Build the services from the environment; raises InteractionConfigurationError, also without an answer URL."""
    stores = open_stores()
    answer_url = stores.settings.answer_url
    if not answer_url:
        raise InteractionConfigurationError("the deployment has no answer page", reason="ASKBACK_ANSWER_URL is not set")
    notifier = Notifier(
        ledger=stores.ledger,
        tokens=pause_tokens(stores, logger),
        payloads=PausePayloadStore(pause_records(stores)),
        channels=_channels(stores, clock),
        answer_url=answer_url,
        texts=message_texts(stores.settings.notify.language),
        overlap=in_two_threads,
    )
    return NotifyServices(notifier=notifier, clock=clock)


def _channels(stores: Stores, clock: Callable[[], int]) -> list[NotificationPort]:
    named, clients = stores.settings.notify, stores.clients
    channels: list[NotificationPort] = []
    if named.from_address:
        client = clients.when_needed("sesv2")
        channels.append(SesMail(client=client, from_address=named.from_address))
    if named.topic_arn:
        channels.append(SnsTopic(client=clients.when_needed("sns"), topic_arn=named.topic_arn))
    if named.webhook_secret_id:
        target = secret_target(clients.when_needed("secretsmanager"), named.webhook_secret_id)
        channels.append(Webhook(target=target, clock=clock))
    return channels
