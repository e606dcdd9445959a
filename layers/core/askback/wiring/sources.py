"""The clock and the random ids of a deployment; the domain gets both as arguments."""

import secrets
import time

from askback.domain.pause import ids


def now() -> int:
    """Return the time in epoch seconds."""
    return int(time.time())


def new_attempt_id() -> str:
    """Return an id for one attempt to answer."""
    return secrets.token_hex(8)


def new_checkpoint_id() -> str:
    """Return a unique checkpoint id that sorts by time: milliseconds in hex, then 80 random bits."""
    return f"{time.time_ns() // 1_000_000:012x}-{secrets.token_hex(10)}"


def new_interrupt_id() -> str:
    """Return an id for an interrupt whose caller gave none."""
    return ids.random_interrupt_id(secrets.token_hex)
