"""Operators move deadlines and pass questions on, and steps of an escalation are done: what people and callers see."""

import json
from typing import Any

import pytest

from askback.domain.timestamps import epoch_seconds, rfc3339
from tests.functions.inbox import OLGA
from tests.support.function_deployment import Deployment
from tests.support.operator_terminal import Terminal, row_of
from tests.support.problems import require_problem
from tests.support.request_bodies import Pause, a_mint
from tests.support.table_stream import TableStream
from tests.support.waiting_world import World, body_of

ADA, BOB, EVE, CFO = (f"{name}@example.com" for name in ("ada", "bob", "eve", "cfo"))
PEOPLE: dict[str, Any] = {"approvers": [ADA, BOB], "recipients": [ADA, BOB]}
LONGER: dict[str, Any] = {"ttl_seconds": 3600, "max_ttl_seconds": 7200}
ESCALATION = [
    {"after_seconds": 600, "to": [CFO]},
    {"after_seconds": 1200, "to": [EVE, CFO], "mode": "replace"},
]


@pytest.fixture
def stream(deployment: Deployment) -> TableStream:
    return TableStream(deployment)


def change(world: World, pause: Pause, what: str, body: dict[str, Any]) -> Any:
    return world.handlers.post(f"/pauses/{pause.minted['jti']}/{what}", body)


def tokens(world: World, pause: Pause) -> dict[str, str]:
    links = world.handlers.post(f"/pauses/{pause.minted['jti']}/links", {}).document
    return {each["recipient"]: each["answer_token"] for each in links["recipients"]}


def later(world: World, seconds: int) -> str:
    return rfc3339(world.now + seconds)


def test_a_moved_deadline_is_in_every_reply_and_the_link_stays_the_same(world: World) -> None:
    pause = world.handlers.pause(**LONGER, recipients=[ADA])
    until = later(world, 7200)
    extended = change(world, pause, "extend", {"expires_at": until})
    assert (extended.status, extended.document["expires_at"], extended.document["due_at"]) == (200, until, until)
    assert extended.document["latest_expires_at"] == until
    (ada,) = pause.minted["recipients"]
    world.now += 3700
    assert world.sweep()["done"] == {}
    shown = world.handlers.post("/questions", {"answer_token": ada["answer_token"]})
    assert (shown.status, shown.document["expires_at"]) == (200, until)
    poll = {"answer_token": ada["answer_token"], "seen": shown.document["request_hash"]}
    assert world.handlers.post("/questions", poll).document["expires_at"] == until
    answered = world.handlers.post("/answers", pause.answer(answer_token=ada["answer_token"]))
    assert (answered.status, answered.document["answered_by"]) == (200, ADA)


def test_seconds_count_from_now_and_the_same_time_again_changes_nothing(world: World) -> None:
    pause = world.handlers.pause(**LONGER)
    first = change(world, pause, "extend", {"extend_seconds": 5000})
    assert first.document["expires_at"] == later(world, 5000)
    again = change(world, pause, "extend", {"expires_at": first.document["expires_at"]})
    assert (again.status, again.document) == (200, first.document)
    direct = {"action": "extend", "jti": pause.minted["jti"], "extend_seconds": 5000, "operator": "olga"}
    assert world.handlers.invoke("inbox", direct) == first.document
    heard = [event["detail-type"] for event in world.listener.heard()]
    assert heard == ["PauseIssued", "PauseExtended"]


@pytest.mark.parametrize(
    ("over", "body", "field", "text"),
    [
        ({}, {"extend_seconds": 7000}, "extend_seconds", "minted without max_ttl_seconds"),
        (LONGER, {"extend_seconds": 7201}, "extend_seconds", "as max_ttl_seconds of the mint says"),
        (LONGER, {"extend_seconds": 60}, "extend_seconds", "the present deadline"),
        (LONGER, {"extend_seconds": 0}, "extend_seconds", "from 1 to"),
        (LONGER, {"extend_seconds": "60"}, "extend_seconds", ""),
        (LONGER, {}, "expires_at", "must be given"),
        (LONGER, {"expires_at": "2026-12-01T09:30:00Z", "extend_seconds": 60}, "expires_at", "must be given"),
        (LONGER, {"expires_at": "tomorrow"}, "expires_at", "RFC 3339"),
        (LONGER, {"expires_at": "2026-12-01T09:30:00"}, "expires_at", "RFC 3339"),
        (LONGER, {"expires_at": "9999-12-31T23:59:59Z"}, "expires_at", "at most"),
        (LONGER, {"extend_seconds": 7000, "operator": "eve"}, "operator", ""),
    ],
)
def test_a_deadline_that_cannot_be_is_refused_with_its_field(
    world: World, over: dict[str, Any], body: dict[str, Any], field: str, text: str
) -> None:
    pause = world.handlers.pause(**over)
    refused = change(world, pause, "extend", body)
    assert refused.said == (400, "bad-request")
    ((named, message),) = [(error["field"], error["message"]) for error in refused.document["errors"]]
    assert (named, text in message) == (field, True), message


def test_another_person_is_asked_and_gets_a_link_of_their_own(world: World) -> None:
    pause = world.handlers.pause(**PEOPLE)
    passed = change(world, pause, "reassign", {"from": ADA, "to": EVE})
    assert (passed.status, passed.document["asked"], passed.document["revoked_links"]) == (200, [BOB, EVE], [ADA])
    (made,) = passed.document["changes"]
    assert made == {"kind": "reassigned", "at": later(world, 0), "by": OLGA, "added": [EVE]}
    again = change(world, pause, "reassign", {"from": ADA, "to": EVE})
    assert (again.status, again.document) == (200, world.handlers.get(f"/pauses/{pause.minted['jti']}").document)
    ada, bob = (each["answer_token"] for each in pause.minted["recipients"])
    now = tokens(world, pause)
    assert (set(now), now[BOB]) == ({BOB, EVE}, bob)
    require_problem(world.handlers.post("/answers", pause.answer(answer_token=ada)), 410, "link-revoked")
    require_problem(world.handlers.post("/resume", pause.resume(answerer=ADA)), 403, "answerer-not-allowed")
    shown = world.handlers.post("/questions", {"answer_token": now[EVE]}).document
    assert (shown["asked_because"], shown["escalated"], shown["asked_people"]) == ("reassigned", 0, 2)
    assert world.handlers.post("/answers", pause.answer(answer_token=now[EVE])).document["answered_by"] == EVE
    require_problem(change(world, pause, "reassign", {"from": BOB, "to": CFO}), 409, "already-answered")
    heard = world.listener.heard()
    assert [event["detail-type"] for event in heard] == ["PauseIssued", "PauseReassigned", "PauseAnswered"]
    assert EVE not in json.dumps(heard)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"from": CFO, "to": EVE}, "from"),
        ({"from": ADA, "to": BOB}, "to"),
        ({"from": ADA, "to": ""}, "to"),
        ({"from": ADA, "to": "policy"}, "to"),
        ({"from": ADA}, "to"),
        ({"to": EVE}, "from"),
        ({"from": ADA, "to": EVE, "operator": "eve"}, "operator"),
    ],
)
def test_people_who_cannot_be_exchanged_are_refused_with_the_field(
    world: World, body: dict[str, Any], field: str
) -> None:
    pause = world.handlers.pause(**PEOPLE)
    refused = change(world, pause, "reassign", body)
    assert refused.said == (400, "bad-request")
    assert [error["field"] for error in refused.document["errors"]] == [field]


def test_the_floor_of_the_stack_holds_for_the_person_who_is_asked_instead(world: World) -> None:
    handlers = world.load(ASKBACK_MINT_FLOOR='{"*": {"recipients": ["*@example.com"]}}')
    pause = handlers.pause(**PEOPLE)
    path = f"/pauses/{pause.minted['jti']}/reassign"
    refused = handlers.post(path, {"from": ADA, "to": "eve@evil.example"})
    assert [error["field"] for error in refused.document["errors"]] == ["to"]
    assert handlers.post(path, {"from": ADA, "to": EVE}).status == 200


@pytest.mark.parametrize(
    ("over", "timeout", "field"),
    [
        ({"ttl_seconds": 3600}, 3601, None),
        ({"ttl_seconds": 3600}, 3600, "ttl_seconds"),
        ({"ttl_seconds": 600, "max_ttl_seconds": 3600}, 3601, None),
        ({"ttl_seconds": 600, "max_ttl_seconds": 3600}, 3600, "max_ttl_seconds"),
        ({"ttl_seconds": 600}, 0, "ttl_seconds"),
    ],
)
def test_no_deadline_is_later_than_the_wait_of_the_run(
    world: World, over: dict[str, Any], timeout: int, field: str | None
) -> None:
    waiter = {**body_of(world.tasks.start()), "timeout_seconds": timeout}
    minted = world.handlers.post("/pauses", a_mint(**over, waiter=waiter))
    assert [error["field"] for error in minted.document.get("errors", [])] == ([field] if field else [])
    assert minted.status == (400 if field else 201)


@pytest.mark.parametrize("waiter", [{"kind": "event"}, {"kind": "none"}])
def test_a_waiter_whose_wait_cannot_end_has_no_time_out(world: World, waiter: dict[str, Any]) -> None:
    refused = world.handlers.post("/pauses", a_mint(waiter={**waiter, "timeout_seconds": 9000}))
    assert [error["field"] for error in refused.document["errors"]] == ["waiter.timeout_seconds"]


def test_steps_are_done_in_their_order_and_each_is_announced_once(world: World) -> None:
    pause = world.handlers.pause(**PEOPLE, ttl_seconds=3600, escalation=ESCALATION)
    path = f"/pauses/{pause.minted['jti']}"
    shown = world.handlers.get(path).document
    assert (shown["asked"], shown["steps_left"], shown["next_step_at"]) == ([ADA, BOB], 2, later(world, 600))
    assert world.sweep(after=600)["done"] == {"Escalated": 1, "ChangeAnnounced": 1}
    assert world.sweep()["done"] == {}
    (cfo,) = set(tokens(world, pause)) - {ADA, BOB}
    question = world.handlers.post("/questions", {"answer_token": tokens(world, pause)[cfo]}).document
    assert (question["asked_because"], question["escalated"]) == ("escalated", 1)
    first = world.handlers.post("/questions", {"answer_token": pause.minted["recipients"][0]["answer_token"]})
    assert (first.document["asked_because"], first.document["escalated"]) == (None, 1)
    assert world.sweep(after=600)["done"] == {"Escalated": 1, "ChangeAnnounced": 1}
    after = world.handlers.get(path).document
    assert (after["asked"], after["steps_left"], after["next_step_at"]) == ([CFO, EVE], 0, None)
    assert [each["added"] for each in after["changes"]] == [[CFO], [EVE]]
    steps = [event["detail"] for event in world.listener.heard() if event["detail-type"] == "PauseEscalated"]
    assert [step["change"] for step in steps] == [1, 2]
    assert "example.com" not in json.dumps(steps)
    for each in pause.minted["recipients"]:
        require_problem(world.handlers.post("/questions", {"answer_token": each["answer_token"]}), 410, "link-revoked")
    answered = world.handlers.post("/answers", pause.answer(answer_token=tokens(world, pause)[EVE]))
    assert answered.document["answered_by"] == EVE


@pytest.mark.parametrize(
    ("escalation", "field"),
    [
        ([{"after_seconds": 59, "to": [CFO]}], "escalation[0].after_seconds"),
        ([{"after_seconds": 600, "to": []}], "escalation[0].to"),
        ([{"after_seconds": 600, "to": [CFO], "mode": "remove"}], "escalation.0.mode"),
        ([{"after_seconds": 600, "to": ["\ud800"]}], "escalation[0].to[0]"),
        ([{"after_seconds": 600, "to": [CFO]}] * 2, "escalation[1].after_seconds"),
    ],
)
def test_a_step_that_cannot_be_done_is_refused_at_the_mint(
    world: World, escalation: list[dict[str, Any]], field: str
) -> None:
    refused = world.handlers.post("/pauses", a_mint(**PEOPLE, escalation=escalation))
    assert refused.said == (400, "bad-request")
    assert [error["field"] for error in refused.document["errors"]] == [field]


def test_an_ordinary_pause_says_nothing_of_all_this(world: World) -> None:
    pause = world.handlers.pause(recipients=[ADA])
    shown = world.handlers.get(f"/pauses/{pause.minted['jti']}").document
    question = world.handlers.post("/questions", {"answer_token": pause.minted["answer_token"]}).document
    assert not {"asked", "changes", "steps_left", "next_step_at", "latest_expires_at"} & set(shown)
    assert not {"escalated", "asked_because"} & set(question)


def test_each_change_is_a_line_of_the_log_of_decisions(world: World, stream: TableStream) -> None:
    pause = world.handlers.pause(**PEOPLE, **LONGER, escalation=ESCALATION[:1])
    change(world, pause, "extend", {"extend_seconds": 7200})
    change(world, pause, "reassign", {"from": ADA, "to": EVE})
    world.sweep(after=600)
    lines = stream.audited(world.handlers, pause)
    assert [line["decision"] for line in lines] == ["issued", "extended", "reassigned", "escalated"]
    before, after = pause.minted["expires_at"], rfc3339(epoch_seconds(pause.minted["issued_at"]) + 7200)
    assert [(line["deadline_before"], line["deadline"]) for line in lines] == [
        (None, before), (before, after), (after, after), (after, after),
    ]  # fmt: skip


def test_the_commands_of_the_operator(terminal: Terminal) -> None:
    world = terminal.world
    pause = world.handlers.pause(**PEOPLE, **LONGER)
    jti = pause.minted["jti"]
    ran = terminal.run("extend", jti, "--by", "90m")
    assert (ran.code, ran.err, row_of(ran, "expires_at")) == (0, "", ["expires_at", later(world, 5400)])
    ran = terminal.run("extend", jti, "--until", later(world, 7200))
    assert (ran.code, row_of(ran, "expires_at")) == (0, ["expires_at", later(world, 7200)])
    refused = terminal.run("extend", jti, "--by", "3h")
    assert (refused.code, "max_ttl_seconds" in refused.err) == (1, True)
    ran = terminal.run("reassign", jti, "--from", ADA, "--to", EVE)
    assert (ran.code, ran.err, row_of(ran, "asked")) == (0, "", ["asked", f"{BOB},", EVE])
    assert "kind=reassigned" in ran.out
    for wrong in (["--by", "soon"], ["--by", "1h", "--until", later(world, 60)], [], ["--until", "tomorrow"]):
        with pytest.raises(SystemExit):
            terminal.run("extend", jti, *wrong)
