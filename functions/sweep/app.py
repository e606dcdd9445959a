"""The sweep function. It runs every minute: it expires pauses, sends reminders, and repeats failed deliveries."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import askback.edge.cold_start
from askback.domain.delivery.sweep import OPEN_TOO_LONG, SweepReport, SweptRow
from askback.domain.errors import HumanInteractionError
from askback.domain.ports import OpenPauseCensus
from askback.domain.timestamps import epoch_seconds
from askback.edge.log import log_failed_attempt, pause_keys
from askback.edge.serve_event import EventReply, serve_event, time_left
from askback.wiring.observers import observers
from askback.wiring.sweep import SweepServices, build

logger, metrics = observers("sweep")

CENSUS_MINUTES = 5
"""The open pauses are counted by each run that was planned for a minute which this divides."""
SPARE_MILLISECONDS = 15_000
"""A run starts no further row with less time left: a row may need stores that answer slowly."""


async def sweep(event: Any, services: SweepServices, context: Any) -> EventReply:
    """Work through the due rows and report what was done; the other rows are due in the next run."""
    may_go_on = time_left(context, spare_milliseconds=SPARE_MILLISECONDS)
    report = await services.sweep.run(at=services.clock(), attempt_id=services.new_attempt_id(), may_go_on=may_go_on)
    for row in report.rows:
        _log(row)
    for part, fault in report.faults.items():
        logger.error("a part of the due index could not be read", extra={"part": part, **_named(fault)})
    if report.rows_unread:
        logger.warning("due rows were not returned by the table", extra={"rows": report.rows_unread})
    done = dict(report.done)
    logger.info("swept", extra={"done": done, "cut_off": report.cut_off})
    # Last, and only with time left: what is due comes before what is counted.
    census = await _census(services, may_go_on) if _counts_open_pauses(event) and may_go_on() else None
    return EventReply(
        body={"done": done, "oldest_due_seconds": report.oldest_due_seconds, "cut_off": report.cut_off},
        counts=[("Swept", 1), *done.items(), *_unread(report), *_open_pauses(census)],
        seconds=[("OldestDueSeconds", report.oldest_due_seconds), *_ages(report), *_oldest_open(census, services)],
        # The other parts are done. The run fails, so that its alarm shows what was not.
        failure=next(iter(report.faults.values()), None),
    )


def _counts_open_pauses(event: Any) -> bool:
    """Return whether the schedule planned this run for a fifth minute; another event has no such time."""
    time = event.get("time") if isinstance(event, Mapping) else None
    try:
        return isinstance(time, str) and epoch_seconds(time) // 60 % CENSUS_MINUTES == 0
    except (ValueError, OverflowError):
        return False


async def _census(services: SweepServices, may_go_on: Callable[[], bool]) -> OpenPauseCensus | None:
    """Count the open pauses; an error is logged and fails nothing, because the run has done its work."""
    try:
        census = await services.census.take(at=services.clock(), may_go_on=may_go_on)
    except HumanInteractionError as error:
        logger.warning("the open pauses could not be counted", extra=_named(error))
        return None
    if not census.complete:
        logger.info("there may be more open pauses, and older ones", extra={"open_pauses": census.open_pauses})
    return census


def _open_pauses(census: OpenPauseCensus | None) -> Iterator[tuple[str, int]]:
    if census is not None:
        yield "OpenPauses", census.open_pauses


def _oldest_open(census: OpenPauseCensus | None, services: SweepServices) -> Iterator[tuple[str, int]]:
    if census is not None:
        oldest = census.oldest_issued_at
        yield "OldestOpenSeconds", 0 if oldest is None else max(0, services.clock() - oldest)


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
