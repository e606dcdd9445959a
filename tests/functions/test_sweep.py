"""What the sweep function reports and counts, when it stops, and that two of them do nothing twice."""

import json
from typing import Any

import pytest

from askback.adapters.dynamodb.keys import due_shard
from askback.domain.errors import StoreUnavailable
from tests.support.aws_probe import aws_error
from tests.support.due_unread import part_unread, rows_unread
from tests.support.request_bodies import a_mint
from tests.support.waiting_world import World, body_of

DAY = 24 * 3600
IDLE = {"Swept": 1, "OldestDueSeconds": 0, "WaitingOutcomeSeconds": 0}
"""What a run counts that finds nothing to do."""


def written(world: World, start: int) -> list[dict[str, Any]]:
    """Return the log lines and metrics since then."""
    text = world.deployment.output.getvalue()[start:]
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def metrics(world: World, start: int) -> dict[str, float]:
    """Return what was counted since then."""
    counted: dict[str, float] = {}
    for entry in written(world, start):
        for group in entry.get("_aws", {}).get("CloudWatchMetrics", ()):
            for metric in group["Metrics"]:
                counted[metric["Name"]] = counted.get(metric["Name"], 0) + sum(entry[metric["Name"]])
    return counted


def test_the_report_says_what_was_done_and_the_metrics_count_it(world: World) -> None:
    for _ in range(3):
        world.handlers.pause(ttl_seconds=60)
    world.handlers.pause(ttl_seconds=3600, remind_after_seconds=60)
    world.now += 100
    start = len(world.deployment.output.getvalue())
    report = world.sweep()
    assert report == {"done": {"Expired": 3, "Reminded": 1}, "oldest_due_seconds": 40, "cut_off": False}
    assert metrics(world, start) == IDLE | {"OldestDueSeconds": 40, "Expired": 3, "Reminded": 1}
    (line,) = [entry for entry in written(world, start) if entry.get("message") == "swept"]
    assert (line["done"], line["cut_off"]) == (report["done"], False)
    kinds = [event["detail-type"] for event in world.listener.heard()]
    assert sorted(kinds) == ["PauseExpired"] * 3 + ["PauseIssued"] * 4 + ["PauseReminder"]


def test_a_sweep_with_nothing_to_do_says_that_it_has_run(world: World) -> None:
    """The alarm for a silent sweep counts these."""
    start = len(world.deployment.output.getvalue())
    assert world.sweep() == {"done": {}, "oldest_due_seconds": 0, "cut_off": False}
    assert metrics(world, start) == IDLE


def test_each_row_has_a_line_that_names_its_pause_and_says_what_was_done(world: World) -> None:
    expired = world.handlers.pause(ttl_seconds=60)
    reminded = world.handlers.pause(ttl_seconds=3600, remind_after_seconds=60)
    world.now += 100
    start = len(world.deployment.output.getvalue())
    world.sweep()
    for pause, what in ((expired, "Expired"), (reminded, "Reminded")):
        (line,) = [entry for entry in written(world, start) if entry.get("message") == what]
        claims = world.deployment.claims(pause.minted["pause_token"])
        assert [line[key] for key in ("jti", "interaction", "scope_hash")] == [
            claims[key] for key in ("jti", "name", "scope_hash")
        ]


def test_a_question_that_is_open_for_a_day_is_counted_and_named_as_a_warning(world: World) -> None:
    pause = world.handlers.pause(ttl_seconds=2 * DAY)
    assert int(world.row(pause)["due_at"]) == world.now + DAY
    start = len(world.deployment.output.getvalue())
    assert world.sweep(after=DAY)["done"] == {"OpenTooLong": 1}
    assert metrics(world, start) == IDLE | {"OpenTooLong": 1}
    (line,) = [entry for entry in written(world, start) if entry.get("message") == "OpenTooLong"]
    assert (line["level"], line["jti"]) == ("WARNING", pause.minted["jti"])
    assert world.sweep(after=DAY - 1)["done"] == {}
    assert world.sweep(after=1)["done"] == {"Expired": 1}


def test_how_late_an_answer_arrived_and_how_long_one_has_waited_is_measured_from_its_acceptance(world: World) -> None:
    pause = world.handlers.pause(waiter=body_of(world.tasks.start()))
    down = world.deployment.probe.failing(SendTaskSuccess=aws_error("ThrottlingException"))
    with down:
        world.handlers.post("/answers", pause.answer())
        start = len(world.deployment.output.getvalue())
        assert world.sweep(after=60)["done"] == {"DeliveryRetried": 1}
    assert metrics(world, start) == IDLE | {"WaitingOutcomeSeconds": 60, "DeliveryRetried": 1}
    start = len(world.deployment.output.getvalue())
    assert world.sweep(after=240)["done"] == {"Delivered": 1}
    counted = metrics(world, start)
    assert (counted["DeliveryLagSeconds"], counted["WaitingOutcomeSeconds"]) == (300, 0)


@pytest.mark.parametrize(
    ("error", "code"),
    [("ThrottlingException", "store-unavailable"), ("AccessDeniedException", "misconfigured")],
)
def test_a_failed_attempt_logs_its_pause_and_its_error_but_not_the_address(world: World, error: str, code: str) -> None:
    waiter = world.tasks.start()
    pause = world.handlers.pause(waiter=body_of(waiter))
    with world.deployment.probe.failing(SendTaskSuccess=aws_error(error, operation="SendTaskSuccess")):
        world.handlers.post("/answers", pause.answer())
        start = len(world.deployment.output.getvalue())
        world.sweep(after=60)
    (line,) = [entry for entry in written(world, start) if entry.get("message") == "DeliveryRetried"]
    assert (line["level"], line["jti"], line["code"]) == ("WARNING", pause.minted["jti"], code)
    assert line["reason"].startswith("SendTaskSuccess on a step_functions waiter at ")
    assert line["reason"].endswith(f": {error}")
    assert waiter.address not in json.dumps(line)


def test_an_answer_that_is_delivered_at_once_is_measured_too(world: World) -> None:
    pause = world.handlers.pause(waiter=body_of(world.tasks.start()))
    world.now += 500
    start = len(world.deployment.output.getvalue())
    world.handlers.post("/answers", pause.answer())
    assert metrics(world, start) == {
        "PauseAnswered": 1, "Delivered": 1, "TimeToAnswerSeconds": 500, "DeliveryLagSeconds": 0,
    }  # fmt: skip


def test_the_same_answer_again_counts_only_the_delivery_that_it_made(world: World) -> None:
    pause = world.handlers.pause(waiter=body_of(world.tasks.start()))
    with world.deployment.probe.failing(SendTaskSuccess=aws_error("ThrottlingException")):
        world.handlers.post("/answers", pause.answer())
    world.now += 90
    start = len(world.deployment.output.getvalue())
    world.handlers.post("/answers", pause.answer())
    world.handlers.post("/answers", pause.answer())
    assert metrics(world, start) == {"AnswerReplayed": 2, "Delivered": 1, "DeliveryLagSeconds": 90}


def test_a_mint_that_is_repeated_is_not_another_pause(world: World) -> None:
    request = a_mint(idempotency_key="twice")
    start = len(world.deployment.output.getvalue())
    world.handlers.post("/pauses", request)
    world.now += 5
    world.handlers.post("/pauses", request)
    assert metrics(world, start) == {"PauseIssued": 1, "MintRepeated": 1}


@pytest.mark.parametrize(("sign_in", "counted"), [("none", 1), ("jwt", 0)])
def test_a_question_that_no_person_can_answer_is_counted_and_named_at_its_mint(
    world: World, sign_in: str, counted: int
) -> None:
    handlers = world.load(ASKBACK_SIGN_IN=sign_in)
    start = len(world.deployment.output.getvalue())
    pause = handlers.pause(approvers=["ada"], requester="bob", requester_may_answer=False)
    assert metrics(world, start).get("Unanswerable", 0) == counted
    named = [entry["jti"] for entry in written(world, start) if entry.get("level") == "WARNING"]
    assert named == [pause.minted["jti"]] * counted


def test_what_is_undeliverable_is_counted_where_the_alarm_looks(world: World) -> None:
    waiter = world.tasks.start()
    default = {"policy": "default", "response": {"answers": [{"selections": ["Reject"]}]}}
    pause = world.handlers.pause(waiter=body_of(waiter), on_expiry=default)
    world.tasks.end(waiter)
    world.now += 3600
    start = len(world.deployment.output.getvalue())
    assert world.sweep()["done"] == {"AnsweredByPolicy": 1, "Undeliverable": 1}
    assert metrics(world, start)["Undeliverable"] == 1
    assert world.row(pause)["status"] == "undeliverable"
    assert "PauseUndeliverable" in [event["detail-type"] for event in world.listener.heard()]


def test_a_run_that_ended_between_its_heartbeat_and_the_delivery_is_counted_by_the_resume(world: World) -> None:
    waiter = world.tasks.start()
    pause = world.handlers.pause(waiter=body_of(waiter))
    start = len(world.deployment.output.getvalue())
    with world.deployment.probe.failing(SendTaskSuccess=aws_error("TaskTimedOut")):
        receipt = world.handlers.post("/answers", pause.answer())
    assert receipt.document["delivery"] == "undeliverable"
    assert metrics(world, start)["Undeliverable"] == 1
    assert world.row(pause)["response_hash"]


class Hurried:
    """An invocation that has almost run out of time."""

    aws_request_id = "hurried"

    def get_remaining_time_in_millis(self) -> int:
        return 15_000


def test_a_run_stops_while_there_is_time_to_finish_and_the_next_does_the_rest(world: World) -> None:
    pause = world.handlers.pause(ttl_seconds=60)
    world.now += 60
    assert world.handlers.invoke("sweep", {}, Hurried()) == {"done": {}, "oldest_due_seconds": 0, "cut_off": True}
    assert world.row(pause)["status"] == "issued"
    assert world.sweep()["done"] == {"Expired": 1}


def test_a_second_sweep_right_after_the_first_finds_nothing(world: World) -> None:
    world.handlers.pause(waiter=body_of(world.tasks.start()), ttl_seconds=60)
    assert world.sweep(after=60)["done"] == {"Expired": 1, "ExpirySettled": 1}
    assert world.sweep()["done"] == {}


def test_rows_that_cannot_be_read_or_worked_on_are_counted_and_the_others_are_done(world: World) -> None:
    damaged, good = (world.handlers.pause(ttl_seconds=60) for _ in range(2))
    item = world.deployment.item(world.deployment.row_key(damaged))
    world.deployment.put(item | {"waiter_kind": {"S": "carrier_pigeon"}, "waiter_address": {"S": "x"}})
    start = len(world.deployment.output.getvalue())
    assert world.sweep(after=60)["done"] == {"Expired": 1, "RowFailed": 1}
    assert metrics(world, start)["RowFailed"] == 1
    (line,) = [entry for entry in written(world, start) if entry.get("level") == "ERROR"]
    assert (line["jti"], line["interaction"], line["error"]) == (damaged.minted["jti"], "ask_user", "Unreadable")
    assert world.row(good)["status"] == "expired"
    world.deployment.delete(world.deployment.row_key(damaged))


@pytest.mark.parametrize("operation", ["Query", "BatchGetItem"])
def test_a_table_that_cannot_be_read_fails_the_run_and_the_next_one_does_it(world: World, operation: str) -> None:
    world.handlers.pause(ttl_seconds=60)
    with (
        world.deployment.probe.failing(**{operation: aws_error("ThrottlingException")}),
        pytest.raises(StoreUnavailable),
    ):
        world.sweep(after=60)
    assert world.sweep()["done"] == {"Expired": 1}


def test_a_part_of_the_index_that_cannot_be_read_fails_the_run_after_the_others_are_done(world: World) -> None:
    lost = world.handlers.pause(ttl_seconds=60)
    others = [
        pause
        for pause in (world.handlers.pause(ttl_seconds=60) for _ in range(9))
        if due_shard(pause.minted["jti"]) != due_shard(lost.minted["jti"])
    ]
    start = len(world.deployment.output.getvalue())
    with part_unread(lost), pytest.raises(StoreUnavailable):
        world.sweep(after=60)
    assert {world.row(pause)["status"] for pause in others} == {"expired"}
    assert world.row(lost)["status"] == "issued"
    counted = metrics(world, start)
    assert (counted["Expired"], counted["DuePartUnread"]) == (len(others), 1)
    (line,) = [entry for entry in written(world, start) if entry.get("level") == "ERROR"]
    assert (line["part"], line["code"]) == (due_shard(lost.minted["jti"]), "store-unavailable")
    assert "ThrottlingException" in line["reason"]
    assert world.sweep()["done"]["Expired"] == 10 - len(others)


def test_rows_that_the_table_does_not_return_are_counted_and_left_to_the_next_run(world: World) -> None:
    for _ in range(3):
        world.handlers.pause(ttl_seconds=60)
    start = len(world.deployment.output.getvalue())
    with rows_unread(2):
        report = world.sweep(after=60)
    assert (report["done"], report["cut_off"]) == ({"Expired": 1}, True)
    assert metrics(world, start)["RowUnread"] == 2
    (line,) = [entry for entry in written(world, start) if entry.get("level") == "WARNING"]
    assert line["rows"] == 2
    assert world.sweep() == {"done": {"Expired": 2}, "oldest_due_seconds": 0, "cut_off": False}


def test_a_write_that_the_table_refuses_fails_the_row_and_the_next_run_does_it(world: World) -> None:
    world.handlers.pause(ttl_seconds=60)
    with world.deployment.probe.failing(UpdateItem=aws_error("ThrottlingException")):
        assert world.sweep(after=60)["done"] == {"RowFailed": 1}
    assert world.sweep()["done"] == {"Expired": 1}


def test_a_sweep_reads_by_what_is_due_and_not_by_what_is_stored(world: World) -> None:
    world.handlers.pause(ttl_seconds=60)
    for _ in range(30):
        world.handlers.pause(ttl_seconds=3600)
    world.now += 60
    with world.deployment.probe.counting() as calls:
        assert world.sweep()["done"] == {"Expired": 1}
    assert calls == ["Query"] * 8 + ["BatchGetItem", "UpdateItem", "PutEvents"]
