"""The sweep function. It runs every minute: it expires pauses, sends reminders, and repeats failed deliveries."""

from collections.abc import Iterator
from typing import Any

import askback.edge.cold_start
from askback.domain.delivery.sweep import OPEN_TOO_LONG, SweepReport, SweptRow
from askback.domain.errors import HumanInteractionError
from askback.edge.log import log_failed_attempt, pause_keys
from askback.edge.serve_event import EventReply, serve_event
from askback.wiring.observers import observers
from askback.wiring.sweep import SweepServices, build

logger, metrics = observers("sweep")

SPARE_MILLISECONDS = 15_000
"""A run starts no further row with less time left: a row may need stores that answer slowly."""


async def sweep(event: Any, services: SweepServices, context: Any) -> EventReply:
    """Work through the due rows and report what was done; the other rows are due in the next run."""
    report = await services.sweep.run(
        at=services.clock(),
        attempt_id=services.new_attempt_id(),
        may_go_on=lambda: context.get_remaining_time_in_millis() > SPARE_MILLISECONDS,
    )
    for row in report.rows:
        _log(row)
    for part, fault in report.faults.items():
        logger.error("a part of the due index could not be read", extra={"part": part, **_named(fault)})
    if report.rows_unread:
        logger.warning("due rows were not returned by the table", extra={"rows": report.rows_unread})
    done = dict(report.done)
    logger.info("swept", extra={"done": done, "cut_off": report.cut_off})
    return EventReply(
        body={"done": done, "oldest_due_seconds": report.oldest_due_seconds, "cut_off": report.cut_off},
        counts=[("Swept", 1), *done.items(), *_unread(report)],
        seconds=[("OldestDueSeconds", report.oldest_due_seconds), *_ages(report)],
        # The other parts are done. The run fails, so that its alarm shows what was not.
        failure=next(iter(report.faults.values()), None),
    )


def _named(fault: HumanInteractionError) -> dict[str, str]:
    return {"code": fault.code, "reason": fault.reason}


def _unread(report: SweepReport) -> Iterator[tuple[str, int]]:
    """Yield how many parts of the due index, and how many due rows, could not be read."""
    if report.faults:
        yield "DuePartUnread", len(report.faults)
    if report.rows_unread:
        yield "RowUnread", report.rows_unread


def _log(row: SweptRow) -> None:
    names = pause_keys(row.pause)
    if row.error:
        logger.error("a row failed", extra={**names, "error": row.error})
        return
    if row.code:
        log_failed_attempt(logger, ", ".join(row.done), code=row.code, reason=row.reason, **names)
        return
    line = logger.info
    if OPEN_TOO_LONG in row.done:
        line = logger.warning
    if "Undeliverable" in row.done:
        # An operator must find an answer that was not delivered, at every log level of the deployment.
        line = logger.error
    line(", ".join(row.done), extra=names)


def _ages(report: SweepReport) -> Iterator[tuple[str, int]]:
    """Yield how late each delivered answer was, and the age of the oldest outcome that is not yet delivered."""
    waiting = 0
    for row in report.rows:
        if row.outcome_age_seconds is None:
            continue
        if "Delivered" in row.done:
            yield "DeliveryLagSeconds", row.outcome_age_seconds
        elif "DeliveryRetried" in row.done:
            waiting = max(waiting, row.outcome_age_seconds)
    yield "WaitingOutcomeSeconds", waiting


# The schedule's event contains nothing that a run needs.
handler = serve_event(build, task="sweep", read=lambda event: event, act=sweep, logger=logger, metrics=metrics)

askback.edge.cold_start.ended()
