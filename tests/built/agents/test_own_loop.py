"""A loop of its own: one process pauses, another goes on from the recorded turn, and the provider sees what it must.

The example's model refuses a transcript in which a call has no result, or two; a run that ends has kept to that.
"""

import json
import subprocess
import sys

import pytest

from askback.client.client import AskbackClient
from askback.client.http_transport import HttpTransport
from askback.domain.errors import AlreadyAnswered
from askback.domain.pause.scope import Scope
from local.emulated.cloud import ROOT
from local.emulated.template import REGION
from tests.built.agents.application import Application, Said

pytestmark = pytest.mark.parametrize("application", ["own_loop"], indirect=True)

ASKING = "assistant I need a decision before I pay. [call_note add_note, call_ask ask_user, call_pay pay_refund]"
BEFORE = [
    "user Refund order A-1009, the box was crushed.",
    "assistant [call_order get_order]",
    'tool call_order {"order": "A-1009", "total": 49.90, "currency": "EUR"}',
    ASKING,
    "tool call_note noted",
]


def answer(label: str) -> tuple[str, ...]:
    return ("answer", "--choose", label)


def answered(application: Application, label: str) -> Said:
    """Answer as the person, and continue in a fresh process."""
    assert application.run(*answer(label)).lines[-1] == f"answered: {label}"
    return application.run("continue")


def test_an_approved_run_goes_on_in_a_fresh_process_with_one_result_for_every_call(application: Application) -> None:
    """A-02 and A-06: the sibling that ran keeps its result and does not run again, the one that waited gets one."""
    paused = application.run("start")
    waiting = application.run("continue")
    resumed = answered(application, "Approve")

    assert (paused.lines[-1], paused.after("ran: ")) == ("paused: call_ask", ["add_note"])
    assert waiting.lines == ("waiting: the question is not answered",)
    assert (resumed.after("ran: "), resumed.after("had run: ")) == (["pay_refund"], [])
    assert resumed.after("model sees: ") == [*BEFORE, "tool call_ask Approve", "tool call_pay paid 49.90 EUR"]
    assert resumed.lines[-1] == "done: The refund of 49.90 EUR is on its way."


@pytest.mark.slow
def test_a_rejected_action_is_not_run_and_the_model_gets_the_rejection(application: Application) -> None:
    """A-54: resumed is not approved."""
    application.run("start")
    resumed = answered(application, "Reject")

    assert resumed.after("ran: ") == []
    assert not list(application.state.glob("paid-*"))
    assert resumed.after("model sees: ")[-2:] == [
        "tool call_ask Reject",
        "tool call_pay not run: the person said Reject",
    ]


@pytest.mark.slow
def test_a_resumed_run_asks_again_and_goes_on_from_there(application: Application) -> None:
    """A-05: the second question has its own token, and a turn with the first answer in it; the first is used up."""
    application.run("start")
    first = json.loads(application.secrets())["pause_token"]
    again = answered(application, "Reject")
    second = json.loads(application.secrets())["pause_token"]
    asked_again = application.run(*answer("Yes"))
    last = application.run("continue")

    assert again.lines[-1] == "paused: call_instead"
    assert asked_again.lines[0].startswith("question: Offer a voucher instead?")
    assert "tool call_ask Reject" in last.after("model sees: ")
    assert last.lines[-1] == "done: No refund. A voucher instead: Yes."
    assert first != second
    askback = AskbackClient(HttpTransport(application.api, region=REGION))
    asked = askback.question(first)
    other = {"answers": [{"question_id": asked.payload["questions"][0]["id"], "selections": ["Approve"]}]}
    with pytest.raises(AlreadyAnswered):
        askback.resume(first, other, scope=Scope(tenant_id="acme", sub_tenant_id="eu"), answerer="ada@example.com")


@pytest.mark.slow
def test_three_fresh_processes_with_one_token_are_one_payment(application: Application) -> None:
    """A-03: all get the same outcome, and go on from the same turn."""
    application.run("start")
    application.run(*answer("Approve"))
    said = application.run_together(*[("continue",)] * 3)

    assert [each.status for each in said] == [0, 0, 0]
    assert [name for each in said for name in each.after("ran: ")] == ["pay_refund"]
    assert {each.lines[-1] for each in said} == {"done: The refund of 49.90 EUR is on its way."}


@pytest.mark.slow
def test_a_run_that_two_processes_go_on_with_asks_its_second_question_once(application: Application) -> None:
    """The checkpoint is named after the turn, so both mint the same pause."""
    application.run("start")
    first = application.secrets()
    application.run(*answer("Reject"))
    askback = AskbackClient(HttpTransport(application.api, region=REGION))
    pauses = []
    for _ in range(2):
        (application.state / "paused.json").write_text(first, encoding="utf-8")
        assert application.run("continue").lines[-1] == "paused: call_instead"
        pauses.append(askback.question(json.loads(application.secrets())["pause_token"]).jti)
    assert len(set(pauses)) == 1


def test_a_wrong_answer_stops_nothing(application: Application) -> None:
    """A-07: it is refused with the field that is wrong, and the right one is still taken."""
    application.run("start")
    (wrong,) = application.run_together(answer("wait, what is this about?"))
    assert wrong.status != 0
    assert "AnswerInvalid" in wrong.complaint
    assert json.loads(application.secrets())["pause_token"] not in wrong.complaint
    assert answered(application, "Approve").lines[-1].startswith("done: ")


@pytest.mark.slow
def test_the_example_runs_from_its_make_target(application: Application) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "local.example", application.name, "--choose", "Reject", "--choose", "No"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1] == "done: No refund. A voucher instead: No."
