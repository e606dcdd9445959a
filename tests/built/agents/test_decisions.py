"""What a decision becomes, or the end of a question without one, in the real packages: several calls of one round.

The examples' models refuse a transcript in which a call has no result, or two; a run that ends has kept to that.
"""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from askback import PauseExpired, PauseRevoked
from local.example import FOLDER
from tests.built.agents.application import Application
from tests.built.agents.counted import loaded

pytestmark = pytest.mark.agents

NAMES = ("pydantic_ai_approval", "agent_framework_approval", "langchain_approval")
EVERY_PROGRAM = pytest.mark.parametrize("application", NAMES, indirect=True)
EVERY_FORM = pytest.mark.parametrize("form", [*NAMES, "langchain_approval per_call"])
DAY = timedelta(days=1)
# What a call that was not approved becomes, in the words of the framework.
REJECTED = {
    "pydantic_ai_approval": "call_2 not run: the person rejected it: The box was not crushed.",
    "agent_framework_approval": "call_2 was not run: the person rejected it: The box was not crushed.",
    "langchain_approval": "call_2 User rejected the tool call for `pay_refund` with reason: The box was not crushed.",
}


class InProcess:
    """An example whose deployment is the fixture `askback`: its clock is the test's."""

    def __init__(self, form: str, deployment: Any, state: Path, said: pytest.CaptureFixture[str]) -> None:
        name, _, mode = form.partition(" ")
        self.name, self.deployment, self._state, self._said = name, deployment, state, said
        self._example: Any = loaded(FOLDER / f"{name}.py")
        vars(self._example)["MODE"] = mode or "batched"

    def does(self, command: str) -> list[str]:
        """Do `start` or `go_on`, and return what it printed."""
        client = self.deployment.client()
        function = getattr(self._example, command)
        database = str(self._state / "checkpoints.db")
        if self.name == "langchain_approval":
            with self._example.SqliteSaver.from_conn_string(database) as saver:
                function(self._example.build_agent(saver, self._state), client, self._state)
        elif self.name == "langgraph_approval":
            asyncio.run(self._over_saver(function, client, database))
        elif asyncio.iscoroutine(later := function(client, self._state)):
            asyncio.run(later)
        return self._said.readouterr().out.splitlines()

    async def _over_saver(self, function: Any, client: Any, database: str) -> None:
        async with self._example.AsyncSqliteSaver.from_conn_string(database) as saver:
            await function(self._example.build_graph(saver, self._state), client, self._state)

    def approves_all_but_the_first(self) -> None:
        """Answer as a person who has not yet come to the first question."""
        for pause in self.deployment.pauses[1:]:
            text = {"text": "Keep them."}
            self.deployment.answer(pause, text if pause.name == "form" else {"decision": "approve"})

    @property
    def paid(self) -> list[str]:
        """The payments."""
        return [path.name for path in self._state.glob("paid-*")]


@pytest.fixture
def run(form: str, askback: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> InProcess:
    started = InProcess(form, askback, tmp_path, capsys)
    assert started.does("start")[-1].startswith("paused: ")
    return started


@EVERY_PROGRAM
def test_each_call_of_a_round_gets_its_own_decision_in_a_fresh_process(application: Application) -> None:
    """An edit is what runs, and a rejection reaches the model with its reason."""
    application.run("start")
    application.run("answer", "--choose", "Edit,Reject")
    resumed = application.run("continue")

    assert resumed.after("ran: pay_refund ") == ["A-1009"]
    assert any("40.00 EUR for A-1009" in line for line in resumed.lines)
    assert REJECTED[application.name] in resumed.after("model sees: ")
    assert resumed.lines[-1] == "done: 1 of 2 refunds are on their way."


@EVERY_PROGRAM
def test_the_decisions_come_back_in_the_order_of_the_calls(application: Application) -> None:
    application.run("start")
    application.run("answer", "--choose", "Approve,Edit")
    resumed = application.run("continue")
    sees = [line for line in resumed.lines if "EUR for" in line]
    assert [line.partition("paid ")[2] for line in sees] == ["49.90 EUR for A-1009", "40.00 EUR for A-1010"]


def test_a_person_answers_in_place_of_a_tool(askback: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """LangChain's decision `respond`."""
    run = InProcess("langchain_approval", askback, tmp_path, capsys)
    assert run.does("start")[-1] == "paused: What shall we do with the boxes?"
    run.approves_all_but_the_first()
    askback.answer(askback.pauses[0], {"decision": "approve"})
    assert "model sees: call_3 Keep them." in run.does("go_on")


@EVERY_FORM
def test_a_run_with_one_open_question_waits(run: InProcess) -> None:
    run.approves_all_but_the_first()
    assert run.does("go_on") == ["waiting: not everything is answered"]
    assert not run.paid


@EVERY_FORM
def test_a_question_that_expired_is_not_an_approval_and_the_others_count(run: InProcess) -> None:
    run.approves_all_but_the_first()
    run.deployment.clock.advance(DAY)
    said = run.does("go_on")
    assert [line for line in said if line.startswith("ran: pay")] == ["ran: pay_refund A-1010"]
    assert any("no person decided in time" in line or "(expired)" in line for line in said)
    assert said[-1] == "done: 1 of 2 refunds are on their way."


@EVERY_FORM
def test_a_question_that_was_revoked_is_not_an_approval_and_the_others_count(run: InProcess) -> None:
    run.approves_all_but_the_first()
    run.deployment.client().revoke(run.deployment.pauses[0].jti)
    said = run.does("go_on")
    assert [line for line in said if line.startswith("ran: pay")] == ["ran: pay_refund A-1010"]
    assert any("(revoked)" in line for line in said)
    assert said[-1] == "done: 1 of 2 refunds are on their way."


@EVERY_FORM
def test_a_run_without_any_approval_pays_nothing(run: InProcess) -> None:
    for pause in run.deployment.pauses:
        run.deployment.client().revoke(pause.jti)
    last = run.does("go_on")[-1]
    assert last in ("stopped: every question was revoked", "done: 0 of 2 refunds are on their way.")
    assert not run.paid


@EVERY_FORM
def test_a_run_whose_questions_all_expired_ends_without_a_payment(run: InProcess) -> None:
    run.deployment.clock.advance(DAY)
    assert run.does("go_on")[-1] == "done: 0 of 2 refunds are on their way."
    assert not run.paid


@pytest.mark.parametrize("form", ["langgraph_approval", "strands_approval", "openai_agents_approval"])
@pytest.mark.parametrize("ended", [PauseExpired, PauseRevoked])
def test_a_run_with_one_question_that_ended_without_an_answer_stops_and_pays_nothing(
    run: InProcess, ended: type[Exception]
) -> None:
    (pause,) = run.deployment.pauses
    if ended is PauseRevoked:
        run.deployment.client().revoke(pause.jti)
    else:
        run.deployment.clock.advance(DAY)
    with pytest.raises(ended):
        run.does("go_on")
    assert not run.paid
