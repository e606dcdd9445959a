"""What the functions count and log when a token of the legacy engine is redeemed.

The count says whether anybody still comes with one. When it has stayed at zero past the last possible expiry, the
legacy key and everything that knows the legacy engine can go: `docs/cutover.md` lists it.
"""

from askback.domain.resume.outcome import ResumeOutcome

METRIC = "LegacyRedeemed"
"""Counts accepted answers to pauses of the legacy engine; `askback.cutover` reads it."""


def legacy_metrics(outcome: ResumeOutcome) -> tuple[str, ...]:
    """Return the metric to count for an outcome; a replay redeems nothing."""
    return (METRIC,) if outcome.issued_at is None and not outcome.replayed else ()


def legacy_log(outcome: ResumeOutcome) -> dict[str, str]:
    """Return what the log line adds, so that redeemed legacy tokens can be found by it."""
    return {"legacy": "true"} if legacy_metrics(outcome) else {}
