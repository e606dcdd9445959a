"""Processes of one program: forked, so that what is slow to import is imported once."""

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

KILLED = -9


def started(work: Callable[[], object], *, said: Path) -> int:
    """Start a process that does the work, and return its id. What it prints is appended to the file `said`."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        opened = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(opened, 1)
        os.dup2(opened, 2)
        work()
        status = 0
    except BaseException:  # noqa: BLE001 - the end of this process, whatever it was
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def ended(child: int) -> int:
    """Wait for the end of a process, and return its status: negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
