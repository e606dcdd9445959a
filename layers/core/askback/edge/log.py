"""What log lines say of a pause: its id, its interaction, the hash of its scope, and whether its token is a legacy one.

A function names a pause as soon as it knows which one it is, so that every later line carries it, those of refusals and
of unforeseen errors too. The names are forgotten before the next invocation: a line must never name another's pause.
"""

import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING

from aws_lambda_powertools.logging import Logger

from askback.domain.pause.claims import PauseClaims, PauseIdentity

if TYPE_CHECKING:
    from askback.domain.resume.outcome import ResumeOutcome

_KEYS = ("jti", "interaction", "scope_hash")


def pause_keys(pause: PauseIdentity | PauseClaims) -> dict[str, str]:
    """Return a pause's names as keys of a log line."""
    return dict(zip(_KEYS, (pause.jti, pause.name, pause.scope_hash), strict=True))


def pause_namer(logger: Logger) -> Callable[[PauseClaims], None]:
    """Return what puts a pause's names on every later line of the logger."""
    return lambda claims: logger.append_keys(**pause_keys(claims))


def begin(logger: Logger, *, request_id: str) -> None:
    """Start the lines of one invocation: they carry its id and, until a pause is known, no pause."""
    logger.remove_keys(_KEYS)
    logger.append_keys(request_id=request_id)


def log_unforeseen(logger: Logger, message: str, error: Exception, **more: str) -> None:
    """Log an unforeseen error by its class and the lines of code it went through; its own text may carry an answer."""
    frames = traceback.format_tb(error.__traceback__)
    logger.error(message, extra={**more, "error": type(error).__name__, "frames": frames})


LEGACY_METRIC = "LegacyRedeemed"
"""Counts accepted answers to pauses of the legacy engine; `askback.cutover` reads it.

When the count has stayed at zero past the last possible expiry, the legacy key and everything that knows the legacy
engine can go: `docs/cutover.md` lists it.
"""


def legacy_metrics(outcome: "ResumeOutcome") -> tuple[str, ...]:
    """Return the metric to count for an outcome; a replay redeems nothing."""
    return (LEGACY_METRIC,) if outcome.issued_at is None and not outcome.replayed else ()


def legacy_log(outcome: "ResumeOutcome") -> dict[str, str]:
    """Return what the log line adds, so that redeemed legacy tokens can be found by it."""
    return {"legacy": "true"} if legacy_metrics(outcome) else {}
