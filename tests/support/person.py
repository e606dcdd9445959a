"""Somebody at a terminal, in front of the running demo."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.processes import ROOT, ended_in_time, environment, interrupts_reach_children

PROMPT = "number or label: "
_LINK = re.compile(r"(http://[\d.:]+)/answer#([\w-]+\.[\w-]+\.[\w-]+)")


class Person:
    """What they have read, and what they do."""

    def __init__(self, terminal: int, process: subprocess.Popen[bytes]) -> None:
        self._terminal = terminal
        self._process = process
        self.seen = ""
        self._read = 0

    def reads_until(self, text: str) -> None:
        """Read on until the text has come up; fails when the demo ends before."""
        while (found := self.seen.find(text, self._read)) < 0:
            assert self._reads_on(), f"the demo ended without {text!r}: {self.seen}"
        self._read = found + len(text)

    def reads_to_the_end(self) -> int:
        """Read whatever comes and return the exit status."""
        while self._reads_on():
            pass
        return self._process.wait()

    def link(self) -> tuple[str, str]:
        """Return the address of the API and the token of the link that has come up."""
        found = _LINK.search(self.seen)
        assert found is not None, self.seen
        return found[1], found[2]

    def types(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def interrupts(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def _reads_on(self) -> bool:
        try:
            piece = os.read(self._terminal, 4096)
        except OSError:  # Linux's way to say that the other side has closed
            return False
        self.seen += piece.decode(errors="replace")
        return bool(piece)


@contextmanager
def at_a_terminal(*arguments: str) -> Iterator[Person]:
    """Run the demo with a terminal for somebody to sit at."""
    terminal, inner = pty.openpty()
    with interrupts_reach_children():
        process = subprocess.Popen(
            [sys.executable, "-m", "local.run", *arguments],
            cwd=ROOT,
            env=environment(),
            stdin=inner,
            stdout=inner,
            stderr=inner,
        )
    os.close(inner)
    with process, ended_in_time(process):
        try:
            yield Person(terminal, process)
        finally:
            process.kill()
            os.close(terminal)
