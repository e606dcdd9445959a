"""How log lines name the pause that they are about: its id, its interaction, and the hash of its scope.

A function names a pause as soon as it knows which one it is, so that every later line carries it, those of refusals and
of unforeseen errors too. The names are forgotten before the next invocation: a line must never name another's pause.
"""

from collections.abc import Callable

from aws_lambda_powertools.logging import Logger

from askback.domain.pause.claims import PauseClaims, PauseIdentity

_KEYS = ("jti", "interaction", "scope_hash")


def pause_keys(pause: PauseIdentity | PauseClaims) -> dict[str, str]:
    """Return a pause's names as keys of a log line."""
    return dict(zip(_KEYS, (pause.jti, pause.name, pause.scope_hash), strict=True))


def naming(logger: Logger) -> Callable[[PauseClaims], None]:
    """Return what puts a pause's names on every later line of the logger."""
    return lambda claims: logger.append_keys(**pause_keys(claims))


def begin(logger: Logger, *, request_id: str) -> None:
    """Start the lines of one invocation: they carry its id and, until a pause is known, no pause."""
    logger.remove_keys(_KEYS)
    logger.append_keys(request_id=request_id)
