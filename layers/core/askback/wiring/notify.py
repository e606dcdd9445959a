"""The composition root of notification, apart from the other functions' so that they do not import it."""

from askback.adapters.aws.clients import Clients
from askback.adapters.channels.ses_mail import SesMail
from askback.adapters.channels.sns_topic import SnsTopic
from askback.adapters.channels.webhook import Webhook, secret_target
from askback.domain.errors import InteractionConfigurationError
from askback.domain.people.notifier import NotificationPort, Notifier
from askback.edge.no_event_loop import in_two_threads
from askback.wiring.services import Services


def notifier(wired: Services) -> Notifier:
    """Build the notifier with the channels that the deployment names; raises InteractionConfigurationError."""
    if not wired.settings.answer_url:
        raise InteractionConfigurationError("there is no page to lead to", reason="ASKBACK_ANSWER_URL is not set")
    return Notifier(
        ledger=wired.ledger,
        tokens=wired.tokens(),
        payloads=wired.payloads(),
        channels=_channels(wired),
        answer_url=wired.settings.answer_url,
        overlap=in_two_threads,
    )


def _channels(wired: Services) -> list[NotificationPort]:
    named, clients = wired.settings.notify, Clients()
    channels: list[NotificationPort] = []
    if named.from_address:
        client = clients.when_needed("sesv2")
        channels.append(SesMail(client=client, from_address=named.from_address))
    if named.topic_arn:
        channels.append(SnsTopic(client=clients.when_needed("sns"), topic_arn=named.topic_arn))
    if named.webhook_secret_id:
        target = secret_target(clients.when_needed("secretsmanager"), named.webhook_secret_id)
        channels.append(Webhook(target=target, clock=wired.clock))
    return channels
