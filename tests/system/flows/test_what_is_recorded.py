"""Nothing that a platform records of a workflow contains a token: the history, the logs, the events, the failures."""

import json
import subprocess
import sys

import pytest

from local.emulated.cloud import ROOT


@pytest.mark.parametrize(("return_links", "found"), [("false", []), ("true", ["history"])])
def test_a_token_is_recorded_nowhere_unless_the_mint_returns_it(return_links: str, found: list[str]) -> None:
    program = [sys.executable, "-m", "tests.system.flows.recorded", return_links]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == found
