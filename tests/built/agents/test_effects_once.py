"""The table of docs/agents/effects-once.md is what was counted: payments of one approval, resumed twice and killed."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from local.emulated.cloud import ROOT
from local.emulated.stack import Stack
from local.example import ENVIRONMENTS, NAMES, interpreter

pytestmark = pytest.mark.agents

PAGE = ROOT / "docs" / "agents" / "effects-once.md"
PATIENCE_SECONDS = 900
_ROW = re.compile(r"^\| \[[^]]+\]\((?P<page>[\w-]+)\.md\) \|(?P<cells>.*)\|$", re.MULTILINE)


def rows() -> dict[str, list[str]]:
    """Return the cells of the table behind the first, by the name of the example."""
    found = {row["page"].replace("-", "_"): row["cells"] for row in _ROW.finditer(PAGE.read_text(encoding="utf-8"))}
    programs = {name.removesuffix("_approval"): name for name in NAMES}
    return {programs[page]: [cell.strip() for cell in cells.split("|")] for page, cells in found.items()}


def test_every_example_has_a_row() -> None:
    assert sorted(rows()) == sorted(NAMES)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.crewai) if name in ENVIRONMENTS else name for name in NAMES]
)
def test_the_row_is_what_was_counted(name: str, stack: Stack, tmp_path: Path) -> None:
    counted = count(name, stack, tmp_path)
    # What askback adds is the key and the one answer: without the key, two executors pay twice here as well.
    assert counted["without_key"] == [2, 2]
    assert counted["asked"] == [0, 0], "a process that was killed has asked twice"
    bare = [times(counted["bare_in_turn"]), times(counted["bare_at_once"])]
    askback = [times(counted["in_turn"]), times(counted["at_once"])]
    killed = f"{times(counted['killed'])} at each of {counted['steps']} steps"
    assert rows()[name] == [*bare, *askback, killed]


def count(name: str, stack: Stack, folder: Path) -> dict[str, Any]:
    """Count an example in a process that imports its framework once."""
    ended = subprocess.run(
        [interpreter(name), "-m", "tests.built.agents.counted", name, "--api", stack.url, "--folder", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    counted: dict[str, Any] = json.loads(ended.stdout)
    return counted


def times(spread: list[int] | None) -> str:
    """Return the cell for the least and the most payments of an action."""
    if spread is None:
        return "none"
    least, most = spread
    return str(least) if least == most else f"{least} to {most}"
