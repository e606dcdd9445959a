"""Rows that are damaged, or of a version that knows more: refused by code, named to the operator, never opened."""

import json
from typing import Any

import pytest

from tests.functions.inbox import listed
from tests.support.function_deployment import Answer
from tests.support.problems import require_problem
from tests.support.request_bodies import PERSON, Pause
from tests.support.waiting_world import World, body_of

DAMAGE: dict[str, dict[str, Any]] = {
    "no status": {"status": ...},
    "a newer status": {"status": {"S": "parked"}},
    "no expiry": {"exp": ...},
    "no run": {"run_id": ...},
    "a newer waiter": {"waiter_kind": {"S": "pigeon"}, "waiter_address": {"S": "x"}},
    "a waiter without its address": {"waiter_address": ...},
    "a due time with a fraction": {"due_at": {"N": "1.5"}},
    "another type": {"run_id": {"N": "5"}},
    "approvers gone": {"approvers": ...},
    "fewer approvers": {"approvers": {"L": []}},
    "requester let in": {"requester_excluded": ...},
    "waiter gone": {"waiter_kind": ..., "waiter_address": ...},
    "kind of the waiter gone": {"waiter_kind": ...},
    "default answer gone": {"default_response": ...},
    "another default answer": {"default_response": {"S": '{"answers":[]}'}},
}


def damage(world: World, pause: Pause, **attributes: Any) -> None:
    key = world.deployment.row_key(pause)
    item = world.deployment.item(key) | attributes
    world.deployment.put({name: value for name, value in item.items() if value is not ...})


def restricted(world: World, **over: Any) -> Pause:
    """Return a pause with a waiter that ada alone may answer."""
    people = {"approvers": ["ada"], "requester": "bob", "requester_may_answer": False}
    return world.handlers.pause(waiter=body_of(world.tasks.start()), **people, **over)


def resumed_by(world: World, pause: Pause, person: str) -> Answer:
    return world.handlers.post("/user/resume", pause.resume(), claims={**PERSON, "sub": person})


@pytest.mark.parametrize("what", DAMAGE)
def test_a_damaged_row_is_refused_by_its_code_everywhere_and_the_operator_is_told_which(
    world: World, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    """D-37, D-53, D-54: and it is answered again once it is repaired."""
    default = {"answers": [{"selections": ["Reject"]}]}
    pause = restricted(world, on_expiry={"policy": "default", "response": default})
    jti, whole = pause.minted["jti"], world.deployment.item(world.deployment.row_key(pause))
    damage(world, pause, **DAMAGE[what])
    handlers, place = world.handlers, {"pause_token": pause.minted["pause_token"], "scope": pause.request["scope"]}
    replies = [
        *(resumed_by(world, pause, person) for person in ("ada", "bob", "eve")),
        handlers.post("/questions", {"answer_token": pause.minted["answer_token"]}),
        handlers.post("/outcomes", place),
        handlers.get(f"/pauses/{jti}"),
        handlers.revoke(jti),
        handlers.redrive(jti),
    ]
    for reply in replies:
        require_problem(reply, 424, "row-unreadable")
        assert jti not in json.dumps(reply.document)
    reasons = [vars(record)["reason"] for record in caplog.records if hasattr(record, "reason")]
    assert len(reasons) == len(replies)
    assert all(jti in reason for reason in reasons)
    world.deployment.put(whole)
    assert resumed_by(world, pause, "ada").status == 200


@pytest.mark.parametrize("what", ["a newer status", "no expiry", "a due time with a fraction"])
def test_one_damaged_row_holds_up_no_other_in_the_sweep_and_in_the_list(world: World, what: str) -> None:
    """D-54, D-55."""
    bad, good = restricted(world, ttl_seconds=60), restricted(world, ttl_seconds=60)
    damage(world, bad, **DAMAGE[what])
    page = listed(world.handlers, good.request["scope"]).document["pauses"]
    found = {line["jti"]: line for line in page}
    assert found[good.minted["jti"]]["status"] == "issued"
    assert found[bad.minted["jti"]]["status"] == "unreadable"
    assert world.handlers.get("/keys").status == 200
    done = world.sweep(after=61)["done"]
    assert (done["Expired"], done["RowFailed"]) == (1, 1)
    world.deployment.delete(world.deployment.row_key(bad))


def test_a_row_of_a_version_that_wrote_no_hash_is_read_as_it_is(world: World) -> None:
    """D-53: rows of landed versions stay answerable, by whom they name."""
    pause = restricted(world)
    damage(world, pause, terms=...)
    require_problem(resumed_by(world, pause, "eve"), 403, "answerer-not-allowed")
    assert resumed_by(world, pause, "ada").status == 200
