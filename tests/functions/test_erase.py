"""`askback erase`: the content or the name is gone from every store, and the proof stays."""

import json
from typing import Any

import boto3
import pytest

from askback.adapters.dynamodb.keys import ERASURE_SALT_KEY
from askback.operate.stack import StackOperator
from tests.support.aws_probe import aws_error
from tests.support.domain_values import BUCKET_SIZED
from tests.support.operator_terminal import Ran, Terminal
from tests.support.problems import require_problem
from tests.support.recorded_output import ASKED, HEARD, LABEL, SAID, a_secret_mint
from tests.support.request_bodies import Pause, a_mint
from tests.support.table_stream import TableStream
from tests.support.waiting_world import body_of

DEFAULT = {"policy": "default", "response": {"answers": [{"selections": [LABEL]}]}}
ADA = "ada@example.com"


def stored(terminal: Terminal, *names: str) -> list[str]:
    """Return which of the texts are still in the table or in the bucket; records are read as they are stored."""
    deployment = terminal.world.deployment
    items = deployment.dynamodb.scan(TableName=deployment.table, ConsistentRead=True)["Items"]
    objects = boto3.client("s3").list_object_versions(Bucket=deployment.bucket).get("Versions", [])
    bodies = [deployment.s3.get_object(Bucket=deployment.bucket, Key=each["Key"])["Body"].read() for each in objects]
    whole = str(items) + str(bodies)
    return [name for name in names if name in whole]


def answered(terminal: Terminal, *, large: bool = False, **over: Any) -> Pause:
    handlers = terminal.world.handlers
    request = a_secret_mint(scope={"tenant_id": "Geheim GmbH"}, on_expiry=DEFAULT, **over)
    if large:
        request["messages"] = [{"role": "user", "content": BUCKET_SIZED}]
    pause = Pause(request=request, minted=handlers.post("/pauses", request).document)
    answer = handlers.post("/resume", pause.resume(response=pause.response(selections=[], other=SAID), answerer=ADA))
    assert answer.status == 200, answer.document
    return pause


def erased(terminal: Terminal, pause: Pause, *more: str) -> Ran:
    return terminal.run("--json", "erase", "--pause", pause.minted["jti"], "--yes", *more)


def test_the_content_of_a_pause_goes_and_its_proof_stays(terminal: Terminal) -> None:
    pause = answered(terminal)
    deployment = terminal.world.deployment
    before = deployment.item(deployment.row_key(pause))
    ran = erased(terminal, pause)
    assert (ran.code, ran.document["erased"]) == (0, True)
    assert (ran.document["attributes"], ran.document["records"]) == (3, 2)
    after = deployment.item(deployment.row_key(pause))
    gone = {"response", "default_response", "scope_label"}
    assert gone == set(before) - set(after)
    assert set(after) - set(before) == {"erased_at", "erased_by"}
    kept = set(before) - gone - {"terms"}
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    for key in (deployment.request_key(pause), deployment.turn_key(pause)):
        assert set(deployment.item(key)) == {"pk", "sk", "sha256", "ttl"}


def test_no_text_of_an_erased_pause_is_stored_anywhere(terminal: Terminal) -> None:
    pause = answered(terminal)
    erased(terminal, pause)
    row = terminal.world.deployment.item(terminal.world.deployment.row_key(pause))
    records = [
        terminal.world.deployment.item(key)
        for key in (terminal.world.deployment.request_key(pause), terminal.world.deployment.turn_key(pause))
    ]
    assert not [text for text in (ASKED, LABEL, SAID, HEARD) if text in str([row, *records])]


def test_large_bodies_go_with_all_their_versions(terminal: Terminal) -> None:
    deployment = terminal.world.deployment
    boto3.client("s3").put_bucket_versioning(Bucket=deployment.bucket, VersioningConfiguration={"Status": "Enabled"})
    before = {each["Key"] for each in _versions(deployment)}
    pause = answered(terminal, large=True)
    (body,) = {each["Key"] for each in _versions(deployment)} - before
    deployment.s3.put_object(Bucket=deployment.bucket, Key=body, Body=b"a second version")
    deployment.s3.delete_object(Bucket=deployment.bucket, Key=body)
    assert erased(terminal, pause).document["objects"] == 3
    assert {each["Key"] for each in _versions(deployment)} == before


def _versions(deployment: Any) -> list[Any]:
    found = boto3.client("s3").list_object_versions(Bucket=deployment.bucket)
    return [*found.get("Versions", []), *found.get("DeleteMarkers", [])]


def test_a_large_answer_goes_too(terminal: Terminal) -> None:
    handlers = terminal.world.load(ASKBACK_INLINE_LIMIT_BYTES="10", ASKBACK_KEY_SECRET_ID=terminal.secret)
    before = {each["Key"] for each in _versions(terminal.world.deployment)}
    request = a_secret_mint()
    pause = Pause(request=request, minted=handlers.post("/pauses", request).document)
    handlers.post("/resume", pause.resume(response=pause.response(selections=[], other=SAID)))
    assert len({each["Key"] for each in _versions(terminal.world.deployment)} - before) == 3
    assert erased(terminal, pause).document["objects"] == 3
    assert {each["Key"] for each in _versions(terminal.world.deployment)} == before


def test_without_yes_nothing_is_erased(terminal: Terminal) -> None:
    pause = answered(terminal)
    deployment = terminal.world.deployment
    before = deployment.item(deployment.row_key(pause))
    ran = terminal.run("erase", "--pause", pause.minted["jti"])
    assert ran.code == 0
    assert "3 texts of the row, 2 records, 0 objects" in ran.out
    assert "add --yes" in ran.out
    assert "docs/audit.md" in ran.out
    assert deployment.item(deployment.row_key(pause)) == before
    person = terminal.run("erase", "--person", ADA)
    assert "rows have the name" in person.out
    assert deployment.item(deployment.row_key(pause)) == before


def test_an_open_pause_is_refused_and_the_refusal_says_how(terminal: Terminal) -> None:
    handlers = terminal.world.handlers
    jti = handlers.pause().minted["jti"]
    ran = terminal.run("erase", "--pause", jti, "--yes")
    assert ran.code == 1
    assert ran.err == f"Refused: not-ended: the pause is open; end it first: askback revoke {jti}\n"
    handlers.revoke(jti)
    assert terminal.run("erase", "--pause", jti, "--yes").code == 0
    assert "Refused: unknown-pause" in terminal.run("erase", "--pause", "none", "--yes").err


def test_a_pause_whose_outcome_is_not_delivered_yet_is_refused(terminal: Terminal) -> None:
    world = terminal.world
    pause = world.handlers.pause(waiter=body_of(world.tasks.start()))
    with world.deployment.probe.failing(SendTaskSuccess=aws_error("ThrottlingException")):
        world.handlers.post("/resume", pause.resume())
    assert erased(terminal, pause).document["code"] == "not-delivered"
    world.sweep(after=600)
    assert erased(terminal, pause).code == 0


def test_an_erased_pause_is_shown_as_erased_and_nothing_reads_it_any_more(terminal: Terminal) -> None:
    handlers = terminal.world.handlers
    pause = answered(terminal, recipients=[ADA])
    erased(terminal, pause)
    shown = terminal.run("--json", "show", pause.minted["jti"]).document
    assert (shown["status"], shown["answered_by"], shown["assurance"]) == ("answered", ADA, "stated")
    assert shown["erased_at"]
    outcome = {"pause_token": pause.minted["pause_token"], "scope": pause.request["scope"]}
    replies = [
        handlers.post("/outcomes", outcome),
        handlers.post("/questions", {"answer_token": pause.minted["answer_token"]}),
        handlers.post("/answers", pause.answer()),
        handlers.post("/resume", pause.resume()),
    ]
    for reply in replies:
        require_problem(reply, 410, "erased")
    assert handlers.redrive(pause.minted["jti"]).said == (409, "not-redrivable")
    assert handlers.post(f"/pauses/{pause.minted['jti']}/links", {}).status >= 400


def test_a_repeated_mint_writes_nothing_back(terminal: Terminal) -> None:
    handlers = terminal.world.handlers
    pause = answered(terminal, idempotency_key="erased-and-repeated")
    erased(terminal, pause)
    reply = handlers.post("/pauses", pause.request)
    assert reply.status in (409, 410)
    deployment = terminal.world.deployment
    items = [deployment.item(key) for key in (deployment.request_key(pause), deployment.turn_key(pause))]
    assert [set(item) for item in items] == [{"pk", "sk", "sha256", "ttl"}] * 2


def test_an_undeliverable_answer_can_be_erased_and_is_then_not_delivered(terminal: Terminal) -> None:
    world = terminal.world
    pause = world.handlers.pause(waiter=body_of(world.tasks.start()))
    with world.deployment.probe.failing(SendTaskSuccess=aws_error("TaskTimedOut")):
        world.handlers.post("/resume", pause.resume())
    assert erased(terminal, pause).code == 0
    assert world.handlers.redrive(pause.minted["jti"]).said == (409, "not-redrivable")


@pytest.mark.parametrize("failing", ["DeleteObjects", "PutItem"])
def test_an_erasure_that_was_interrupted_goes_on_and_a_second_one_finds_nothing(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    pause = answered(terminal, large=True)
    deployment = terminal.world.deployment
    with monkeypatch.context() as patch:
        patch.setattr(StackOperator, "client", _failing(failing))
        broken = erased(terminal, pause)
    assert broken.code == 1
    assert "erased_at" in deployment.item(deployment.row_key(pause))
    first = deployment.item(deployment.row_key(pause))["erased_at"]
    assert erased(terminal, pause).code == 0
    again = erased(terminal, pause).document
    assert (again["attributes"], again["records"], again["objects"]) == (0, 0, 0)
    assert deployment.item(deployment.row_key(pause))["erased_at"] == first
    assert set(deployment.item(deployment.turn_key(pause))) == {"pk", "sk", "sha256", "ttl"}


def _failing(operation: str) -> Any:
    """Return a maker of clients whose named operation is refused."""
    make = StackOperator.client

    def refuse(*, model: Any, **_: Any) -> None:
        if model.name == operation:
            raise aws_error("AccessDenied", operation=operation)

    def client(self: StackOperator, service: str) -> Any:
        made = make(self, service)
        made.meta.events.register("before-call", refuse)
        return made

    return client


def test_a_persons_name_is_replaced_everywhere_by_one_pseudonym(terminal: Terminal) -> None:
    world = terminal.world
    spelt = " Zoe@Example.com "
    handlers = world.handlers
    people = {
        "approvers": ["zoe@example.com", "bob"],
        "recipients": ["ZOE@example.com"],
        "requester": "Zoe@example.com",
    }
    first, second = handlers.pause(**people), handlers.pause()
    revoking = handlers.post(f"/pauses/{first.minted['jti']}/links/revoke", {"recipient": "ZOE@example.com"})
    assert revoking.status == 200, revoking.document
    handlers.post("/resume", first.resume(answerer="zoe@EXAMPLE.com"))
    handlers.post("/resume", second.resume(answerer="zoe@example.com"))
    ran = terminal.run("--json", "erase", "--person", spelt, "--yes")
    pseudonym = ran.document["pseudonym"]
    # Rows that other tests have damaged are listed, and nothing is done to them.
    assert ran.document | {"unreadable": []} == {
        "pseudonym": pseudonym, "erased": True, "rows": 2, "open": [], "unreadable": [], "changed": [],
    }  # fmt: skip
    row = world.row(first)
    assert [each["S"] for each in row["approvers"]] == [pseudonym, "bob"]
    assert [each["S"] for each in row["recipients"]] == [pseudonym]
    assert [each["S"] for each in row["revoked_links"]] == [pseudonym]
    assert (row["requester"], row["answered_by"]) == (pseudonym, pseudonym)
    assert world.row(second)["answered_by"] == pseudonym
    # The row can still be read, so its hash is that of the new names.
    assert terminal.run("--json", "show", first.minted["jti"]).document["answered_by"] == pseudonym
    outcome = {"pause_token": first.minted["pause_token"], "scope": first.request["scope"]}
    assert handlers.post("/outcomes", outcome).document["answered_by"] == pseudonym
    assert terminal.run("--json", "erase", "--person", "zoe@example.com", "--yes").document["rows"] == 0
    assert not stored(terminal, "zoe@", "Zoe@", "ZOE@")


def test_the_name_is_replaced_in_steps_and_changes_too(terminal: Terminal) -> None:
    world, name = terminal.world, "yves@example.com"
    escalation = [{"after_seconds": 600, "to": ["Yves@example.com"]}, {"after_seconds": 900, "to": ["cyd"]}]
    pause = world.handlers.pause(approvers=[name, "bob"], recipients=["bob"], escalation=escalation)
    passed = world.handlers.post(f"/pauses/{pause.minted['jti']}/reassign", {"from": name, "to": "eve"})
    assert passed.status == 200, passed.document
    world.handlers.post("/resume", pause.resume(answerer="bob"))
    ran = terminal.run("--json", "erase", "--person", name, "--yes")
    assert (ran.document["rows"], ran.document["changed"]) == (1, [])
    shown = terminal.run("--json", "show", pause.minted["jti"]).document
    assert (shown["status"], shown["asked"]) == ("answered", ["bob", "eve"])
    assert not stored(terminal, "yves@", "Yves@")


def test_the_same_person_gets_the_same_pseudonym_later_and_another_salt_gives_another(terminal: Terminal) -> None:
    world = terminal.world

    def pseudonym_of(name: str) -> Any:
        pause = world.handlers.pause()
        world.handlers.post("/resume", pause.resume(answerer=name))
        return terminal.run("--json", "erase", "--person", name, "--yes").document["pseudonym"]

    assert pseudonym_of("kim") == pseudonym_of("KIM") != pseudonym_of("lou")
    before = pseudonym_of("kim")
    world.deployment.delete(ERASURE_SALT_KEY)
    assert pseudonym_of("kim") != before


def test_open_pauses_of_a_person_are_left_and_named(terminal: Terminal) -> None:
    world = terminal.world
    pause, ended = world.handlers.pause(recipients=["max"]), world.handlers.pause()
    world.handlers.post("/resume", ended.resume(answerer="max"))
    ran = terminal.run("erase", "--person", "max", "--yes")
    assert ran.code == 1
    assert "in 1 rows" in ran.out
    assert pause.minted["jti"] in ran.out
    assert "askback revoke" in ran.out
    world.handlers.revoke(pause.minted["jti"])
    assert terminal.run("--json", "erase", "--person", "max", "--yes").document["open"] == []
    assert not stored(terminal, "'max'")


def test_rows_that_cannot_be_read_are_named_and_left(terminal: Terminal) -> None:
    world = terminal.world
    pause = world.handlers.pause()
    key = world.deployment.row_key(pause)
    whole = world.deployment.item(key)
    world.deployment.put(whole | {"status": {"S": "parked"}})
    ran = terminal.run("--json", "erase", "--person", "a person", "--yes")
    world.deployment.put(whole)
    assert ran.code == 1
    assert pause.minted["jti"] in ran.document["unreadable"]


@pytest.mark.parametrize("name", ["policy", " LINK ", "", "  "])
def test_what_is_no_name_of_a_person_is_refused(terminal: Terminal, name: str) -> None:
    ran = terminal.run("erase", "--person", name, "--yes")
    assert (ran.code, ran.out) == (1, "")
    assert "must be the name of a person" in ran.err


def test_erasures_have_lines_with_the_operator_and_without_the_erased_name(terminal: Terminal) -> None:
    world = terminal.world
    pause = answered(terminal)
    stream = TableStream(world.deployment)
    erased(terminal, pause)
    terminal.run("erase", "--person", ADA, "--yes")
    lines = stream.audited(world.handlers, pause)
    assert [line["decision"] for line in lines] == ["erased", "renamed"]
    operator = boto3.client("sts").get_caller_identity()["Arn"]
    assert {line["erased_by"] for line in lines} == {operator}
    assert lines[1]["answered_by"].startswith("erased-")
    assert ADA not in json.dumps(lines[1])
    assert lines[1]["answer_hash"] == lines[0]["answer_hash"] is not None


def test_the_mark_of_a_legacy_token_can_be_erased(terminal: Terminal) -> None:
    """It has no call, so it has no records."""
    deployment = terminal.world.deployment
    pause = answered(terminal)
    row = deployment.item(deployment.row_key(pause))
    for name in ("run_id", "tool_call_id", "interrupt_id"):
        row[name] = {"S": ""}
    deployment.put(row)
    assert erased(terminal, pause).document["records"] == 0


def test_a_mint_cannot_fill_a_record_that_was_already_gone(terminal: Terminal) -> None:
    pause = answered(terminal, idempotency_key="gone-before-it-was-erased")
    deployment = terminal.world.deployment
    deployment.delete(deployment.request_key(pause))
    erased(terminal, pause)
    assert terminal.world.handlers.post("/pauses", pause.request).status in (409, 410)
    assert "data" not in deployment.item(deployment.request_key(pause))


def test_the_reason_of_the_program_that_revoked_its_question_goes_too(terminal: Terminal) -> None:
    reason = "grund-des-widerrufs"
    pause = terminal.world.handlers.pause()
    terminal.world.handlers.post(f"/pauses/{pause.minted['jti']}/revoke", {"reason": reason})
    assert stored(terminal, reason) == [reason]
    assert erased(terminal, pause).code == 0
    assert stored(terminal, reason) == []
    assert "revoked_reason" not in terminal.world.handlers.get(f"/pauses/{pause.minted['jti']}").document


def test_a_question_that_was_replaced_can_be_erased_and_the_newer_one_stays(terminal: Terminal) -> None:
    handlers = terminal.world.handlers
    pause = handlers.pause()
    newer = handlers.post("/pauses", a_mint(scope=pause.request["scope"], supersedes=pause.minted["jti"])).document
    assert erased(terminal, pause).code == 0
    require_problem(handlers.post("/questions", {"answer_token": pause.minted["answer_token"]}), 410, "erased")
    assert handlers.post("/questions", {"answer_token": newer["answer_token"]}).document["status"] == "issued"


def test_what_people_asked_back_and_its_reply_go_too(terminal: Terminal) -> None:
    texts = ("frage-zurueck", "antwort-darauf")
    pause = terminal.world.handlers.pause(about={"takes_questions": True})
    handlers, path = terminal.world.handlers, f"/pauses/{pause.minted['jti']}"
    asked = {"answer_token": pause.minted["answer_token"], "question": texts[0]}
    assert handlers.post("/clarifications", asked).status == 201
    assert handlers.post(f"{path}/clarifications", {"number": 1, "reply": texts[1]}).status == 200
    assert handlers.post(f"{path}/revoke", {}).status == 200
    assert sorted(stored(terminal, *texts)) == sorted(texts)
    assert erased(terminal, pause).code == 0
    assert stored(terminal, *texts) == []
    assert handlers.get(path).document["questions"] == {"asked": 1, "open": 0}
    (said,) = handlers.post(f"{path}/clarifications", {}).document["clarifications"]
    assert (said["question"], said["reply"]) == (None, None)
