"""The operator's routes by the real function: a scope's list, one pause, its revocation and its second delivery."""

import json
from typing import Any

import pytest

from askback.domain.errors import StoreUnavailable
from askback.domain.pause.minter import minter_hash
from tests.functions.inbox import OLGA, given_up, listed
from tests.support.aws_probe import aws_error
from tests.support.function_deployment import LOCAL_ARN, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import a_scope
from tests.support.waiting_world import KINDS, LONG_AGO, World, body_of


def test_a_scope_that_nothing_was_asked_in_has_an_empty_list(handlers: Handlers) -> None:
    answer = listed(handlers, a_scope())
    assert (answer.status, answer.document) == (200, {"pauses": [], "next": None, "looked_at": 0})


def test_the_list_has_open_pauses_first_and_says_of_each_what_an_inbox_shows(world: World) -> None:
    scope, start = a_scope(), world.now
    first, second = (world.handlers.pause(scope=scope, ttl_seconds=3600 + number) for number in range(2))
    world.now += 100
    third = world.handlers.pause(scope=scope)
    world.handlers.post("/resume", first.resume())
    world.handlers.pause()
    lines = listed(world.handlers, scope).document["pauses"]
    assert [(line["jti"], line["status"]) for line in lines] == [
        (second.minted["jti"], "issued"),
        (third.minted["jti"], "issued"),
        (first.minted["jti"], "answered"),
    ]
    assert lines[0] == {
        "jti": second.minted["jti"],
        "name": "ask_user",
        "status": "issued",
        "scope_label": " / ".join(scope.values()),
        "run_id": second.request["run_id"],
        "requester": None,
        "recipients": [],
        "issued_at": second.minted["issued_at"],
        "expires_at": second.minted["expires_at"],
        "age_seconds": 100,
    }
    assert start >= LONG_AGO


def test_the_pages_make_the_list_one_query_and_one_read_of_its_rows_each(world: World) -> None:
    scope = a_scope()
    pauses = [world.handlers.pause(scope=scope).minted["jti"] for _ in range(5)]
    found: list[str] = []
    over: dict[str, Any] = {"limit": 2}
    with world.deployment.probe.counting() as calls:
        while True:
            page = listed(world.handlers, scope, **over).document
            found += [line["jti"] for line in page["pauses"]]
            if page["next"] is None:
                break
            over["next"] = page["next"]
    assert sorted(found) == sorted(pauses)
    assert calls == ["Query", "BatchGetItem"] * 3


def test_one_pause_is_shown_with_everything_that_is_no_secret(world: World) -> None:
    waiter = world.tasks.start()
    pause = world.handlers.pause(waiter=body_of(waiter), remind_after_seconds=600, pin="v7")
    shown = world.handlers.get(f"/pauses/{pause.minted['jti']}")
    ids = ("jti", "name", "run_id", "session_id", "thread_id", "checkpoint_id", "tool_call_id", "interrupt_id")
    assert shown.status == 200
    assert shown.document == {
        **{name: pause.minted[name] for name in (*ids, "issued_at", "expires_at")},
        "scope_hash": world.deployment.claims(pause.minted["pause_token"])["scope_hash"],
        "status": "issued",
        "key_id": "initial",
        "pin": "v7",
        "minted_by": minter_hash(LOCAL_ARN),
        "turn_recorded": True,
        "waiter": "step_functions",
        "attempts": 0,
        "given_up": False,
        "due_at": shown.document["remind_at"],
        "remind_at": shown.document["remind_at"],
        "answered_at": None,
        "answered_by": None,
        "by_policy": False,
        "assurance": None,
        "least_assurance": "stated",
        "revoked_links": [],
        "revoked_at": None,
        "revoked_by": None,
        "erased_at": None,
    }
    assert shown.document == world.handlers.invoke("inbox", {"action": "show", "jti": pause.minted["jti"]})
    world.handlers.post("/resume", pause.resume(answerer="ada"))
    after = world.handlers.get(f"/pauses/{pause.minted['jti']}").document
    assert (after["status"], after["answered_by"], after["attempts"], after["due_at"]) == ("delivered", "ada", 1, None)
    assert (after["assurance"], after["by_policy"]) == ("stated", False)
    assert "Approve" not in json.dumps(after)


def test_a_revoked_pause_takes_no_answer_and_says_who_revoked_it(world: World) -> None:
    pause = world.handlers.pause()
    jti = pause.minted["jti"]
    revoked = world.handlers.revoke(jti)
    assert (revoked.status, revoked.document["status"], revoked.document["revoked_by"]) == (200, "revoked", OLGA)
    assert (revoked.document["due_at"], revoked.document["waiter"]) == (None, None)
    for path, body in (("/resume", pause.resume()), ("/answers", pause.answer())):
        require_problem(world.handlers.post(path, body), 410, "revoked")
    world.now += 50
    again = world.handlers.invoke("inbox", {"action": "revoke", "jti": jti, "operator": "somebody else"})
    assert again == revoked.document == world.handlers.get(f"/pauses/{jti}").document
    assert [event["detail-type"] for event in world.listener.heard()] == ["PauseIssued", "PauseRevoked"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_next_sweep_delivers_the_revocation_to_the_run_that_waits(world: World, kind: str) -> None:
    runs = world.runs(kind)
    waiter = runs.start()
    pause = world.handlers.pause(waiter=body_of(waiter))
    assert world.handlers.revoke(pause.minted["jti"]).document["due_at"] is not None
    assert world.sweep()["done"] == {"RevocationSettled": 1}
    how, text = runs.outcome(waiter)
    assert (how, json.loads(text)["outcome"]) == ("failure", "revoked")
    assert "olga" not in text
    assert OLGA not in text
    assert world.handlers.get(f"/pauses/{pause.minted['jti']}").document["due_at"] is None


def test_a_revocation_that_cannot_be_delivered_is_delivered_later(world: World) -> None:
    waiter = world.tasks.start()
    pause = world.handlers.pause(waiter=body_of(waiter))
    world.handlers.revoke(pause.minted["jti"])
    with world.deployment.probe.failing(SendTaskFailure=aws_error("ThrottlingException")):
        assert world.sweep()["done"] == {"DeliveryRetried": 1}
    assert world.sweep(after=60)["done"] == {"RevocationSettled": 1}
    assert world.tasks.outcome(waiter)[0] == "failure"


def test_a_pause_that_has_ended_cannot_be_revoked(world: World) -> None:
    answered, expired = world.handlers.pause(), world.handlers.pause(ttl_seconds=60)
    receipt = world.handlers.post("/resume", answered.resume()).document
    refused = world.handlers.revoke(answered.minted["jti"])
    require_problem(refused, 409, "already-answered")
    assert refused.document["answered_at"] == receipt["answered_at"]
    world.now += 60
    for _ in range(2):
        require_problem(world.handlers.revoke(expired.minted["jti"]), 410, "expired")
        world.sweep()


def test_an_announcement_that_gets_lost_does_not_undo_a_revocation(world: World) -> None:
    pause = world.handlers.pause()
    with world.deployment.probe.failing(PutEvents=aws_error("ThrottlingException")):
        assert world.handlers.revoke(pause.minted["jti"]).status == 200
    assert world.row(pause)["status"] == "revoked"


@pytest.mark.parametrize("operation", ["BatchGetItem", "UpdateItem"])
def test_a_store_that_does_not_answer_leaves_the_pause_open(world: World, operation: str) -> None:
    pause = world.handlers.pause()
    with world.deployment.probe.failing(**{operation: aws_error("ThrottlingException")}):
        require_problem(world.handlers.revoke(pause.minted["jti"]), 503, StoreUnavailable.code)
    assert world.handlers.redeems(pause)


def test_a_revocation_whose_reply_was_lost_is_found_in_the_row_and_is_the_same_again(world: World) -> None:
    """D-52."""
    pause = world.handlers.pause(waiter=body_of(world.tasks.start()))
    with world.deployment.probe.losing_replies(UpdateItem=aws_error("InternalServerError", status=500)):
        assert world.handlers.revoke(pause.minted["jti"]).document["status"] == "revoked"
    assert world.handlers.revoke(pause.minted["jti"]).document["status"] == "revoked"
    assert world.sweep()["done"] == {"RevocationSettled": 1}


@pytest.mark.parametrize("kind", KINDS)
def test_an_undeliverable_answer_is_delivered_once_more_when_an_operator_says_so(world: World, kind: str) -> None:
    waiter, pause = given_up(world, kind)
    jti = pause.minted["jti"]
    redriven = world.handlers.redrive(jti)
    assert (redriven.status, redriven.document["status"], redriven.document["attempts"]) == (200, "answered", 0)
    assert redriven.document["due_at"] is not None
    assert world.sweep()["done"] == {"Delivered": 1}
    assert world.runs(kind).outcome(waiter)[0] == "success"
    require_problem(world.handlers.redrive(jti), 409, "not-redrivable")
    refused = world.handlers.refused("inbox", {"action": "redrive", "jti": jti})
    assert "delivered" in refused["detail"]


def test_a_redrive_whose_reply_was_lost_is_done_and_the_next_one_says_that_it_is_under_way(world: World) -> None:
    """D-52."""
    _, pause = given_up(world, "tasks")
    with world.deployment.probe.losing_replies(UpdateItem=aws_error("InternalServerError", status=500)):
        assert world.handlers.redrive(pause.minted["jti"]).status == 200
    refused = world.handlers.redrive(pause.minted["jti"])
    require_problem(refused, 409, "not-redrivable")
    assert "answered" in refused.document["detail"]
    assert world.sweep()["done"] == {"Delivered": 1}


def test_a_run_that_ended_without_its_answer_is_never_called_told(world: World) -> None:
    waiter, pause = given_up(world, "tasks")
    world.tasks.end(waiter)
    for _ in range(2):
        assert world.handlers.redrive(pause.minted["jti"]).status == 200
        assert world.sweep()["done"] == {"Undeliverable": 1}
