"""A network of its own for an engine of our own.

Two engines that share a bridge give their containers the same addresses, and the first to end takes the bridge away
from the other. So each gets one that nobody else has, and the address range that belongs to it.
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
    """Give the name of a bridge that is up, and remove it on leaving. Needs root and `ip`."""
    with ExitStack() as stack:
        number = _take_number(stack)
        name = f"askback{number}"
        # One may be left of a process that was killed; its number is free again.
        _ip("link", "delete", name, check=False)
        _ip("link", "add", "name", name, "type", "bridge")
        stack.callback(_ip, "link", "delete", name)
        # RFC 2544 sets this range aside for tests of networks; it leads nowhere else.
        _ip("address", "add", f"198.18.{number}.1/24", "dev", name)
        _ip("link", "set", name, "up")
        yield name


def _take_number(stack: ExitStack) -> int:
    """Return a number that is ours until the stack unwinds or this process ends, however it ends."""
    for number in _NUMBERS:
        # Such a name has one holder and leaves no file, and each network has its own, as it has its own bridges.
        with ExitStack() as tried, suppress(OSError):
            name = tried.enter_context(socket.socket(socket.AF_UNIX))
            name.bind(f"\0askback-bridge-{number}")
            stack.push(tried.pop_all())
            return number
    raise RuntimeError("every number of a bridge is taken")


def _ip(*arguments: str, check: bool = True) -> None:
    subprocess.run(["ip", *arguments], check=check, capture_output=True)
