"""Strands and the OpenAI Agents SDK, the real packages: their own interrupts and state, carried and continued.

The examples' models refuse a transcript in which a call has no result, or two; a run that ends has kept to that.
"""

import json
import stat
import subprocess
import sys

import pytest

from askback.client.client import AskbackClient
from askback.client.http_transport import HttpTransport
from askback.domain.pause.scope import Scope
from local.emulated.cloud import ROOT
from local.emulated.template import REGION
from tests.built.agents.application import Application

pytestmark = [
    pytest.mark.agents,
    pytest.mark.parametrize("application", ["strands_approval", "openai_agents_approval"], indirect=True),
]


def answer(label: str) -> tuple[str, ...]:
    return ("answer", "--choose", label)


def test_an_approved_action_runs_in_a_fresh_process_and_what_ran_before_does_not(application: Application) -> None:
    """A-02 and A-06: one result for the paused call, and its sibling's kept."""
    paused = application.run("start")
    answered = application.run(*answer("Approve"))
    resumed = application.run("continue")

    assert paused.lines == ("ran: get_order", "paused: call_1_pay_refund")
    assert answered.lines == ("answered: Refund A-1009? Approve",)
    assert resumed.lines == (
        "ran: pay_refund",
        "model sees: call_0_get_order A-1009: 49.90 EUR, paid",
        "model sees: call_1_pay_refund paid 49.90 EUR for A-1009",
        "done: The refund is on its way.",
    )


def test_a_rejected_action_is_not_run_the_model_is_told_and_no_later_answer_counts(application: Application) -> None:
    """A-54: resumed is not approved; the refusal is the call's result."""
    application.run("start")
    application.run(*answer("Reject"))
    (other,) = application.run_together(answer("Approve"))
    resumed = application.run("continue")

    assert other.status != 0
    assert "AlreadyAnswered" in other.complaint
    assert resumed.lines == (
        "model sees: call_0_get_order A-1009: 49.90 EUR, paid",
        "model sees: call_1_pay_refund not run: the person said Reject",
        "done: No refund was paid.",
    )
    assert not list(application.state.glob("paid-*"))


def test_a_run_waits_through_a_wrong_answer_and_loses_nothing(application: Application) -> None:
    """A-07."""
    application.run("start")
    wrong, waiting = application.run_together(answer("Perhaps"), ("continue",))
    assert wrong.status != 0
    assert "AnswerInvalid" in wrong.complaint
    assert waiting.lines == ("waiting: not everything is answered",)
    application.run(*answer("Approve"))
    assert application.run("continue").lines[-1] == "done: The refund is on its way."


def test_three_fresh_processes_that_go_on_pay_once(application: Application) -> None:
    """A-03: each finds the whole state; the pause's id is the key of the payment."""
    application.run("start")
    application.run(*answer("Approve"))
    said = application.run_together(*[("continue",)] * 3)
    assert {each.lines[-1] for each in said} == {"done: The refund is on its way."}
    assert [name for each in said for name in each.after("ran: ")] == ["pay_refund"]


def test_the_frameworks_own_state_comes_back_as_it_went(application: Application) -> None:
    """Carried and never interpreted: one message that is the snapshot or the run state."""
    application.run("start")
    (token,) = json.loads(application.secrets())["tokens"].values()
    askback = AskbackClient(HttpTransport(application.api, region=REGION))
    link = askback.links(token["jti"])
    asked = askback.question(link).payload["questions"][0]
    askback.answer(link, {"answers": [{"question_id": asked["id"], "selections": ["Reject"]}]})
    outcome = askback.outcome(token["pause_token"], scope=Scope(tenant_id="acme", sub_tenant_id="eu"))
    assert outcome.turn is not None
    (state,) = outcome.turn.messages
    assert "schema_version" in state or "$schemaVersion" in state
    # A framework's own state is no message of a known format: only the framework knows what is open in it.
    assert outcome.turn.open_tool_call_ids is None
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
    assert ended.stdout.splitlines()[-1] == "done: The refund is on its way."
