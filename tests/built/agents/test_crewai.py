"""CrewAI, the real package, in an environment of its own: a pending flow, carried and resumed in fresh processes."""

import subprocess
from pathlib import Path

import pytest

from local.emulated.cloud import ROOT
from local.example import interpreter
from tests.built.agents.application import Application

NAME = "crewai_approval"
pytestmark = pytest.mark.crewai
EXAMPLE = pytest.mark.parametrize("application", [NAME], indirect=True)
# The flow without askback; the second process dies at the payment, and the third resumes what the second has left.
_BARE = """
import os, pathlib, sys
from tests.built.agents.counted import BARE, EXAMPLES, loaded
example, bare = loaded(EXAMPLES / "crewai_approval.py"), loaded(BARE / "crewai_approval.py")
state, step = pathlib.Path(sys.argv[1]), sys.argv[2]
if step == "dies":
    example.pay = lambda *given: os._exit(9)
bare.ask(example, state) if step == "asks" else bare.resume(example, state)
"""


@pytest.fixture(autouse=True)
def _a_home_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """CrewAI writes a key and a database into the home folder when it is imported."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))


@EXAMPLE
def test_an_approved_call_is_made_in_a_fresh_process_and_never_twice(application: Application) -> None:
    paused = application.run("start")
    waiting = application.run("continue")
    application.run("answer", "--choose", "Approve")
    resumed = application.run("continue")
    again = application.run("continue")

    assert paused.after("ran: ") == ["get_order"]
    assert paused.lines[-1] == "paused: call_1_pay_refund"
    assert waiting.lines == ("waiting: not everything is answered",)
    assert resumed.lines == (
        "ran: pay_refund",
        "model sees: call_1_pay_refund paid 49.90 EUR for A-1009",
        "done: The refund is on its way.",
    )
    assert again.lines[0] == "had run: pay_refund"
    assert len(paid(application.state)) == 1


@EXAMPLE
def test_a_rejected_call_is_not_made(application: Application) -> None:
    application.run("start")
    application.run("answer", "--choose", "Reject")
    assert application.run("continue").lines[-1] == "done: No refund was paid."
    assert not paid(application.state)


def test_crewai_alone_loses_the_approval_of_a_process_that_dies_before_it_pays(tmp_path: Path) -> None:
    """What docs/agents/crewai.md says of CrewAI's own store."""
    asks, dies, resumes = (
        subprocess.run(
            [interpreter(NAME), "-c", _BARE, tmp_path, step], cwd=ROOT, capture_output=True, text=True, check=False
        )
        for step in ("asks", "dies", "resumes")
    )
    assert (asks.returncode, dies.returncode) == (0, 9), asks.stderr + dies.stderr
    assert "No pending feedback found" in resumes.stderr
    assert not paid(tmp_path)


def paid(state: Path) -> list[Path]:
    return list(state.glob("paid-*"))
