"""Google ADK, the real package: its tool confirmation, with the session carried and continued in fresh processes."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from local.example import FOLDER
from tests.built.agents.application import Application
from tests.built.agents.counted import loaded

NAME = "google_adk_approval"
pytestmark = pytest.mark.agents
IN_PROCESSES = pytest.mark.parametrize("application", [NAME], indirect=True)


@IN_PROCESSES
def test_a_confirmed_call_runs_in_a_fresh_process_and_what_ran_before_does_not(application: Application) -> None:
    paused = application.run("start")
    wrong, waiting = application.run_together(("answer", "--choose", "Perhaps"), ("continue",))
    answered = application.run("answer", "--choose", "Approve")
    resumed = application.run("continue")

    assert paused.lines == ("ran: get_order", "paused: call_1_pay_refund")
    assert "AnswerInvalid" in wrong.complaint
    assert waiting.lines == ("waiting: not everything is answered",)
    assert answered.lines == ("answered: Refund A-1009? Approve",)
    assert resumed.lines == (
        "ran: pay_refund",
        "model sees: call_0_get_order A-1009: 49.90 EUR, paid",
        "model sees: call_1_pay_refund paid 49.90 EUR for A-1009",
        "done: The refund is on its way.",
    )


@IN_PROCESSES
def test_three_fresh_processes_that_go_on_after_a_yes_pay_once_and_after_a_no_never(application: Application) -> None:
    application.run("start")
    application.run("answer", "--choose", "Approve")
    said = application.run_together(*[("continue",)] * 3)
    assert {each.lines[-1] for each in said} == {"done: The refund is on its way."}
    assert [name for each in said for name in each.after("ran: ")] == ["pay_refund"]


class InProcess:
    """The example with the fixture `askback` as its deployment: its clock is the test's."""

    def __init__(self, deployment: Any, state: Path, said: pytest.CaptureFixture[str]) -> None:
        self.deployment, self._state, self._said = deployment, state, said
        self._example: Any = loaded(FOLDER / f"{NAME}.py")
        self.does("start")
        (self.pause,) = deployment.pauses

    def does(self, command: str) -> list[str]:
        """Do a command, and return what it printed."""
        asyncio.run(getattr(self._example, command)(self.deployment.client(), self._state))
        return self._said.readouterr().out.splitlines()

    @property
    def paid(self) -> list[Path]:
        """The payments."""
        return list(self._state.glob("paid-*"))


@pytest.fixture
def run(askback: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> InProcess:
    return InProcess(askback, tmp_path, capsys)


def test_a_person_sees_the_call_and_its_arguments(run: InProcess) -> None:
    assert run.pause.payload["action"] == {"name": "pay_refund", "arguments": {"order": "A-1009"}}


def test_a_rejected_call_is_not_run_and_the_model_gets_the_words_of_adk(run: InProcess) -> None:
    run.deployment.answer(run.pause, {"decision": "reject"})
    assert run.does("go_on") == [
        "model sees: call_0_get_order A-1009: 49.90 EUR, paid",
        "model sees: call_1_pay_refund This tool call is rejected.",
        "done: No refund was paid.",
    ]
    assert not run.paid


def test_a_question_that_expired_is_a_rejection(run: InProcess) -> None:
    run.deployment.clock.advance(timedelta(days=1))
    assert run.does("go_on")[-1] == "done: No refund was paid."
    assert not run.paid


def test_a_question_that_was_revoked_stops_the_run(run: InProcess) -> None:
    run.deployment.client().revoke(run.pause.jti)
    assert run.does("go_on") == ["stopped: every question was revoked"]
    assert not run.paid


def test_the_answer_that_comes_twice_pays_once(run: InProcess) -> None:
    run.deployment.answer(run.pause, {"decision": "approve"})
    assert run.does("go_on")[0] == "ran: pay_refund"
    assert run.does("go_on")[0] == "had run: pay_refund"
    assert len(run.paid) == 1
