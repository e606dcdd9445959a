"""`askback.mcp` in a server of version 1 of the MCP SDK, in its own environment."""

import json
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.mcp

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ".venv-mcp-sdk-v1/bin/python"


def test_a_form_answers_in_the_call_and_another_persons_answer_comes_with_a_later_call() -> None:
    done = subprocess.run(
        [PYTHON, "-m", "tests.built.mcp.v1.asking"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 0, done.stderr
    here, first, shown, later = json.loads(done.stdout)
    assert here == "reject by ada@example.com (stated)"
    assert "no person has answered yet" in first
    assert "no person has answered yet" in shown
    assert later == "approve by grace@example.com (signed_in)"
