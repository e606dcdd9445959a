"""Runs an example agent against a deployment on this machine; each command of the agent is a new process.

python -m local.example NAME [--choose LABEL]...
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from local.emulated.cloud import ROOT
from local.emulated.stack import Stack

FOLDER: Final = ROOT / "docs" / "examples"
NAMES: Final = (
    "own_loop",
    "langgraph_approval",
    "langchain_approval",
    "strands_approval",
    "openai_agents_approval",
    "pydantic_ai_approval",
    "agent_framework_approval",
    "google_adk_approval",
    "crewai_approval",
)
"""Each has the commands `start`, `answer` and `continue`."""
ENVIRONMENTS: Final = {"crewai_approval": ".venv-crewai"}
"""The environment of an example that cannot share one with the deployment of this machine."""


def interpreter(name: str) -> str:
    """Return the Python that runs an example."""
    return str(ROOT / ENVIRONMENTS[name] / "bin" / "python") if name in ENVIRONMENTS else sys.executable


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example to its end; return 0, or the exit status of the first process that fails."""
    parser = argparse.ArgumentParser(prog="local.example", description="Run an example agent on this machine.")
    parser.add_argument("name", choices=sorted(NAMES))
    parser.add_argument("--choose", action="append", help="the label that the person chooses; once for each question")
    given = parser.parse_args(arguments)
    out = sys.stdout
    with Stack() as stack, TemporaryDirectory(prefix="askback-example-") as state:
        for command in _commands(given.choose or ["Approve"]):
            print(f"\n$ {given.name}.py {' '.join(command)}", file=out, flush=True)
            ended = run(given.name, *command, api=stack.url, state=Path(state))
            print(ended.stdout, end="", file=out, flush=True)
            if ended.returncode != 0:
                print(ended.stderr, end="", file=sys.stderr)
                return ended.returncode
    return 0


def run(name: str, *command: str, api: str, state: Path) -> subprocess.CompletedProcess[str]:
    """Run one command in a new interpreter; it finds the deployment through this process's environment."""
    return subprocess.run(
        [interpreter(name), FOLDER / f"{name}.py", *command, "--api", api, "--state", state],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def _commands(choices: Sequence[str]) -> Iterator[tuple[str, ...]]:
    yield ("start",)
    for label in choices:
        yield ("answer", "--choose", label)
        yield ("continue",)


if __name__ == "__main__":
    raise SystemExit(main())
