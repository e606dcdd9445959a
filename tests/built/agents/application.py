"""An application with one run of an example agent in it, and what its processes said."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from local.example import FOLDER, interpreter

# No command takes a tenth of this; one that hangs is ended, and its test fails.
PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class Said:
    """What one process printed."""

    status: int
    lines: tuple[str, ...]
    complaint: str

    def after(self, start: str) -> list[str]:
        """Return the rest of every line that starts so."""
        return [line.removeprefix(start) for line in self.lines if line.startswith(start)]


@dataclass(frozen=True, kw_only=True)
class Application:
    """An example and the folder that stands for its database."""

    name: str
    api: str
    state: Path

    def started(self, *command: str) -> "subprocess.Popen[str]":
        """Start one command in a fresh interpreter, which finds the deployment by the environment of this one."""
        return subprocess.Popen(
            [interpreter(self.name), FOLDER / f"{self.name}.py", *command, "--api", self.api, "--state", self.state],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *command: str) -> Said:
        """Run one command to its end, which has to be a good one."""
        (said,) = self.run_together(command)
        assert said.status == 0, said.complaint
        return said

    def run_together(self, *commands: Sequence[str]) -> list[Said]:
        """Run commands at the same time, each in a process of its own, and return what they said."""
        return [_said(process) for process in [self.started(*command) for command in commands]]

    def secrets(self) -> str:
        """Return what the application keeps of its tokens."""
        return (self.state / "paused.json").read_text(encoding="utf-8")


def _said(process: "subprocess.Popen[str]") -> Said:
    out, complaint = process.communicate(timeout=PATIENCE_SECONDS)
    return Said(status=process.returncode, lines=tuple(out.splitlines()), complaint=complaint)
