"""The sweep function, every minute: expires, reminds, and delivers again what has not arrived."""

import asyncio
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from askback.domain.errors import HumanInteractionError
from askback.domain.sweeping import SweepReport
from askback.wiring import Deferred, new_attempt_id, observers, services

logger, metrics = observers("sweep")
deployed = Deferred(lambda: services(logger))

SPARE_MILLISECONDS = 15_000
"""A run stops with this much time left: the row it is at may still need stores that do not answer at once."""


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Work through what is due and report what was done; what is left is due in the next run."""
    try:
        wired = deployed()
        report = asyncio.run(
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
    for jti, error in report.failures:
        logger.error("a row could not be worked on", extra={"jti": jti, "error": error})
    logger.info("swept", extra={"done": dict(report.done), "cut_off": report.cut_off})
    metrics.add_metric(name="Swept", unit=MetricUnit.Count, value=1)
    metrics.add_metric(name="OldestDueSeconds", unit=MetricUnit.Seconds, value=report.oldest_due_seconds)
    for name, count in report.done.items():
        metrics.add_metric(name=name, unit=MetricUnit.Count, value=count)
    metrics.flush_metrics()
