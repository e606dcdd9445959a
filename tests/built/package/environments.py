"""Environments as adopters make them: `python -m venv`, and plain pip."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "layers/core"
OUTSIDE = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}


def interpreters() -> list[str]:
    """Return the Python that this test runs on, and the one that Lambda runs, where it is installed."""
    lambdas = [shutil.which("python3.13"), *Path.home().glob(".pyenv/versions/3.13*/bin/python3.13")]
    found = [str(path) for path in lambdas if path and "shims" not in str(path)]
    return [f"{sys.base_prefix}/bin/python3", *found[:1]]


@dataclass(frozen=True)
class Environment:
    """A fresh environment; its programs run in a folder of their own, where nothing of the repository is found."""

    folder: Path

    @classmethod
    def made(cls, folder: Path, interpreter: str, *requirements: str) -> "Environment":
        """Make one, and install the requirements."""
        subprocess.run([interpreter, "-m", "venv", folder], check=True, env=OUTSIDE)
        environment = cls(folder)
        environment.run("-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements)
        return environment

    @property
    def python(self) -> Path:
        return self.folder / "bin/python"

    def run(self, *arguments: str) -> str:
        """Run its Python; returns what it printed, and fails with all of it when it ends in an error."""
        return output([str(self.python), *arguments], self.folder)

    def packages(self) -> set[str]:
        """Return the names of what is installed besides pip and what a fresh environment has."""
        listed = self.run("-m", "pip", "list", "--disable-pip-version-check", "--format", "freeze").split()
        return {line.partition("==")[0].lower() for line in listed} - {"pip", "setuptools"}


def output(command: Sequence[str], folder: Path) -> str:
    """Return what a command printed; fails with all of it when the command ends in an error."""
    done = subprocess.run(command, cwd=folder, env=OUTSIDE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
