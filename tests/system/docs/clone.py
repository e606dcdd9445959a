"""A fresh clone of this repository in which shell samples are run: no environment is installed before `make` did it.

Programs that would install, deploy or reach AWS are recorded instead of run. What was recorded is checked afterwards.
"""

import os
import re
import subprocess
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from local.emulated.cloud import ROOT

PATIENCE_SECONDS: Final = 60
_RECORDED: Final = ("aws", "mongoexport", "psql", "python")
_ENVIRONMENTS: Final = {".venv": ("python", "pytest"), ".venv-sam": ("sam",)}
"""What the pages run out of an environment."""
_RULE = re.compile(r"^(?P<targets>[\w./ -]+):(?!=)(?P<needs>[^#=\n]*)", re.MULTILINE)
# The program and its arguments, each with a NUL behind it, on one line.
_RECORD = '{{ printf "%s\\0" "{name}" "$@" | tr "\\n" " "; echo; }} >>"$RECORD"\n'


@dataclass(frozen=True, slots=True)
class Call:
    """A program that a sample called, with its arguments."""

    program: str
    arguments: tuple[str, ...]


class Clone:
    """An empty folder with a shell in it; `git clone` makes `askback` there, and `folder` is that clone."""

    def __init__(self, where: Path) -> None:
        self.home = where / "home"
        self.folder = where / "repository"
        self._tools = where / "tools"
        self._record = where / "record"
        for folder in (self.home, self.folder, self._tools):
            folder.mkdir()
        for entry in ROOT.iterdir():
            if not entry.name.startswith("."):
                (self.folder / entry.name).symlink_to(entry)
        for name in _RECORDED:
            self._tool(name, f'echo "some-{name}-output"\n')
        for program in chain.from_iterable(_ENVIRONMENTS.values()):
            self._tool(f"installed-{program}", name=program)
        self._tool("git", f'ln -s "{self.folder}" "${{@: -1}}"\n')
        self._tool("make", f'case "$1" in\n{self._installations()}\n*) exit 2;;\nesac\n')

    def run(self, script: str, *, cwd: Path, **environment: str) -> list[Call]:
        """Run a script until its first failure, and return what it called; raises AssertionError with what it said."""
        self._record.write_text("", encoding="utf-8")
        paths = f"{self._tools}:{os.environ['PATH']}"
        ran = subprocess.run(
            ["bash", "--noprofile", "--norc", "-O", "expand_aliases", "-euo", "pipefail", "-c", script],
            cwd=cwd,
            env={**os.environ, **environment, "PATH": paths, "RECORD": str(self._record)},
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        recorded = self._record.read_text(encoding="utf-8").splitlines()
        calls = [line.rstrip("\0").split("\0") for line in recorded]
        return [Call(name, tuple(arguments)) for name, *arguments in calls]

    def _installations(self) -> str:
        """Return what `make` does here: it makes the programs of the environments that a target needs."""
        cases = []
        for target in sorted(targets()):
            made = [
                f'mkdir -p {environment}/bin && cp "{self._tools}/installed-{program}" {environment}/bin/{program}'
                for environment, programs in _ENVIRONMENTS.items()
                for program in programs
                if f"{environment}/.ready" in needed_by(target)
            ]
            cases.append(f"{target}) {' && '.join(made) or 'true'};;")
        return "\n".join(cases)

    def _tool(self, file: str, then: str = "", *, name: str | None = None) -> None:
        path = self._tools / file
        path.write_text(f"#!/usr/bin/env bash\n{_RECORD.format(name=name or file)}{then}", encoding="utf-8")
        path.chmod(0o755)


def targets() -> set[str]:
    """Return what a person can give to `make`."""
    return {target for target in _rules() if re.fullmatch(r"[a-z][a-z-]*", target)}


def needed_by(target: str) -> set[str]:
    """Return everything that a target of the Makefile needs, directly or not."""
    rules, left, reached = _rules(), [target], set[str]()
    while left:
        new = rules.get(left.pop(), set()) - reached
        reached |= new
        left += new
    return reached


def _rules() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for match in _RULE.finditer((ROOT / "Makefile").read_text(encoding="utf-8")):
        for target in match["targets"].split():
            found.setdefault(target, set()).update(match["needs"].split())
    return found
