"""What a function counts and measures, as CloudWatch metrics in its log; docs/operate.md lists them all."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import Metrics, MetricUnit

from askback.domain.errors import HumanInteractionError

if TYPE_CHECKING:
    from askback.domain.resume.outcome import ResumeOutcome


def count(metrics: Metrics, counts: Iterable[tuple[str, int]], seconds: Iterable[tuple[str, float]] = ()) -> None:
    """Add counts and durations, each with its name; a name may come more than once."""
    for unit, values in ((MetricUnit.Count, counts), (MetricUnit.Seconds, seconds)):
        for name, value in values:
            metrics.add_metric(name=name, unit=unit, value=value)


def count_refusal(metrics: Metrics, error: HumanInteractionError, *, raised: bool) -> None:
    """Count a refusal for its function, and again for its code, because CloudWatch does not add up dimensions.

    Lambda counts every exception to a direct caller as an error of the function. `raised` counts the refusals that are
    caused by the caller, so that the alarm can subtract them. It does not count refusals that need an operator.
    """
    metrics.add_dimensions(service=metrics.service, code=error.code)
    metrics.add_metric(name="Refused", unit=MetricUnit.Count, value=1)
    if raised:
        metrics.add_metric(name="RefusalRaised", unit=MetricUnit.Count, value=1)


def flush(metrics: Metrics) -> None:
    """Write what was counted, and forget it.

    Powertools forgets only what it has written. With its metrics switched off, each refusal would add a set of
    dimensions to a list that is never emptied.
    """
    metrics.flush_metrics()
    metrics.clear_metrics()


LEGACY_METRIC = "LegacyRedeemed"
"""The metric that counts accepted answers to legacy pauses; `askback.cutover` reads it.

If the count stays at zero until the last possible expiry, the legacy key and the code for the legacy engine can be
removed: `docs/cutover.md` lists them.
"""


def legacy_metrics(outcome: "ResumeOutcome") -> tuple[str, ...]:
    """Return the metrics to count for an outcome; a replay counts nothing, because it redeems no token."""
    return (LEGACY_METRIC,) if outcome.issued_at is None and not outcome.replayed else ()
