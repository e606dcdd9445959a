"""The notify function: the event bus invokes it for new pauses and reminders, and it sends messages to people.

It sends all messages that it can, and raises the errors only then. Lambda then invokes it up to two more times, and
puts an event that failed three times into a queue.
"""

from typing import Any

import askback.edge.cold_start
from askback.domain.people.notifier import Announcement, NotifyReport
from askback.edge.log import pause_keys
from askback.edge.serve_event import EventReply, serve_event, time_left
from askback.wiring.notify import NotifyServices, build
from askback.wiring.observers import observers

logger, metrics = observers("notify")

SPARE_MILLISECONDS = 20_000
"""The function starts no message with less time left: a message can wait for a service that answers slowly."""


class NotNotified(Exception):
    """Some messages failed; the text has their number and nothing of their content."""


def announcement(event: Any) -> Announcement:
    """Return the pause event; every later line of the log has its pause."""
    announced = Announcement.of_event(event)
    logger.append_keys(**pause_keys(announced.pause))
    return announced


async def notify(announced: Announcement, services: NotifyServices, context: Any) -> EventReply:
    """Send the messages of the event to people, and report the number of messages."""
    report = await services.notifier.notify(
        announced,
        at=services.clock(),
        may_go_on=time_left(context, spare_milliseconds=SPARE_MILLISECONDS),
    )
    sent, failed = sum(report.sent.values()), len(report.failed)
    _log(report)
    return EventReply(
        body={"sent": dict(report.sent), "unreached": report.unreached, "skipped": report.skipped},
        counts=[("MessageSent", sent), ("MessageFailed", failed), ("RecipientUnreached", report.unreached)],
        failure=NotNotified(f"{failed} of {failed + sent} messages failed") if failed else None,
    )


def _log(report: NotifyReport) -> None:
    for failure in report.failed:
        logger.error(
            "a message failed", extra={"channel": failure.channel, "error": failure.error, "reason": failure.reason}
        )
    line = {"sent": dict(report.sent), "unreached": report.unreached, "skipped": report.skipped}
    (logger.warning if report.unreached else logger.info)("notified", extra=line)


handler = serve_event(
    build,
    task="notify",
    read=announcement,
    act=notify,
    # The text of a channel's error may contain the link.
    unforeseen=NotNotified,
    logger=logger,
    metrics=metrics,
)

askback.edge.cold_start.ended()
