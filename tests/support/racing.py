"""Many callers that start one action together."""

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

CALLERS = 64


def race(act: Callable[[int], str]) -> list[str]:
    """Return what each caller got; threads are switched much more often than usual."""
    start = threading.Barrier(CALLERS)

    def run(caller: int) -> str:
        start.wait()
        return act(caller)

    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(CALLERS) as pool:
            return list(pool.map(run, range(CALLERS)))
    finally:
        sys.setswitchinterval(usual)
