"""The notify function: the bus invokes it for a new pause and for a reminder, and it tells people.

What goes wrong is raised once everything that could be sent is sent. Lambda then invokes it twice more, and keeps an
event that failed three times in a queue.
"""

import functools
import traceback
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

import askback.edge.cold_start
from askback.domain.errors import HumanInteractionError
from askback.domain.people.notifier import Announcement, Notifier, NotifyReport
from askback.edge.log import begin, pause_keys
from askback.edge.no_event_loop import run_straight_through
from askback.wiring.deferred import Deferred
from askback.wiring.notify import notifier
from askback.wiring.services import observers, services

logger, metrics = observers("notify")
deployed = Deferred(lambda: services(logger))

SPARE_MILLISECONDS = 20_000
"""No message is begun with less than this left: the one before may still wait for a service that does not answer."""


class NotNotified(Exception):
    """Not everybody was told; the text says how many messages failed and nothing of what was in them."""


@functools.cache
def wired_notifier() -> Notifier:
    """Return the notifier, made when it is first needed."""
    return notifier(deployed())


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Tell people of the pause that the event announces, and report how many messages were sent."""
    begin(logger, request_id=context.aws_request_id)
    try:
        announced = Announcement.of_event(event)
        logger.append_keys(**pause_keys(announced.pause))
        report = run_straight_through(
            wired_notifier().notify(
                announced,
                at=deployed().clock(),
                may_go_on=lambda: context.get_remaining_time_in_millis() > SPARE_MILLISECONDS,
            )
        )
    except HumanInteractionError as error:
        logger.error("could not notify", extra={"code": error.code, "reason": getattr(error, "reason", "")})  # noqa: TRY400 - the code says it
        raise
    except Exception as error:  # noqa: BLE001 - its text may carry a link, and Lambda keeps what is raised
        frames = traceback.format_tb(error.__traceback__)
        logger.error("could not notify", extra={"code": "internal", "error": type(error).__name__, "frames": frames})  # noqa: TRY400 - as above
        raise NotNotified(type(error).__name__) from None
    _observe(report)
    if report.failed:
        raise NotNotified(f"{len(report.failed)} of {len(report.failed) + sum(report.sent.values())} messages failed")
    return {"sent": dict(report.sent), "unreached": report.unreached, "skipped": report.skipped}


def _observe(report: NotifyReport) -> None:
    for failure in report.failed:
        logger.error(
            "a message failed", extra={"channel": failure.channel, "error": failure.error, "reason": failure.reason}
        )
    line = {"sent": dict(report.sent), "unreached": report.unreached, "skipped": report.skipped}
    (logger.warning if report.unreached else logger.info)("notified", extra=line)
    for name, count in (
        ("MessageSent", sum(report.sent.values())),
        ("MessageFailed", len(report.failed)),
        ("RecipientUnreached", report.unreached),
    ):
        metrics.add_metric(name=name, unit=MetricUnit.Count, value=count)
    metrics.flush_metrics()


askback.edge.cold_start.ended()
