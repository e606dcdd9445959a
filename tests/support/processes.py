"""Start the project's programs as a person would, in processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# No program here takes a tenth of this; one that hangs is ended, and its test fails on what is missing.
PATIENCE_SECONDS = 30


def environment(**changes: str) -> dict[str, str]:
    """This process's environment without what would change how a program behaves."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PORT", "NO_COLOR")}
    return kept | {"PYTHONPATH": str(ROOT)} | changes


def run(module: str, *arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run a module to its end with nothing on standard input."""
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=environment(**changes),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


@contextmanager
def started(module: str, *arguments: str, **changes: str) -> Iterator[subprocess.Popen[str]]:
    """A module running with its three streams as pipes; ended on leaving if it still runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=environment(**changes),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process, ended_in_time(process):
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def interrupts_reach_children() -> Iterator[None]:
    """Start children that an interrupt ends, also where these tests run in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def ended_in_time(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> Iterator[None]:
    """Kill the process when it takes too long, so that whoever reads from it sees its end."""
    watch = threading.Timer(PATIENCE_SECONDS, process.kill)
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


def lines_until(process: subprocess.Popen[str], start: str) -> list[str]:
    """What the process writes up to the first line that starts so; fails when it ends before."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith(start):
            return lines
    raise AssertionError(f"ended without a line that starts with {start!r}: {''.join(lines)}")
