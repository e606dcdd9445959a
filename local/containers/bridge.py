"""A private network bridge for a Docker engine that we start.

Two engines on one bridge would give their containers the same addresses, and the first engine that ends would delete
the bridge of the other. So each engine gets its own bridge and its own address range.
"""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

_NUMBERS: Final = range(1, 255)


@contextmanager
def own_bridge() -> Iterator[str]:
    """Create a bridge, yield its name, and remove it at the end. Needs root and the program `ip`."""
    with ExitStack() as stack:
        number = _take_number(stack)
        name = f"askback{number}"
        # A killed process may have left a bridge with this number; the number is free, so nothing uses the bridge.
        _ip("link", "delete", name, check=False)
        _ip("link", "add", "name", name, "type", "bridge")
        stack.callback(_ip, "link", "delete", name)
        # RFC 2544 reserves this range for tests of networks; no other network uses it.
        _ip("address", "add", f"198.18.{number}.1/24", "dev", name)
        _ip("link", "set", name, "up")
        yield name


def _take_number(stack: ExitStack) -> int:
    """Reserve a number until the exit stack closes or this process ends, also when it is killed."""
    for number in _NUMBERS:
        # An abstract socket name has one owner and leaves no file. Like bridges, it exists per network namespace.
        with ExitStack() as tried, suppress(OSError):
            name = tried.enter_context(socket.socket(socket.AF_UNIX))
            name.bind(f"\0askback-bridge-{number}")
            stack.push(tried.pop_all())
            return number
    raise RuntimeError("all bridge numbers are in use")


def _ip(*arguments: str, check: bool = True) -> None:
    subprocess.run(["ip", *arguments], check=check, capture_output=True)
