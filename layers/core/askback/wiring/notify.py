"""The composition root of the notify function: the configured channels and the notifier."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import TypeVar

from aws_lambda_powertools.logging import Logger

from askback.adapters.channels.message_files import message_texts
from askback.adapters.channels.ses_mail import SesMail
from askback.adapters.channels.sns_topic import SnsTopic
from askback.adapters.channels.time_zone import TimeZoneUnknown, time_zone
from askback.adapters.channels.webhook import Webhook, secret_target
from askback.domain.errors import InteractionConfigurationError
from askback.domain.people.brand import (
    NAME_MAX_CHARACTERS,
    NO_BRAND,
    SUPPORT_MAX_CHARACTERS,
    Brand,
    BrandInvalid,
    brand_colour,
    brand_line,
)
from askback.domain.people.message_texts import MessageTexts
from askback.domain.people.notifier import NotificationPort, Notifier
from askback.domain.records.payloads import PausePayloadStore
from askback.edge.no_event_loop import in_two_threads
from askback.settings import NotifySettings
from askback.wiring.pauses import pause_records, pause_tokens
from askback.wiring.sources import now
from askback.wiring.stores import Stores, open_stores

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class NotifyServices:
    """The services of the notify function; `clock` returns epoch seconds."""

    notifier: Notifier
    clock: Callable[[], int]


def build(logger: Logger, *, clock: Callable[[], int] = now) -> NotifyServices:
    """Build the services from the environment; raises InteractionConfigurationError, also without an answer URL."""
    stores = open_stores()
    answer_url, named = stores.settings.answer_url, stores.settings.notify
    if not answer_url:
        raise InteractionConfigurationError("the deployment has no answer page", reason="ASKBACK_ANSWER_URL is not set")
    brand = _brand(named, logger)
    utc: tzinfo = UTC
    notifier = Notifier(
        ledger=stores.ledger,
        tokens=pause_tokens(stores, logger),
        payloads=PausePayloadStore(pause_records(stores)),
        channels=_channels(stores, clock, sender_name=_sender_name(named, logger) or brand.name),
        answer_url=answer_url,
        texts=_texts(named, logger),
        brand=brand,
        zone=_used("ASKBACK_MESSAGE_TIME_ZONE", lambda: time_zone(named.time_zone), utc, logger),
        overlap=in_two_threads,
    )
    return NotifyServices(notifier=notifier, clock=clock)


def _channels(stores: Stores, clock: Callable[[], int], *, sender_name: str) -> list[NotificationPort]:
    named, clients = stores.settings.notify, stores.clients
    channels: list[NotificationPort] = []
    if named.from_address:
        client = clients.when_needed("sesv2")
        channels.append(SesMail(client=client, from_address=named.from_address, sender_name=sender_name))
    if named.topic_arn:
        channels.append(SnsTopic(client=clients.when_needed("sns"), topic_arn=named.topic_arn))
    if named.webhook_secret_id:
        target = secret_target(clients.when_needed("secretsmanager"), named.webhook_secret_id)
        channels.append(Webhook(target=target, clock=clock))
    return channels


def _sender_name(named: NotifySettings, logger: Logger) -> str:
    return _line("ASKBACK_SENDER_NAME", named.sender_name, NAME_MAX_CHARACTERS, logger)


def _brand(named: NotifySettings, logger: Logger) -> Brand:
    return Brand(
        name=_line("ASKBACK_BRAND_NAME", named.brand_name, NAME_MAX_CHARACTERS, logger),
        colour=_used("ASKBACK_BRAND_COLOR", lambda: brand_colour(named.brand_colour), NO_BRAND.colour, logger),
        support=_line("ASKBACK_SUPPORT_CONTACT", named.support_contact, SUPPORT_MAX_CHARACTERS, logger),
    )


def _texts(named: NotifySettings, logger: Logger) -> MessageTexts:
    def not_used(reason: str) -> None:
        logger.error("messages have only their built-in texts", extra={"reason": reason})

    return message_texts(named.language, folder=named.texts_folder, not_used=not_used)


def _line(variable: str, text: str, limit: int, logger: Logger) -> str:
    return _used(variable, lambda: brand_line(text, limit=limit), "", logger)


def _used(variable: str, read: Callable[[], _T], otherwise: _T, logger: Logger) -> _T:
    """Read a setting that only changes the look; with one that cannot be used people must still get messages."""
    try:
        return read()
    except (BrandInvalid, TimeZoneUnknown) as error:
        reason = f"{variable} {error}"
        # No traceback: the reason says all.
        logger.error("messages go without a setting that cannot be used", extra={"reason": reason})  # noqa: TRY400
        return otherwise
