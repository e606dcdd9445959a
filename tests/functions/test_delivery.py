"""An answer's way to the run that waits, by the real functions over AWS: tasks, callbacks, functions and a bus."""

import json
from typing import Any

import pytest

from tests.support.answer_kinds import ANSWER_KINDS
from tests.support.aws_probe import aws_error
from tests.support.problems import require_problem
from tests.support.request_bodies import Pause, a_mint
from tests.support.waiting_world import KINDS, World, body_of

SEND = {
    "tasks": "SendTaskSuccess",
    "callbacks": "SendDurableExecutionCallbackSuccess",
    "functions": "Invoke",
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_by_link_reaches_the_run_at_once(world: World, kind: str) -> None:
    runs = world.runs(kind)
    waiter = runs.start()
    pause = world.handlers.pause(waiter=body_of(waiter))
    receipt = world.handlers.post("/answers", pause.answer())
    assert (receipt.status, receipt.document["delivery"]) == (200, "delivered")
    how, text = runs.outcome(waiter)
    outcome = json.loads(text)
    assert (how, outcome["delivery_id"]) == ("success", pause.minted["jti"])
    assert outcome["response"] == receipt.document["response"]
    assert outcome["turn_reference"]["checkpoint_id"] == pause.minted["checkpoint_id"]
    assert "messages" not in text
    assert world.row(pause)["status"] == "delivered"
    assert world.sweep(after=3600)["done"] == {}


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_that_could_not_be_delivered_is_delivered_by_the_sweep(world: World, kind: str) -> None:
    """A-33: the person has been told that it was accepted."""
    runs = world.runs(kind)
    waiter = runs.start()
    pause = world.handlers.pause(waiter=body_of(waiter))
    with world.deployment.probe.failing(**{SEND[kind]: aws_error("ThrottlingException")}):
        receipt = world.handlers.post("/answers", pause.answer())
    assert (receipt.status, receipt.document["delivery"]) == (200, "pending")
    assert world.sweep(after=59)["done"] == {}
    assert world.sweep(after=1)["done"] == {"Delivered": 1}
    assert json.loads(runs.outcome(waiter)[1])["response"] == receipt.document["response"]
    again = world.handlers.post("/answers", pause.answer())
    assert (again.document["replayed"], again.document["delivery"]) == (True, "delivered")


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_attempt_that_fails_is_logged_with_its_reason_and_its_pause(
    world: World, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """As a failed attempt of the sweep is; the line has no address, no token and no answer."""
    runs = world.runs(kind)
    waiter = runs.start()
    pause = world.handlers.pause(waiter=body_of(waiter))
    caplog.clear()
    with world.deployment.probe.failing(**{SEND[kind]: aws_error("ThrottlingException", operation=SEND[kind])}):
        world.handlers.post("/resume", pause.resume())
    (line,) = [vars(record) for record in caplog.records if record.levelname == "WARNING"]
    assert (line["message"], line["code"]) == ("DeliveryPending", "store-unavailable")
    assert line["reason"].startswith(f"{SEND[kind]} on a {waiter.kind.value} waiter at ")
    for secret in (waiter.address, pause.minted["pause_token"], "Approve"):
        assert not secret or secret not in str(line)
    assert world.sweep(after=60)["done"] == {"Delivered": 1}
    assert runs.outcome(waiter)[0] == "success"


@pytest.mark.parametrize("kind", KINDS)
def test_a_pause_without_an_answer_ends_the_wait_of_the_run_with_expired(world: World, kind: str) -> None:
    runs = world.runs(kind)
    waiter = runs.start()
    pause = world.handlers.pause(waiter=body_of(waiter))
    assert world.sweep(after=3600)["done"] == {"Expired": 1, "ExpirySettled": 1}
    how, text = runs.outcome(waiter)
    assert (how, json.loads(text)["outcome"]) == ("failure", "expired")
    require_problem(world.handlers.post("/answers", pause.answer()), 410, "expired")
    outcome = {"pause_token": pause.minted["pause_token"], "scope": pause.request["scope"]}
    require_problem(world.handlers.post("/outcomes", outcome), 410, "expired")


def test_the_default_answer_reaches_the_run_marked_as_given_by_policy(world: World) -> None:
    waiter = world.tasks.start()
    default = {"policy": "default", "response": {"answers": [{"selections": ["Reject"]}]}}
    world.handlers.pause(waiter=body_of(waiter), on_expiry=default)
    assert world.sweep(after=3600)["done"] == {"AnsweredByPolicy": 1, "Delivered": 1}
    how, text = world.tasks.outcome(waiter)
    outcome = json.loads(text)
    assert (how, outcome["by_policy"], outcome["answered_by"]) == ("success", True, "policy")
    assert outcome["response"]["answers"][0]["selections"] == ["Reject"]


@pytest.mark.parametrize("kind", ["tasks", "callbacks"])
def test_an_answer_to_a_run_that_has_ended_is_refused_and_consumes_nothing(world: World, kind: str) -> None:
    """A-21: named and final over HTTP and directly; a new waiter can still be given the very same answer."""
    runs: Any = world.runs(kind)
    waiter, later = runs.start(), runs.start()
    pause = world.handlers.pause(waiter=body_of(waiter), idempotency_key=waiter.address[-40:])
    runs.end(waiter)
    require_problem(world.handlers.post("/answers", pause.answer()), 410, "waiter-gone")
    assert world.handlers.refused("resume", pause.resume())["code"] == "waiter-gone"
    assert world.row(pause)["status"] == "issued"
    retried = world.handlers.post("/pauses", {**pause.request, "waiter": body_of(later)})
    assert (retried.status, retried.document["jti"]) == (201, pause.minted["jti"])
    assert world.handlers.post("/answers", pause.answer()).document["delivery"] == "delivered"
    assert runs.outcome(later)[0] == "success"


def test_a_service_that_cannot_say_whether_the_run_waits_spends_nothing(world: World) -> None:
    pause = world.handlers.pause(waiter=body_of(world.tasks.start()))
    with world.deployment.probe.failing(SendTaskHeartbeat=aws_error("ThrottlingException")):
        require_problem(world.handlers.post("/answers", pause.answer()), 503, "store-unavailable")
    assert world.handlers.redeems(pause)


def test_an_answer_that_the_run_could_not_take_is_too_large_before_anything_is_spent(world: World) -> None:
    """A-23."""
    paging = world.load(registry=ANSWER_KINDS)
    waiter = world.tasks.start()
    request = a_mint(name="free_text", payload={"text": "?"}, waiter=body_of(waiter))
    pause = Pause(request=request, minted=paging.post("/pauses", request).document)
    require_problem(paging.post("/resume", pause.resume(response="a" * 262_144)), 413, "bad-request")
    taken = paging.post("/resume", pause.resume(response="a" * 200_000))
    assert (taken.status, taken.document["delivery"]) == (200, "delivered")
    assert len(json.loads(world.tasks.outcome(waiter)[1])["response"]) == 200_000


def test_a_large_answer_is_delivered_by_the_sweep_from_where_it_is_kept(world: World) -> None:
    paging = world.load(registry=ANSWER_KINDS)
    waiter = world.tasks.start()
    request = a_mint(name="free_text", payload={"text": "?"}, waiter=body_of(waiter))
    pause = Pause(request=request, minted=paging.post("/pauses", request).document)
    with world.deployment.probe.failing(SendTaskSuccess=aws_error("ThrottlingException")):
        assert paging.post("/resume", pause.resume(response="a" * 50_000)).document["delivery"] == "pending"
    assert "response" not in world.row(pause)
    assert world.sweep(after=60)["done"] == {"Delivered": 1}
    assert json.loads(world.tasks.outcome(waiter)[1])["response"] == "a" * 50_000


def test_with_a_waiter_a_turn_that_cannot_be_kept_means_no_pause(world: World) -> None:
    request = a_mint(waiter=body_of(world.tasks.start()), prompt="".join(map(str, range(20_000))), checkpoint_id="cp")
    with world.deployment.probe.failing(PutObject=aws_error("SlowDown", status=503)):
        require_problem(world.handlers.post("/pauses", request), 503, "store-unavailable")
    pause = Pause(request=request, minted=world.handlers.post("/pauses", request).document)
    assert int(world.row(pause)["issued_at"]) == world.now
    assert world.handlers.redeems(pause)


def test_a_retried_task_that_comes_after_the_answer_gets_it_at_once(world: World) -> None:
    first, later, late = world.tasks.start(), world.tasks.start(), world.tasks.start()
    request = a_mint(waiter=body_of(first), idempotency_key="retried")
    pause = Pause(request=request, minted=world.handlers.invoke("mint", request))
    # Step Functions closes the task of an attempt before it tries again.
    world.tasks.end(first)
    world.handlers.invoke("mint", {**request, "waiter": body_of(later)})
    assert world.handlers.redeems(pause)
    assert world.handlers.invoke("mint", {**request, "waiter": body_of(late)})["status"] == "delivered"
    assert world.tasks.outcome(later) == world.tasks.outcome(late)
    other = world.handlers.refused("mint", {**request, "tool_call_id": "another"})
    assert (other["code"], other["status"]) == ("pause-conflict", 409)


def test_a_second_task_that_waits_under_one_key_is_refused_and_the_first_gets_the_answer(world: World) -> None:
    """D-03: two items of a Map ask with the same key."""
    first, second = world.tasks.start(), world.tasks.start()
    request = a_mint(waiter=body_of(first), idempotency_key="the-same-key")
    pause = Pause(request=request, minted=world.handlers.invoke("mint", request))
    refused = world.handlers.refused("mint", {**request, "waiter": body_of(second)})
    assert (refused["code"], refused["status"]) == ("pause-conflict", 409)
    assert "idempotency_key" in refused["detail"]
    assert world.handlers.redeems(pause)
    assert world.tasks.outcome(first)[0] == "success"


def test_the_late_mint_of_a_task_that_was_given_up_leaves_the_newer_task_in_place(world: World) -> None:
    """D-48."""
    first, later = world.tasks.start(), world.tasks.start()
    world.tasks.end(first)
    request = a_mint(waiter=body_of(later), idempotency_key="given-up")
    pause = Pause(request=request, minted=world.handlers.invoke("mint", request))
    assert world.handlers.invoke("mint", {**request, "waiter": body_of(first)})["jti"] == pause.minted["jti"]
    assert world.handlers.redeems(pause)
    assert world.tasks.outcome(later)[0] == "success"


def test_an_event_consumer_hears_of_the_answer_and_fetches_it(world: World) -> None:
    pause = world.handlers.pause(waiter={"kind": "event"})
    receipt = world.handlers.post("/answers", pause.answer())
    assert receipt.document["delivery"] == "delivered"
    heard = world.listener.heard()
    assert sorted(event["detail-type"] for event in heard) == ["PauseAnswered", "PauseDelivered", "PauseIssued"]
    assert {event["detail"]["jti"] for event in heard} == {pause.minted["jti"]}
    body = {"pause_token": pause.minted["pause_token"], "scope": pause.request["scope"]}
    outcome = world.handlers.post("/outcomes", body)
    assert outcome.status == 200
    assert outcome.document["response"] == receipt.document["response"]
    assert outcome.document["turn"]["messages"] == pause.request["messages"]
    assert outcome.document["replayed"] is True


def test_a_bus_that_does_not_answer_delays_the_delivery_by_event_and_loses_nothing(world: World) -> None:
    pause = world.handlers.pause(waiter={"kind": "event"})
    with world.deployment.probe.failing(PutEvents=aws_error("InternalException", status=500)):
        assert world.handlers.post("/answers", pause.answer()).document["delivery"] == "pending"
    assert [event["detail-type"] for event in world.listener.heard()] == ["PauseIssued"]
    assert world.sweep(after=60)["done"] == {"Delivered": 1}
    assert {event["detail-type"] for event in world.listener.heard()} == {"PauseAnswered", "PauseDelivered"}


def test_a_deployment_without_a_bus_refuses_an_event_consumer_at_mint(world: World) -> None:
    request = a_mint(waiter={"kind": "event"})
    refused = world.load(ASKBACK_EVENT_BUS="").post("/pauses", request)
    require_problem(refused, 400, "bad-request")
    assert [error["field"] for error in refused.document["errors"]] == ["waiter.kind"]
