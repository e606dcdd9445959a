"""The notify function: the bus invokes it for a new pause and for a reminder, and it tells people.

What goes wrong is raised once everything that could be sent is sent. Lambda then invokes it twice more, and keeps an
event that failed three times in a queue.
"""

from typing import Any

import askback.edge.cold_start
from askback.domain.people.notifier import Announcement, NotifyReport
from askback.edge.log import pause_keys
from askback.edge.serve_event import EventReply, serve_event
from askback.wiring.notify import NotifyServices, build
from askback.wiring.observers import observers

logger, metrics = observers("notify")

SPARE_MILLISECONDS = 20_000
"""No message is begun with less than this left: the one before may still wait for a service that does not answer."""


class NotNotified(Exception):
    """Not everybody was told; the text says how many messages failed and nothing of what was in them."""


def announcement(event: Any) -> Announcement:
    """Return what the event announces; every later line of the log names the pause."""
    announced = Announcement.of_event(event)
    logger.append_keys(**pause_keys(announced.pause))
    return announced


async def notify(announced: Announcement, services: NotifyServices, context: Any) -> EventReply:
    """Tell people of the pause that the event announces, and report how many messages were sent."""
    report = await services.notifier.notify(
        announced,
        at=services.clock(),
        may_go_on=lambda: context.get_remaining_time_in_millis() > SPARE_MILLISECONDS,
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
    # What goes wrong in a channel may have the link in its text.
    unforeseen=NotNotified,
    logger=logger,
    metrics=metrics,
)

askback.edge.cold_start.ended()
