"""The ended function: messages of its queue in, and the open pauses of executions that have ended are revoked."""

import json
from typing import Any

import pytest

from askback.domain.errors import InvalidRequest
from askback.domain.pause.waiters import Waiter
from tests.functions.inbox import listed
from tests.support.aws_probe import aws_error
from tests.support.ended_executions import body_of, ends_of, queued, unfinished
from tests.support.function_deployment import Handlers
from tests.support.problems import require_problem
from tests.support.recorded_output import Recorded, a_secret_mint
from tests.support.request_bodies import Pause, a_mint, a_scope
from tests.support.waiting_world import World, body_of as address_of

DONE: dict[str, Any] = {"batchItemFailures": []}
OTHER = "arn:aws:sts::123456789012:assumed-role/other-agent/session"
BUSY = aws_error("ThrottlingException")


def waiting(world: World, task: Waiter, **over: Any) -> dict[str, str]:
    """Return the waiter of a mint that names its execution."""
    return {**address_of(task), "execution": world.tasks.execution_of(task), **over}


def asked(world: World, task: Waiter, **over: Any) -> Pause:
    return world.handlers.pause(waiter=waiting(world, task), **over)


def end(world: World, *tasks: Waiter, handlers: Handlers | None = None, status: str = "ABORTED") -> list[str]:
    """Hand the function the ends of these tasks' executions, and return the messages that come again."""
    event = ends_of(*map(world.tasks.execution_of, tasks), status=status)
    return unfinished((handlers or world.handlers).invoke("ended", event))


def status(world: World, pause: Pause) -> str:
    return str(world.row(pause)["status"])


def kinds(world: World) -> list[str]:
    return [event["detail-type"] for event in world.listener.heard()]


def test_a_stopped_run_leaves_no_question_behind(world: World) -> None:
    task = world.tasks.start()
    # Of its own: the list of a scope that other tests use has more than one page.
    pause = asked(world, task, scope=a_scope())
    world.tasks.end(task)
    require_problem(world.handlers.post("/answers", pause.answer()), 410, "waiter-gone")
    world.now += 60

    assert world.handlers.invoke("ended", ends_of(world.tasks.execution_of(task))) == DONE

    shown = world.handlers.post("/questions", {"answer_token": pause.minted["answer_token"]}).document
    assert (shown["status"], shown["reason"]) == ("revoked", "The run that asked has ended.")
    require_problem(world.handlers.post("/answers", pause.answer()), 410, "revoked")
    row = world.handlers.get(f"/pauses/{pause.minted['jti']}").document
    assert (row["status"], row["revoked_by"], row["revoked_reason"]) == (
        "revoked", "run ended", "The run that asked has ended.",
    )  # fmt: skip
    lines = listed(world.handlers, pause.request["scope"]).document["pauses"]
    assert {line["status"] for line in lines if line["jti"] == pause.minted["jti"]} == {"revoked"}
    # Its task is closed, so the sweep finds nothing to tell it.
    assert world.sweep()["done"] == {"RevocationSettled": 1}
    assert world.sweep()["done"] == {}
    assert kinds(world) == ["PauseIssued", "PauseRevoked"]


@pytest.mark.parametrize("how", ["SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"])
def test_each_end_of_a_run_counts(world: World, how: str) -> None:
    task = world.tasks.start()
    pause = asked(world, task)
    world.tasks.end(task)
    assert end(world, task, status=how) == []
    assert status(world, pause) == "revoked"


def test_a_message_that_comes_twice_does_nothing_twice(world: World) -> None:
    task = world.tasks.start()
    pause = asked(world, task)
    world.tasks.end(task)
    assert end(world, task, task) == []
    before = world.row(pause)
    world.now += 60
    with world.deployment.probe.counting() as calls:
        assert end(world, task) == []
    assert calls == ["Query", "BatchGetItem"]
    assert world.row(pause) == before
    assert kinds(world) == ["PauseIssued", "PauseRevoked"]


def test_an_execution_that_asked_nothing_costs_one_query(world: World) -> None:
    task = world.tasks.start()
    world.tasks.end(task)
    with world.deployment.probe.counting() as calls:
        assert end(world, task) == []
    assert calls == ["Query"]


def test_a_mint_that_names_its_execution_is_one_write_more(world: World) -> None:
    task, another = world.tasks.start(), world.tasks.start()
    counted = []
    for waiter in (address_of(another), waiting(world, task)):
        with world.deployment.probe.counting() as calls:
            world.handlers.pause(waiter=waiter)
        counted.append([call for call in calls if call != "PutEvents"])
    assert counted == [["PutItem"] * 3, ["PutItem"] * 4]
    assert "execution" not in json.dumps(list(world.row(asked(world, task, idempotency_key="row"))))


def test_a_pause_that_was_answered_before_the_run_ended_keeps_its_answer(world: World) -> None:
    task = world.tasks.start()
    pause = asked(world, task)
    assert world.handlers.post("/answers", pause.answer()).document["delivery"] == "delivered"
    assert end(world, task, status="SUCCEEDED") == []
    assert status(world, pause) == "delivered"


def test_a_run_that_waits_keeps_its_question(world: World) -> None:
    """A late event of the same execution, which was redriven since."""
    task = world.tasks.start()
    pause = asked(world, task)
    assert end(world, task) == []
    assert world.handlers.post("/answers", pause.answer()).document["delivery"] == "delivered"


def test_a_question_that_another_run_has_taken_over_is_that_runs(world: World) -> None:
    """Also while that run is between two attempts of its task."""
    first, second = world.tasks.start(), world.tasks.start()
    pause = asked(world, first, idempotency_key="taken over")
    world.tasks.end(first)
    again = {**pause.request, "waiter": address_of(second)}
    assert world.handlers.post("/pauses", again).status == 201
    world.tasks.end(second)
    assert end(world, first) == []
    assert status(world, pause) == "issued"
    third = world.tasks.start()
    assert world.handlers.post("/pauses", {**again, "waiter": waiting(world, third)}).status == 201
    assert world.handlers.post("/answers", pause.answer()).document["delivery"] == "delivered"


def test_another_program_cannot_have_a_question_revoked_by_naming_an_execution_of_its_own(world: World) -> None:
    """The mint is refused, but what it has entered stays."""
    owner, stranger = world.tasks.start(), world.tasks.start()
    pause = world.handlers.pause(waiter=address_of(owner), idempotency_key="foreign")
    foreign = {**pause.request, "waiter": waiting(world, stranger)}
    require_problem(world.handlers.post("/pauses", foreign, arn=OTHER), 409, "pause-conflict")
    world.tasks.end(owner)
    world.tasks.end(stranger)
    assert end(world, stranger) == []
    assert status(world, pause) == "issued"


def test_the_question_in_place_of_another_is_revoked_with_the_run(world: World) -> None:
    task = world.tasks.start()
    old = asked(world, task)
    new = a_mint(scope=old.request["scope"], supersedes=old.minted["jti"], waiter=waiting(world, task))
    newer = Pause(request=new, minted=world.handlers.post("/pauses", new).document)
    world.tasks.end(task)
    assert end(world, task) == []
    assert (status(world, old), status(world, newer)) == ("superseded", "revoked")


@pytest.mark.parametrize(
    ("waiter", "field"),
    [
        ({"kind": "step_functions", "task_token": "t", "execution": "approval-7"}, "waiter.execution"),
        ({"kind": "step_functions", "task_token": "t", "execution": ""}, "waiter.execution"),
        ({"kind": "event", "execution": "EXECUTION"}, "waiter.execution"),
        ({"kind": "none", "execution": "EXECUTION"}, "waiter.execution"),
        ({"kind": "step_functions", "execution": "EXECUTION"}, "waiter"),
    ],
)
def test_a_mint_with_another_execution_is_refused(world: World, waiter: dict[str, str], field: str) -> None:
    execution = world.tasks.execution_of(world.tasks.start())
    named = {name: value.replace("EXECUTION", execution) for name, value in waiter.items()}
    refused = world.handlers.post("/pauses", a_mint(waiter=named))
    require_problem(refused, 400, "bad-request")
    assert [error["field"] for error in refused.document["errors"]] == [field]


def test_an_operator_or_a_person_cannot_be_named_as_the_end_of_a_run(world: World) -> None:
    jti = world.handlers.pause().minted["jti"]
    refused = world.handlers.refused("inbox", {"action": "revoke", "jti": jti, "operator": "Run ended"})
    assert refused["code"] == "bad-request"
    require_problem(world.handlers.post("/pauses", a_mint(approvers=["run ended"])), 400, "bad-request")


def test_what_fails_comes_again_and_the_rest_is_done(world: World) -> None:
    first, second = world.tasks.start(), world.tasks.start()
    pauses = [asked(world, task) for task in (first, second)]
    for task in (first, second):
        world.tasks.end(task)
    with world.deployment.probe.failing(SendTaskHeartbeat=aws_error("AccessDeniedException")):
        assert end(world, first, second) == ["0", "1"]
    with world.deployment.probe.failing(Query=BUSY):
        assert end(world, first, second) == ["0", "1"]
    with world.deployment.probe.failing(UpdateItem=BUSY):
        assert end(world, first) == ["0"]
    assert [status(world, pause) for pause in pauses] == ["issued", "issued"]
    assert end(world, first, second) == []
    assert [status(world, pause) for pause in pauses] == ["revoked", "revoked"]


def test_a_revocation_whose_reply_was_lost_is_done_when_its_message_comes_again(world: World) -> None:
    task = world.tasks.start()
    pause = asked(world, task)
    world.tasks.end(task)
    dies = world.deployment.probe.losing_replies(UpdateItem=RuntimeError("the process dies"))
    with dies, pytest.raises(RuntimeError, match="dies"):
        end(world, task)
    assert status(world, pause) == "revoked"
    assert end(world, task) == []
    assert world.sweep()["done"] == {"RevocationSettled": 1}


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{",
        "[" * 100_000,
        body_of("arn", "RUNNING"),
        body_of("arn").replace("aws.states", "askback"),
        body_of("arn").replace("Status Change", "Started"),
        body_of("arn").replace('"arn"', "7"),
        body_of(""),
    ],
    ids=["empty", "a list", "no JSON", "deep", "running", "another source", "another kind", "a number", "none"],
)
def test_a_message_that_names_no_ended_execution_comes_again_and_is_kept_at_last(world: World, body: str) -> None:
    task = world.tasks.start()
    pause = asked(world, task)
    world.tasks.end(task)
    reply = world.handlers.invoke("ended", queued(body, body_of(world.tasks.execution_of(task))))
    assert unfinished(reply) == ["0"]
    assert status(world, pause) == "revoked"


@pytest.mark.parametrize(
    "event", [None, [], "", {}, {"Records": None}, {"Records": [1]}, {"Records": [{"messageId": "1"}]}, {"source": "x"}]
)
def test_an_event_that_is_not_of_the_queue_is_refused(world: World, event: Any) -> None:
    with pytest.raises(InvalidRequest):
        world.handlers.invoke("ended", event)


def test_the_event_as_step_functions_sends_it_is_taken_too(world: World) -> None:
    """An operator moves it back from the queue of failures."""
    task = world.tasks.start()
    pause = asked(world, task)
    world.tasks.end(task)
    execution = world.tasks.execution_of(task)
    whole = json.loads(body_of(execution))
    whole |= {"version": "0", "id": "1", "account": "123456789012", "resources": [execution]}
    whole["detail"] |= {"input": '{"secret": 1}', "inputDetails": {"included": True}, "output": None, "stopDate": 1}
    assert unfinished(world.handlers.invoke("ended", queued(json.dumps(whole)))) == []
    assert status(world, pause) == "revoked"


def test_what_is_written_names_the_pause_and_has_no_arn_and_no_token(world: World, recorded: Recorded) -> None:
    task, failing = world.tasks.start(), world.tasks.start()
    pause, other = (world.handlers.pause(**a_secret_mint(waiter=waiting(world, each))) for each in (task, failing))
    world.tasks.end(task)
    for each in (pause, other):
        recorded.keep(each.minted)
    recorded.secrets += [task.address, failing.address]
    start = len(recorded.text)
    assert end(world, task) == []
    with world.deployment.probe.failing(SendTaskHeartbeat=BUSY):
        assert end(world, failing) == ["0"]
    written = [json.loads(line) for line in recorded.text[start:].splitlines() if line.startswith("{")]
    lines = [line for line in written if "message" in line]
    assert [(line["level"], line["message"], line["jti"]) for line in lines] == [
        ("INFO", "revoked, because its run has ended", pause.minted["jti"]),
        ("ERROR", "could not revoke the pause of an ended run", other.minted["jti"]),
    ]
    assert lines[1]["code"] == "store-unavailable"
    assert not [line for line in lines if world.tasks.execution_of(task).rpartition(":")[2] in json.dumps(line)]
    counted = [
        {name: line[name] for name in ("RunEnded", "PauseRevoked", "RevocationFailed")}
        for line in written
        if "_aws" in line
    ]
    assert counted == [
        {"RunEnded": [1.0], "PauseRevoked": [1.0], "RevocationFailed": [0.0]},
        {"RunEnded": [0.0], "PauseRevoked": [0.0], "RevocationFailed": [1.0]},
    ]


def test_without_time_the_message_comes_again(world: World) -> None:
    class Hurried:
        aws_request_id = "1"

        def get_remaining_time_in_millis(self) -> int:
            return 15_000

    task = world.tasks.start()
    pause = asked(world, task)
    world.tasks.end(task)
    event = ends_of(world.tasks.execution_of(task))
    assert unfinished(world.handlers.invoke("ended", event, Hurried())) == ["0"]
    assert status(world, pause) == "issued"
    assert end(world, task) == []
    assert status(world, pause) == "revoked"
