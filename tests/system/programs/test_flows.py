"""The demo's workflows as a person or a pipeline runs them."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from tests.support.processes import ROOT, run

_TOKEN = re.compile(r"[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}")


@pytest.mark.slow
def test_a_durable_function_is_seen_waiting_answered_twice_and_going_on() -> None:
    done = run("local.run", "--flow", "durable")

    assert (done.returncode, done.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    waiting, answered = lines.index("status waits for its callback"), lines.index("POST /answers 200, delivered")
    assert waiting < answered < lines.index("status SUCCEEDED") < lines.index("decision approved")
    assert not _TOKEN.search(done.stdout)


def test_a_flow_that_does_not_exist_is_refused_with_those_that_do() -> None:
    done = run("local.run", "--flow", "magic")

    assert (done.returncode, done.stdout) == (2, "")
    assert "'agent', 'workflow', 'durable'" in done.stderr or "agent, workflow, durable" in done.stderr


@pytest.mark.parametrize(("given", "flow"), [((), "agent"), (("FLOW=durable",), "durable")])
def test_make_run_shows_the_flow_it_is_given(given: tuple[str, ...], flow: str) -> None:
    # The tests may be run by make themselves, which tells its children by these.
    environment = {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    }
    told = subprocess.run(
        ["make", "--dry-run", "--old-file=setup", "run", *given],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert told.stdout.splitlines()[-1].rstrip() == f".venv/bin/python -m local.run --flow {flow}"
