"""The log of decisions: each decision has one line, made from what was written, and no write goes without one."""

import json
import time
from dataclasses import replace
from typing import Any

import boto3
import pytest

from askback.adapters.dynamodb.keys import ledger_key
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.json_text import sha256_hex
from askback.domain.pause.decisions import COLUMNS
from askback.domain.timestamps import rfc3339
from askback.interactions import ASK_USER_REGISTRATION
from tests.support.aws_probe import aws_error
from tests.support.function_deployment import Deployment, Handlers
from tests.support.recorded_output import ASKED, HEARD, LABEL, SAID, a_secret_mint
from tests.support.request_bodies import Pause, a_mint
from tests.support.table_stream import TableStream
from tests.support.waiting_world import World, body_of


@pytest.fixture
def stream(deployment: Deployment) -> TableStream:
    return TableStream(deployment)


def decisions(lines: list[dict[str, Any]]) -> list[str]:
    return [line["decision"] for line in lines]


def write(deployment: Deployment, pause: Pause, **attributes: Any) -> None:
    """Change the row as a principal does who may write the table."""
    item = deployment.item(deployment.row_key(pause)) | attributes
    deployment.put({name: value for name, value in item.items() if value is not ...})


def test_a_question_and_its_answer_have_one_line_each(
    deployment: Deployment, handlers: Handlers, stream: TableStream
) -> None:
    pause = handlers.pause(scope={"tenant_id": "acme"}, recipients=["ada@example.com"])
    (ada,) = pause.minted["recipients"]
    handlers.post("/answers", pause.answer(answer_token=ada["answer_token"]))
    asked, answered = stream.audited(handlers, pause)
    row = deployment.item(deployment.row_key(pause))
    assert list(asked) == list(answered) == list(COLUMNS)
    assert (asked["decision"], asked["status_before"], asked["status"]) == ("issued", None, "issued")
    assert asked["at"] == rfc3339(int(row["issued_at"]["N"]))
    assert asked["answered_by"] is asked["assurance"] is asked["answer_hash"] is None
    assert answered | {"id": "", "written_at": ""} == {
        "id": "",
        "decision": "answered",
        "at": rfc3339(int(row["answered_at"]["N"])),
        "written_at": "",
        "jti": pause.minted["jti"],
        "interaction": "ask_user",
        "scope_hash": row["scope_hash"]["S"],
        "scope_label": row["scope_label"]["S"],
        "status_before": "issued",
        "status": "answered",
        "minted_by": row["by"]["B"].hex(),
        "answered_by": "ada@example.com",
        "revoked_by": None,
        "superseded_by": None,
        "erased_by": None,
        "assurance": "personal_link",
        "answered_via": "link",
        "by_policy": False,
        "cross_scope": False,
        "redeemed_scope_hash": row["scope_hash"]["S"],
        "least_assurance": "stated",
        "request_hash": row["request_hash"]["S"],
        "answer_hash": sha256_hex(row["response"]["S"]),
        "turn_hash": row["turn_hash"]["B"].hex(),
        "key_id": row["kid"]["S"],
        "voted_by": None,
        "vote": None,
        "round": None,
        "for": None,
        "deadline_before": pause.minted["expires_at"],
        "deadline": pause.minted["expires_at"],
        "changed_by": None,
        "text_hash": None,
        "known_hash": None,
    }
    assert answered["id"] != asked["id"]


def test_a_mint_that_is_repeated_and_an_announcement_are_no_decisions(handlers: Handlers, stream: TableStream) -> None:
    request = a_mint(idempotency_key="audited-once")
    pause = Pause(request=request, minted=handlers.invoke("mint", request))
    handlers.invoke("mint", request)
    assert decisions(stream.audited(handlers, pause)) == ["issued"]


def test_what_the_sweep_and_an_operator_decide_has_lines_too(world: World, stream: TableStream) -> None:
    default = {"policy": "default", "response": {"answers": [{"selections": ["Reject"]}]}}
    expired, by_policy = world.handlers.pause(), world.handlers.pause(on_expiry=default)
    revoked = world.handlers.pause()
    world.handlers.revoke(revoked.minted["jti"])
    world.sweep(after=7200)
    by_pause = {line["jti"]: line for line in stream.audited(world.handlers, expired, by_policy, revoked)}
    ended = [by_pause[pause.minted["jti"]] for pause in (expired, by_policy, revoked)]
    assert decisions(ended) == ["expired", "answered", "revoked"]
    assert [line["by_policy"] for line in ended] == [None, True, None]
    assert (ended[1]["answered_by"], ended[1]["assurance"]) == ("policy", "policy")
    assert ended[2]["revoked_by"].endswith("user/local")
    assert ended[0]["at"] == expired.minted["expires_at"]


def test_what_the_program_that_asked_takes_back_has_lines_too(world: World, stream: TableStream) -> None:
    revoked, old = world.handlers.pause(), world.handlers.pause()
    world.handlers.post(f"/pauses/{revoked.minted['jti']}/revoke", {"reason": "A reason for people alone."})
    request = a_mint(scope=old.request["scope"], supersedes=old.minted["jti"])
    newer = Pause(request=request, minted=world.handlers.post("/pauses", request).document)
    lines = list(stream.audited(world.handlers, revoked, old, newer))
    ended = {line["jti"]: line for line in lines if line["decision"] not in ("issued", "changed")}
    assert {line["decision"] for line in lines} == {"issued", "revoked", "superseded"}
    assert ended[revoked.minted["jti"]]["revoked_by"] == "asker"
    line = ended[old.minted["jti"]]
    assert (line["decision"], line["superseded_by"], line["status"]) == (
        "superseded",
        newer.minted["jti"],
        "superseded",
    )
    assert "reason" not in str(lines)


def test_a_link_that_an_operator_revokes_is_a_line(handlers: Handlers, stream: TableStream) -> None:
    pause = handlers.pause(recipients=["ada@example.com", "bob"])
    for recipient in ("ada@example.com", "bob"):
        handlers.post(f"/pauses/{pause.minted['jti']}/links/revoke", {"recipient": recipient})
    assert decisions(stream.audited(handlers, pause)) == ["issued", "link_revoked", "link_revoked"]


def test_a_delivery_is_a_line_of_its_own(world: World, stream: TableStream) -> None:
    pause = world.handlers.pause(waiter=body_of(world.tasks.start()))
    world.handlers.post("/resume", pause.resume())
    assert sorted(decisions(stream.audited(world.handlers, pause))) == ["answered", "delivered", "issued"]


def test_an_answer_from_another_scope_says_so(deployment: Deployment, stream: TableStream) -> None:
    registration = replace(ASK_USER_REGISTRATION, allow_cross_scope=True)
    handlers = deployment.load(registry=InteractionRegistry([registration]))
    pause = handlers.pause()
    answer = handlers.post("/resume", pause.resume(scope={"tenant_id": "another"}))
    assert answer.status == 200, answer.document
    _, line = stream.audited(handlers, pause)
    assert (line["cross_scope"], line["redeemed_scope_hash"] != line["scope_hash"]) == (True, True)


def test_a_row_that_another_program_wrote_appears_like_any_other(
    deployment: Deployment, handlers: Handlers, stream: TableStream
) -> None:
    pause = handlers.pause()
    forged = {
        "status": {"S": "answered"},
        "response_hash": {"S": "0" * 64},
        "answered_by": {"S": "the ciso"},
        "answered_at": {"N": "5"},
        "attempt_id": {"S": "x"},
        "redeemed_scope_hash": {"S": "y"},
        "how": {"S": "su"},
    }
    write(deployment, pause, **forged)
    _, line = stream.audited(handlers, pause)
    assert (line["decision"], line["answered_by"], line["assurance"]) == ("answered", "the ciso", "stepped_up")
    # The time is the writer's own word; the time of the write is not.
    assert line["at"] == "1970-01-01T00:00:05Z"
    assert line["written_at"] > "2020"
    (event,) = [event for event in stream.events() if json.loads(event["message"])["id"] == line["id"]]
    assert event["timestamp"] > 1_700_000_000_000


@pytest.mark.parametrize(
    "attributes",
    [
        {"answered_by": {"S": "eve"}},
        {"response": {"S": "{}"}},
        {"response_hash": {"S": "1" * 64}},
        {"request_hash": {"S": "1" * 64}},
        {"turn_hash": {"B": b"1" * 16}},
        {"status": {"S": "issued"}},
        {"status": {"S": "expired"}},
        {"exp": {"N": "9999999999"}},
    ],
    ids=str,
)
def test_a_change_that_askback_never_makes_is_a_line(
    deployment: Deployment, handlers: Handlers, stream: TableStream, attributes: dict[str, Any]
) -> None:
    pause = handlers.pause()
    handlers.post("/resume", pause.resume())
    write(deployment, pause, **attributes)
    assert decisions(stream.audited(handlers, pause))[2:] == ["changed"]


def test_a_row_that_was_deleted_is_a_line_unless_its_time_was_over(
    deployment: Deployment, handlers: Handlers, stream: TableStream
) -> None:
    pause, old = handlers.pause(), handlers.pause()
    for each in (pause, old):
        deployment.delete(deployment.row_key(each))
    *_, removal = stream.of(old)
    by_expiry = removal | {"userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"}}
    handlers.invoke("audit", {"Records": [by_expiry]})
    assert decisions(stream.audited(handlers, pause)) == ["issued", "removed"]
    assert not [line for line in stream.lines() if line["jti"] == old.minted["jti"]]


@pytest.mark.parametrize("damage", [{"status": {"S": "parked"}}, {"run_id": ...}, {"terms": {"B": b"wrong"}}], ids=str)
def test_a_damaged_row_has_a_line_and_holds_up_no_other(
    deployment: Deployment, handlers: Handlers, stream: TableStream, damage: dict[str, Any]
) -> None:
    damaged, other = handlers.pause(), handlers.pause()
    whole = deployment.item(deployment.row_key(damaged))
    write(deployment, damaged, **damage)
    # The sweep moves its due time again and again.
    for due_at in ("17", "18"):
        write(deployment, damaged, due_at={"N": due_at})
    deployment.put(whole)
    handlers.post("/resume", other.resume())
    lines = stream.audited(handlers, damaged, other)
    of_damaged = [line for line in lines if line["jti"] == damaged.minted["jti"]]
    assert decisions(of_damaged) == ["issued", "unreadable", "changed"]
    assert of_damaged[1]["interaction"] == "ask_user"
    assert decisions([line for line in lines if line not in of_damaged]) == ["issued", "answered"]


def test_a_row_that_was_never_readable_has_a_line_with_its_id_alone(
    deployment: Deployment, handlers: Handlers, stream: TableStream
) -> None:
    pause = Pause(request={}, minted={"jti": "junk"})
    deployment.put({**ledger_key("junk"), "status": {"N": "7"}})
    (line,) = stream.audited(handlers, pause)
    deployment.delete(ledger_key("junk"))
    assert (line["decision"], line["jti"], line["interaction"]) == ("unreadable", "junk", None)


def test_questions_and_turns_are_passed_over(handlers: Handlers, stream: TableStream) -> None:
    handlers.pause()
    others = [each for each in stream.records() if not each["dynamodb"]["Keys"]["pk"]["S"].startswith("pause#")]
    before = stream.lines()
    assert others
    assert handlers.invoke("audit", {"Records": others}) == {"batchItemFailures": []}
    assert stream.lines() == before


def test_no_line_has_a_question_an_answer_a_turn_a_token_or_a_waiter(world: World, stream: TableStream) -> None:
    waiter = world.tasks.start()
    default = {"policy": "default", "response": {"answers": [{"selections": [LABEL]}]}}
    request = a_secret_mint(waiter=body_of(waiter), on_expiry=default, recipients=["ada@example.com"])
    pause = Pause(request=request, minted=world.handlers.post("/pauses", request).document)
    world.handlers.post("/resume", pause.resume(response=pause.response(selections=[], other=SAID)))
    lines = stream.audited(world.handlers, pause)
    assert len(lines) >= 2
    written = json.dumps(lines)
    tokens = [pause.minted[name] for name in ("pause_token", "answer_token")]
    for secret in (ASKED, LABEL, SAID, HEARD, waiter.address, *tokens, *pause.minted["recipients"][0].values()):
        assert not isinstance(secret, str) or secret not in written, secret


def test_lines_that_cannot_be_written_are_asked_for_again_and_none_is_lost(
    deployment: Deployment, handlers: Handlers, stream: TableStream, capsys: pytest.CaptureFixture[str]
) -> None:
    pause = handlers.pause()
    handlers.post("/resume", pause.resume())
    records = stream.of(pause)
    start = len(deployment.output.getvalue())
    with deployment.probe.failing(PutLogEvents=aws_error("AccessDeniedException")):
        reply = handlers.invoke("audit", {"Records": records})
    places = [each["dynamodb"]["SequenceNumber"] for each in records]
    assert [each["itemIdentifier"] for each in reply["batchItemFailures"]] == [places[0], places[-1]]
    said = deployment.output.getvalue()[start:]
    assert "AccessDeniedException" in said
    assert pause.minted["jti"] not in json.dumps([line["jti"] for line in stream.lines()])
    assert decisions(stream.audited(handlers, pause)) == ["issued", "answered"]


def test_a_line_that_is_written_twice_has_the_same_id_and_the_same_place(
    deployment: Deployment, handlers: Handlers, stream: TableStream
) -> None:
    pause = handlers.pause()
    records = stream.of(pause)
    with deployment.probe.losing_replies(PutLogEvents=aws_error("InternalFailure", status=500)):
        assert handlers.invoke("audit", {"Records": records})["batchItemFailures"]
    handlers.invoke("audit", {"Records": records})
    jti = pause.minted["jti"]
    events = [event for event in stream.events() if json.loads(event["message"])["jti"] == jti]
    assert len(events) >= 2
    assert len({(event["timestamp"], event["message"]) for event in events}) == 1


def test_the_log_stream_is_that_of_the_day_and_is_made_when_it_is_missing(
    deployment: Deployment, handlers: Handlers, stream: TableStream
) -> None:
    day = time.strftime("%Y-%m-%d", time.gmtime())
    logs = boto3.client("logs")
    for name in [
        each["logStreamName"] for each in logs.describe_log_streams(logGroupName=stream.log_group)["logStreams"]
    ]:
        logs.delete_log_stream(logGroupName=stream.log_group, logStreamName=name)
    first, second = handlers.pause(), handlers.pause()
    with deployment.probe.counting() as calls:
        stream.audited(handlers, first)
    assert calls == ["PutLogEvents", "CreateLogStream", "PutLogEvents"]
    with deployment.probe.counting() as calls:
        stream.audited(handlers, second)
    assert calls == ["PutLogEvents"]
    assert {event["logStreamName"] for event in stream.events()} == {day}
