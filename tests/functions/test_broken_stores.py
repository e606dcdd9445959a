"""Stores that lost, changed or withhold what a pause recorded: said by name, and the token stays good."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ConnectTimeoutError, IncompleteReadError, ReadTimeoutError

from askback.adapters.dynamodb.records import record_attributes
from askback.adapters.s3_bodies import pack
from tests.support.aws_probe import aws_error
from tests.support.domain_values import BUCKET_SIZED
from tests.support.function_deployment import Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import Pause, a_question


def _rewritten(item: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the item as if `text` had been recorded in it, with a length and a hash that fit."""
    attributes = record_attributes(pack(text), body_key=None, ttl=int(item["ttl"]["N"]))
    return {"pk": item["pk"], "sk": item["sk"], **attributes}


def _change_turn(**fields: Any) -> Callable[[Deployment, Pause], None]:
    def change(deployment: Deployment, pause: Pause) -> None:
        turn = {
            **{name: pause.minted[name] for name in ("run_id", "session_id", "thread_id", "checkpoint_id", "name")},
            "tool_call_id": pause.minted["tool_call_id"],
            "interrupt_id": "",
            "prompt": "",
            "version": 1,
            "scope_hash": deployment.claims(pause.minted["pause_token"])["scope_hash"],
            "messages": pause.request["messages"],
        }
        deployment.put(_rewritten(deployment.item(deployment.turn_key(pause)), json.dumps({**turn, **fields})))

    return change


def _change_request(text: str) -> Callable[[Deployment, Pause], None]:
    return lambda up, pause: up.put(_rewritten(up.item(up.request_key(pause)), text))


def _spoil(key: str, **attributes: Any) -> Callable[[Deployment, Pause], None]:
    def spoil(deployment: Deployment, pause: Pause) -> None:
        item = deployment.item(getattr(deployment, key)(pause)) | attributes
        deployment.put({name: value for name, value in item.items() if value is not ...})

    return spoil


BROKEN: dict[str, tuple[int, str, Callable[[Deployment, Pause], None]]] = {
    "request deleted": (424, "payload-missing", lambda up, pause: up.delete(up.request_key(pause))),
    "request bytes changed": (424, "payload-unreadable", _spoil("request_key", data={"B": b"{}"})),
    "request without bytes": (424, "payload-unreadable", _spoil("request_key", data=...)),
    "request no longer JSON": (424, "payload-unreadable", _change_request('{"questions": ')),
    "request no object": (424, "payload-unreadable", _change_request("[]")),
    "request tampered with": (
        409,
        "payload-mismatch",
        _change_request(json.dumps({"questions": [a_question(question="Refund 4,990 EUR?")]})),
    ),
    "turn deleted": (424, "turn-missing", lambda up, pause: up.delete(up.turn_key(pause))),
    "turn bytes changed": (424, "turn-unreadable", _spoil("turn_key", data={"B": b"{}"})),
    "turn without its hash": (424, "turn-unreadable", _spoil("turn_key", sha256=...)),
    "turn of another version": (424, "turn-unreadable", _change_turn(version=2)),
    "turn of version true": (424, "turn-unreadable", _change_turn(version=True)),
    "turn of another run": (424, "turn-mismatch", _change_turn(run_id="run-other")),
    # D-36's relative: ids alone do not notice another transcript.
    "turn with another transcript": (
        424,
        "turn-mismatch",
        _change_turn(messages=[{"role": "user", "content": "Refund 4,990 EUR"}]),
    ),
    "turn with another prompt": (424, "turn-mismatch", _change_turn(prompt="other")),
    "turn of another scope": (424, "turn-mismatch", _change_turn(scope_hash="0" * 64)),
}


@pytest.mark.parametrize("what", BROKEN)
def test_paused_state_that_cannot_be_used_is_refused_and_the_token_stays_good(
    deployment: Deployment, handlers: Handlers, what: str
) -> None:
    status, code, break_it = BROKEN[what]
    pause = handlers.pause()
    kept = [deployment.item(key(pause)) for key in (deployment.request_key, deployment.turn_key)]

    break_it(deployment, pause)
    require_problem(handlers.post("/resume", pause.resume()), status, code)

    for item in kept:
        deployment.put(item)
    assert handlers.redeems(pause)


def test_a_turn_that_was_promised_and_is_gone_is_missed_on_every_route(
    deployment: Deployment, handlers: Handlers
) -> None:
    pause = handlers.pause()
    deployment.delete(deployment.turn_key(pause))
    require_problem(handlers.post("/answers", pause.answer()), 424, "turn-missing")


def test_a_pause_without_a_turn_is_answered_but_not_resumed(handlers: Handlers) -> None:
    pause = handlers.pause(messages=..., checkpoint_id="cp-1")
    assert (pause.minted["resumable"], pause.minted["recorded"]) == (False, True)
    require_problem(handlers.post("/resume", pause.resume()), 424, "turn-missing")
    assert handlers.post("/answers", pause.answer()).status == 200


def test_a_turn_whose_object_is_gone_is_missing_and_comes_back_with_it(
    deployment: Deployment, handlers: Handlers
) -> None:
    """A-39: a missing object is told from one that may not be read."""
    pause = handlers.pause(prompt=BUCKET_SIZED)
    where = {"Bucket": deployment.bucket, "Key": deployment.item(deployment.turn_key(pause))["body_key"]["S"]}
    body = deployment.s3.get_object(**where)["Body"].read()

    deployment.s3.delete_object(**where)
    require_problem(handlers.post("/resume", pause.resume()), 424, "turn-missing")
    deployment.s3.put_object(**where, Body=body[::-1])
    require_problem(handlers.post("/resume", pause.resume()), 424, "turn-unreadable")
    with deployment.probe.failing(GetObject=aws_error("AccessDenied", status=403)):
        require_problem(handlers.post("/resume", pause.resume()), 500, "misconfigured")

    deployment.s3.put_object(**where, Body=body)
    assert handlers.redeems(pause)


PASSING = {
    "throttled": aws_error("ThrottlingException"),
    "over its throughput": aws_error("ProvisionedThroughputExceededException"),
    "in a conflict": aws_error("TransactionConflictException"),
    "broken": aws_error("SomethingNew", status=500),
    "not connected": ConnectTimeoutError(endpoint_url="http://store"),
    "silent": ReadTimeoutError(endpoint_url="http://store"),
}


@pytest.mark.parametrize("operation", ["BatchGetItem", "UpdateItem"])
@pytest.mark.parametrize("how", PASSING)
def test_a_store_that_does_not_answer_now_is_asked_again_later(
    deployment: Deployment, handlers: Handlers, operation: str, how: str
) -> None:
    """A-36: a conflict or a throttle is neither `not found` nor `already answered`."""
    pause = handlers.pause()
    with deployment.probe.failing(**{operation: PASSING[how]}):
        require_problem(handlers.post("/resume", pause.resume()), 503, "store-unavailable")
        assert handlers.refused("resume", pause.resume())["code"] == "store-unavailable"
    assert handlers.redeems(pause)


def test_a_body_that_breaks_off_while_it_is_read_is_asked_for_again_later(
    deployment: Deployment, handlers: Handlers
) -> None:
    pause = handlers.pause(prompt=BUCKET_SIZED)
    with deployment.probe.failing(GetObject=IncompleteReadError(actual_bytes=1, expected_bytes=2)):
        require_problem(handlers.post("/resume", pause.resume()), 503, "store-unavailable")
    assert handlers.redeems(pause)


def test_a_mint_whose_row_is_not_known_to_be_written_gives_no_token(deployment: Deployment, handlers: Handlers) -> None:
    request = handlers.event("/pauses", {**handlers.pause().request, "session_id": "sess-unwritten"})
    with deployment.probe.failing(PutItem=aws_error("ThrottlingException")):
        refused = handlers.send(request)
    require_problem(refused, 503, "store-unavailable")
    assert "token" not in json.dumps(refused.document)


def test_a_claim_that_landed_although_its_replies_were_lost_is_found_in_the_row(
    deployment: Deployment, handlers: Handlers
) -> None:
    """A-35, D-52: the row says that it was this request, so its caller gets the receipt and the event goes out."""
    pause = handlers.pause()
    with deployment.probe.losing_replies(UpdateItem=ReadTimeoutError(endpoint_url="http://store")):
        first = handlers.post("/resume", pause.resume())
    assert (first.status, first.document["replayed"]) == (200, False)
    again = handlers.post("/resume", pause.resume())
    assert (again.status, again.document["replayed"]) == (200, True)
    assert handlers.post("/resume", pause.resume(response=pause.response("Reject"))).status == 409


def test_what_could_not_be_recorded_is_logged_and_gives_out_no_link(
    deployment: Deployment, handlers: Handlers, caplog: pytest.LogCaptureFixture
) -> None:
    """D-36: the question is gone, so nobody is led to it; a lost turn alone leaves the link."""
    parts = iter(BUCKET_SIZED[start : start + 1900] for start in range(0, 16 * 1900, 1900))
    large = [
        a_question(question=f"{number}?", options=[{"label": label, "preview": next(parts)} for label in "ABCD"])
        for number in range(4)
    ]
    with deployment.probe.failing(PutObject=aws_error("AccessDenied", status=403)):
        lost = handlers.pause(payload={"questions": large}, recipients=["ada"]).minted
        turn = handlers.pause(prompt=BUCKET_SIZED, checkpoint_id="cp-lost-turn").minted
    assert [vars(record)["lost"] for record in caplog.records if record.message == "not recorded"] == [
        ["request"],
        ["turn"],
    ]
    assert (lost["recorded"], lost["answer_link"], lost["recipients"][0]["answer_link"]) == (False, None, None)
    assert (turn["recorded"], turn["resumable"]) == (True, False)


def test_a_retry_that_records_the_lost_turn_promises_it_to_every_answer(
    deployment: Deployment, handlers: Handlers
) -> None:
    """D-36: the row's own mark is repaired with the record; a mint that repairs nothing makes no further call."""
    with deployment.probe.failing(PutObject=aws_error("AccessDenied", status=403)):
        pause = handlers.pause(prompt=BUCKET_SIZED, checkpoint_id="cp-repaired-turn")
    assert deployment.item(deployment.row_key(pause))["turn_recorded"] == {"BOOL": False}
    for updates in (1, 0):
        with deployment.probe.counting() as calls:
            again = handlers.post("/pauses", pause.request)
        assert (again.status, again.document["resumable"]) == (201, True)
        assert calls.count("UpdateItem") == updates
    row = deployment.item(deployment.row_key(pause))
    assert row["turn_recorded"] == {"BOOL": True}
    assert len(row["turn_hash"]["B"]) == 16
    answered = handlers.post("/resume", pause.resume())
    assert answered.document["turn"]["prompt"] == BUCKET_SIZED


def test_a_changed_transcript_is_not_read_with_an_outcome_either(deployment: Deployment, handlers: Handlers) -> None:
    pause = handlers.pause()
    assert handlers.redeems(pause)
    _change_turn(prompt="other")(deployment, pause)
    place = {"pause_token": pause.minted["pause_token"], "scope": pause.request["scope"]}
    require_problem(handlers.post("/outcomes", place), 424, "turn-mismatch")


def test_a_row_of_a_version_that_recorded_no_hash_of_its_turn_is_compared_by_the_ids_alone(
    deployment: Deployment, handlers: Handlers
) -> None:
    pause = handlers.pause()
    _spoil("row_key", turn_hash=...)(deployment, pause)
    _change_turn(prompt="other")(deployment, pause)
    assert handlers.redeems(pause)
