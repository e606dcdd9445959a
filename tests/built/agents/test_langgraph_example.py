"""The LangGraph example against the deployed functions: the question in askback's table, the graph in its own saver."""

import os
import sqlite3
import stat
import subprocess
import sys

import pytest

from local.emulated.cloud import ROOT
from local.example import FOLDER
from tests.built.agents.application import Application

pytestmark = [
    pytest.mark.agents,
    pytest.mark.parametrize("application", ["langgraph_approval"], indirect=True),
]

QUESTION = "Refund 49.90 EUR for A-1009?"


def answer(label: str) -> tuple[str, ...]:
    return ("answer", "--choose", label)


def test_an_approved_action_runs_in_a_fresh_process_and_what_ran_before_does_not(application: Application) -> None:
    """A-03: nothing is read from the memory of the process that asked."""
    assert application.run("start").lines == ("ran: look_up", f"paused: {QUESTION}")
    assert application.run(*answer("Approve")).lines == (f"answered: {QUESTION} Approve",)
    assert application.run("continue").lines == ("ran: pay", "done: paid 49.90 EUR for A-1009")


def test_a_rejected_action_is_not_run_and_the_graph_gets_the_rejection(application: Application) -> None:
    """A-54: resumed is not approved."""
    application.run("start")
    application.run(*answer("Reject"))
    assert application.run("continue").lines == ("done: not paid: the person said Reject",)
    assert not (application.state / "paid-A-1009").exists()


def test_a_graph_without_an_answer_waits_and_loses_nothing(application: Application) -> None:
    application.run("start")
    assert application.run("continue").lines == (f"waiting: {QUESTION}",)
    application.run(*answer("Approve"))
    assert application.run("continue").lines[-1] == "done: paid 49.90 EUR for A-1009"


def test_a_wrong_answer_is_refused_and_so_is_another_one_than_the_first(application: Application) -> None:
    """A-07."""
    application.run("start")
    (wrong,) = application.run_together(answer("Perhaps"))
    assert "AnswerInvalid" in wrong.complaint
    application.run(*answer("Reject"))
    (other,) = application.run_together(answer("Approve"))
    assert "AlreadyAnswered" in other.complaint
    assert application.run("continue").lines == ("done: not paid: the person said Reject",)


def test_a_graph_that_is_continued_twice_pays_once(application: Application) -> None:
    application.run("start")
    application.run(*answer("Approve"))
    application.run("continue")
    assert application.run("continue").lines == ("done: paid 49.90 EUR for A-1009",)


def test_a_graph_whose_process_died_behind_the_interrupt_goes_on_from_there(application: Application) -> None:
    """The answer is in the graph by then; it is not given again, and the payment is not made again."""
    application.run("start")
    application.run(*answer("Approve"))
    nobody_listens, to_nobody = os.pipe()
    os.close(nobody_listens)
    # It pays, and dies on saying so, before the graph has noted it.
    died = subprocess.run(
        [
            sys.executable,
            "-u",
            FOLDER / "langgraph_approval.py",
            "continue",
            "--api",
            application.api,
            "--state",
            application.state,
        ],
        stdin=subprocess.DEVNULL,
        stdout=to_nobody,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(to_nobody)
    assert "BrokenPipeError" in died.stderr
    assert application.run("continue").lines == ("had run: pay", "done: paid 49.90 EUR for A-1009")


def test_a_lost_checkpoint_is_told_by_name(application: Application) -> None:
    """The answer is accepted and stays readable; the graph it was for is gone (424)."""
    application.run("start")
    application.run(*answer("Approve"))
    with sqlite3.connect(application.state / "checkpoints.db") as saver:
        saver.execute("DELETE FROM checkpoints")
    saver.close()
    (lost,) = application.run_together(("continue",))
    assert "TurnMissing" in lost.complaint


def test_tokens_are_kept_from_others(application: Application) -> None:
    application.run("start")
    assert stat.S_IMODE((application.state / "paused.json").stat().st_mode) == 0o600


def test_the_example_runs_from_its_make_target(application: Application) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "local.example", application.name],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1] == "done: paid 49.90 EUR for A-1009"
