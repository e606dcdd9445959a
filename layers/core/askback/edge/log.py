"""The log fields of a pause: its id, its interaction, the hash of its scope, and whether its token is a legacy token.

A function adds the fields as soon as it knows the pause. Every later line has them, also lines of refusals and
unexpected errors. The fields are removed before the next invocation: a line must not have the id of another pause.
"""

import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING

from aws_lambda_powertools.logging import Logger

from askback.domain.pause.claims import PauseClaims, PauseIdentity
from askback.edge.metrics import legacy_metrics

if TYPE_CHECKING:
    from askback.domain.resume.outcome import ResumeOutcome

_KEYS = ("jti", "interaction", "scope_hash")


def pause_keys(pause: PauseIdentity | PauseClaims) -> dict[str, str]:
    """Return the log fields of a pause."""
    return dict(zip(_KEYS, (pause.jti, pause.name, pause.scope_hash), strict=True))


def pause_namer(logger: Logger) -> Callable[[PauseClaims], None]:
    """Return a function that adds the fields of a pause to every later line of the logger."""
    return lambda claims: logger.append_keys(**pause_keys(claims))


def begin(logger: Logger, *, request_id: str) -> None:
    """Start the lines of one invocation: they have its id, and no pause until one is known."""
    forget_pause(logger)
    logger.append_keys(request_id=request_id)


def forget_pause(logger: Logger) -> None:
    """End the lines about one pause: the next ones have none until another pause is known."""
    logger.remove_keys(_KEYS)


def log_unforeseen(logger: Logger, message: str, error: Exception, **more: str) -> None:
    """Log an unexpected error with its class and its lines of code, but not its text, which may contain an answer."""
    frames = traceback.format_tb(error.__traceback__)
    logger.error(message, extra={**more, "error": type(error).__name__, "frames": frames})


def log_failed_attempt(logger: Logger, message: str, *, code: str, reason: str, **pause: str) -> None:
    """Log a delivery attempt that failed and will be repeated; code and reason have no token and no answer.

    It is a warning, because an operator who looks for the cause of a late answer needs the line at that log level too.
    """
    logger.warning(message, extra={**pause, "code": code, "reason": reason})


def legacy_log(outcome: "ResumeOutcome") -> dict[str, str]:
    """Return the log fields by which an operator finds redeemed legacy tokens."""
    return {"legacy": "true"} if legacy_metrics(outcome) else {}
