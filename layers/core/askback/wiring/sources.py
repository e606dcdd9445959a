"""Where a deployment takes the time and its random ids from; the domain takes both as arguments."""

import secrets
import time

from askback.domain.pause import ids


def now() -> int:
    """Return the time in epoch seconds."""
    return int(time.time())


def new_attempt_id() -> str:
    """Return an id for one attempt to claim."""
    return secrets.token_hex(8)


def new_checkpoint_id() -> str:
    """Return a unique checkpoint id that sorts by time: milliseconds in hex, then 80 random bits."""
    return f"{time.time_ns() // 1_000_000:012x}-{secrets.token_hex(10)}"


def new_interrupt_id() -> str:
    """Return an id for an interrupt that its caller did not name."""
    return ids.random_interrupt_id(secrets.token_hex)
