"""The sweep function, every minute: expires, reminds, and delivers again what has not arrived."""

from collections.abc import Iterator
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

import askback.edge.cold_start
from askback.domain.delivery.sweep import SweepReport, SweptRow
from askback.domain.errors import HumanInteractionError
from askback.edge.log import begin, pause_keys
from askback.edge.no_event_loop import run_straight_through
from askback.wiring.deferred import Deferred
from askback.wiring.services import Services, new_attempt_id, observers, services

logger, metrics = observers("sweep")
deployed = Deferred(lambda: services(logger), Services.sweep)

SPARE_MILLISECONDS = 15_000
"""A run stops with this much time left: the row it is at may still need stores that do not answer at once."""


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Work through what is due and report what was done; what is left is due in the next run."""
    begin(logger, request_id=context.aws_request_id)
    try:
        wired = deployed()
        report = run_straight_through(
            wired.sweep().run(
                at=wired.clock(),
                attempt_id=new_attempt_id(),
                may_go_on=lambda: context.get_remaining_time_in_millis() > SPARE_MILLISECONDS,
            )
        )
    except HumanInteractionError as error:
        logger.error("could not sweep", extra={"code": error.code, "reason": getattr(error, "reason", "")})  # noqa: TRY400 - the code says it
        raise
    _observe(report)
    return {"done": dict(report.done), "oldest_due_seconds": report.oldest_due_seconds, "cut_off": report.cut_off}


def _observe(report: SweepReport) -> None:
    for row in report.rows:
        _log(row)
    logger.info("swept", extra={"done": dict(report.done), "cut_off": report.cut_off})
    metrics.add_metric(name="Swept", unit=MetricUnit.Count, value=1)
    metrics.add_metric(name="OldestDueSeconds", unit=MetricUnit.Seconds, value=report.oldest_due_seconds)
    for name, count in report.done.items():
        metrics.add_metric(name=name, unit=MetricUnit.Count, value=count)
    for name, seconds in _ages(report):
        metrics.add_metric(name=name, unit=MetricUnit.Seconds, value=seconds)
    metrics.flush_metrics()


def _log(row: SweptRow) -> None:
    names = pause_keys(row.pause)
    if row.error:
        logger.error("a row could not be worked on", extra={**names, "error": row.error})
        return
    # An operator has to look for an answer that did not arrive, at whatever level the deployment logs.
    line = logger.error if "Undeliverable" in row.done else logger.info
    line(", ".join(row.done), extra=names)


def _ages(report: SweepReport) -> Iterator[tuple[str, int]]:
    """Yield how late each delivered answer was, and how long the outcome that waits longest has waited so far."""
    waiting = 0
    for row in report.rows:
        if row.outcome_age_seconds is None:
            continue
        if "Delivered" in row.done:
            yield "DeliveryLagSeconds", row.outcome_age_seconds
        elif "DeliveryRetried" in row.done:
            waiting = max(waiting, row.outcome_age_seconds)
    yield "WaitingOutcomeSeconds", waiting


askback.edge.cold_start.ended()
