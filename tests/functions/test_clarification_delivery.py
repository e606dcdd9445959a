"""A question back reaches the program that asked, and its reply reaches the people; nothing ends by it."""

import json
from typing import Any

import pytest

from tests.support.aws_probe import aws_error
from tests.support.clarifications import INVOICE, WHY, a_pause, ask, asked, reply
from tests.support.function_deployment import Deployment
from tests.support.legacy_token import legacy_token
from tests.support.memory_deployment import KEY_RING
from tests.support.problems import require_problem
from tests.support.recorded_output import Recorded
from tests.support.request_bodies import SCOPE
from tests.support.several import YES, Several
from tests.support.table_stream import TableStream
from tests.support.waiting_world import KINDS, World, body_of


def heard(world: World, kind: str) -> list[dict[str, Any]]:
    return [event["detail"] for event in world.listener.heard() if event["detail-type"] == kind]


def answer(world: World, several: Several, person: str) -> Any:
    shown = several.question(person)["request_hash"]
    body = {"answer_token": several.link(person), "response": YES, "request_hash": shown}
    return world.handlers.post("/answers", body)


@pytest.mark.parametrize("kind", KINDS)
def test_a_function_gets_the_question_and_every_run_gets_the_answer_alone(world: World, kind: str) -> None:
    runs = world.runs(kind)
    waiter = runs.start()
    several = a_pause(world.handlers, quorum=None, waiter=body_of(waiter))
    assert ask(several).status == 201
    if kind == "functions":
        how, text = runs.outcome(waiter)
        question = json.loads(text)
        assert (question["outcome"], question["question"], question["asked_by"]) == ("questioned", WHY, "ada")
        assert question["delivery_id"] == f"{several.minted['jti']}/questions/1"
    reply(several)
    assert answer(world, several, "ada").document["delivery"] == "delivered"
    how, text = runs.outcome(waiter)
    assert (how, json.loads(text)["outcome"]) == ("success", "answered")
    assert world.sweep(after=3600)["done"] == {}


def test_the_events_have_the_number_of_the_change_and_nothing_that_was_said(world: World) -> None:
    several = a_pause(world.handlers)
    ask(several)
    reply(several)
    events = world.listener.heard()
    assert [event["detail-type"] for event in events] == ["PauseIssued", "PauseQuestioned", "PauseClarified"]
    assert [event["detail"].get("change") for event in events] == [None, 1, 2]
    assert WHY not in json.dumps(events)
    assert INVOICE not in json.dumps(events)
    assert "ada" not in json.dumps(events[1:])


def test_a_question_that_was_not_announced_is_announced_by_the_sweep(world: World) -> None:
    several = a_pause(world.handlers)
    with world.deployment.probe.failing(PutEvents=aws_error("InternalFailure", status=500)):
        assert ask(several).status == 201
    assert heard(world, "PauseQuestioned") == []
    assert world.sweep(after=61)["done"] == {"ChangeAnnounced": 1}
    assert [event["change"] for event in heard(world, "PauseQuestioned")] == [1]
    assert world.sweep(after=61)["done"] == {}


def test_a_function_that_fails_gets_the_question_later_and_does_not_keep_the_pause_from_people(world: World) -> None:
    waiter = world.functions.start()
    over = {"waiter": body_of(waiter), "ttl_seconds": 7200, "escalation": [{"after_seconds": 3700, "to": ["fay"]}]}
    several = a_pause(world.handlers, quorum=None, **over)
    with world.deployment.probe.failing(Invoke=aws_error("TooManyRequestsException", status=429)):
        assert ask(several).status == 201
        assert world.sweep(after=61)["done"] == {"RowFailed": 1}
    assert world.sweep()["done"] == {"ChangeAnnounced": 1}
    assert json.loads(world.functions.outcome(waiter)[1])["outcome"] == "questioned"
    with world.deployment.probe.failing(Invoke=aws_error("ResourceNotFoundException", status=404)):
        assert ask(several, question="And why now?").status == 201
        assert world.sweep(after=61)["done"] == {"RowFailed": 1}
        assert world.sweep(after=3600)["done"] == {"ChangeAnnounced": 1}
        assert world.sweep()["done"] == {"Escalated": 1, "ChangeAnnounced": 1}


def test_a_vote_that_the_reply_overtakes_is_refused_and_not_recorded(world: World) -> None:
    several = a_pause(world.handlers)
    ask(several)
    with world.deployment.probe.overtaken("UpdateItem", lambda: reply(several)):
        require_problem(several.vote("bob"), 409, "question-changed")
    assert several.question("bob")["votes"] == []


def test_an_answer_that_the_reply_overtakes_is_not_accepted(world: World) -> None:
    several = a_pause(world.handlers, quorum=None)
    ask(several)
    body = {"answer_token": several.link("bob"), "response": YES}
    with world.deployment.probe.overtaken("UpdateItem", lambda: reply(several)):
        first = world.handlers.post("/answers", body)
    assert first.said == (503, "store-unavailable")
    require_problem(world.handlers.post("/answers", body), 409, "question-changed")
    assert answer(world, several, "bob").status == 200


def test_a_question_that_an_answer_overtakes_is_refused(world: World) -> None:
    several = a_pause(world.handlers, quorum=None)

    def decide() -> None:
        assert world.handlers.post("/answers", {"answer_token": several.link("bob"), "response": YES}).status == 200

    with world.deployment.probe.overtaken("UpdateItem", decide):
        require_problem(ask(several), 409, "already-answered")
    assert asked(several).document["clarifications"] == []


def test_two_people_who_ask_at_the_same_time_both_ask(world: World) -> None:
    several = a_pause(world.handlers)
    with world.deployment.probe.overtaken("UpdateItem", lambda: ask(several, "bob", "And why now?")):
        assert ask(several).document["number"] == 2
    assert [each["by"] for each in asked(several).document["clarifications"]] == ["bob", "ada"]


def test_each_question_and_reply_is_a_line_of_the_log_of_decisions(world: World, deployment: Deployment) -> None:
    stream = TableStream(deployment)
    several = a_pause(world.handlers, quorum=None)
    ask(several)
    reply(several)
    known = several.question("ada")["request_hash"]
    assert answer(world, several, "ada").status == 200
    lines = stream.audited(world.handlers, several.pause)
    assert [(line["decision"], line["changed_by"]) for line in lines] == [
        ("issued", None),
        ("questioned", "ada"),
        ("clarified", "asker"),
        ("answered", None),
    ]
    assert [line["known_hash"] for line in lines] == [None, None, known, known]
    assert len({line["text_hash"] for line in lines}) == 3
    assert not {WHY, INVOICE} & {str(value) for line in lines for value in line.values()}


def test_each_line_of_the_log_has_the_pause_and_nothing_that_was_said(world: World, recorded: Recorded) -> None:
    several = a_pause(world.handlers)
    ask(several)
    asked(several)
    reply(several)
    lines = {entry.get("message"): entry for entry in recorded.entries()}
    for what in ("PauseQuestioned", "ClarificationsRead", "PauseClarified"):
        assert lines[what]["jti"] == several.minted["jti"]
    assert not {WHY, INVOICE} & {str(value) for entry in recorded.entries() for value in entry.values()}


def test_a_pause_of_the_legacy_engine_takes_no_question_and_is_not_passed_on(world: World) -> None:
    handlers = world.load(ASKBACK_KEY_SECRET_ID="", ASKBACK_LOCAL_KEY_RING=KEY_RING)
    pause = handlers.pause(messages=..., checkpoint_id="legacy acts")
    world.deployment.leave_as_legacy(pause)
    body = {"answer_token": legacy_token(pause, KEY_RING), "scope": SCOPE, "answerer": "ada"}
    for action, field, value in (("ask-back", "question", WHY), ("delegate", "to", "eve")):
        refused = handlers.refused("resume", {**body, "action": action, field: value})
        assert [error["field"] for error in refused["errors"]] == [field]
    assert handlers.invoke("resume", pause.resume(action="answer", pause_token=body["answer_token"]))["jti"]
