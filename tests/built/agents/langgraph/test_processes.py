"""A graph that lives in no process: every step below runs in a fresh one."""

import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from local.emulated.cloud import ROOT, Cloud
from tests.support.processes import environment
from tests.support.real_savers import created_dynamodb

PATIENCE_SECONDS = 60
_numbers = itertools.count(1)

Step = Callable[..., Any]
"""Runs one step with what it is given and returns what it printed."""


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    with Cloud() as up:
        yield up


@pytest.fixture(params=["sqlite", "dynamodb"])
def step(request: pytest.FixtureRequest, cloud: Cloud, tmp_path: Path) -> Step:
    """Return how to run a step, over one of the savers, with askback's table on the emulated AWS."""
    kept = f"sqlite:{tmp_path / 'checkpoints.db'}"
    where = kept if request.param == "sqlite" else created_dynamodb(f"workers-{next(_numbers)}")

    def run(name: str, given: Any = None) -> Any:
        process = subprocess.run(
            [sys.executable, "-W", "error", "-m", "tests.built.agents.langgraph.worker", where, name],
            cwd=ROOT,
            env=environment(**cloud.functions[0].environment),
            input=json.dumps(given),
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        assert process.returncode == 0, process.stderr
        return json.loads(process.stdout)

    return run


def test_a_graph_pauses_in_one_process_is_answered_in_others_and_continues_in_others(step: Step) -> None:
    """A-01, A-03, A-05: two questions open, answered last first; a wrong answer first; a question that follows."""
    started = step("start")
    assert started["got"] == []
    assert sorted(started["asked"]) == ["Go on?", "Why?"]

    wrong, right = step("answer", {"token": started["asked"]["Go on?"]["token"], "responses": ["yes", False]})
    assert (wrong["status"], wrong["code"], right["status"]) == (422, "answer-invalid", 200)
    halfway = step("go_on", [right])
    assert halfway["got"] == [["right", False]]
    assert {text: pause["jti"] for text, pause in halfway["asked"].items()} == {"Why?": started["asked"]["Why?"]["jti"]}

    (first,) = step("answer", {"token": started["asked"]["Why?"]["token"], "responses": [""]})
    again = step("go_on", [first])
    assert list(again["asked"]) == ["Why?"]
    assert again["asked"]["Why?"]["jti"] != started["asked"]["Why?"]["jti"]
    assert step("go_on", [first]) == {"status": 409, "code": "interrupt-not-open"}

    second, spent = step("answer", {"token": again["asked"]["Why?"]["token"], "responses": ["because", "or not"]})
    assert (second["status"], spent["status"]) == (200, 409)
    done = step("go_on", [second])
    assert (sorted(done["got"]), done["asked"]) == ([["left", "", "because"], ["right", False]], {})


def test_a_lost_checkpoint_is_a_424_for_every_process(step: Step) -> None:
    started = step("start")
    (answered,) = step("answer", {"token": started["asked"]["Go on?"]["token"], "responses": [True]})
    step("forget")
    (refused,) = step("answer", {"token": started["asked"]["Why?"]["token"], "responses": ["because"]})
    assert (refused["status"], refused["code"]) == (424, "payload-missing")
    assert step("go_on", [answered]) == {"status": 424, "code": "turn-missing"}
