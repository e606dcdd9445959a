"""A reader who has the open question already gets its status and times alone; all else is as without `seen`."""

from typing import Any

import pytest

from tests.support.function_deployment import Answer
from tests.support.problems import require_problem
from tests.support.request_bodies import Pause
from tests.support.waiting_world import World

SHOWN = {"unchanged", "jti", "status", "expires_at", "answered_at", "ended_at", "by_policy"}


@pytest.fixture
def pause(world: World) -> Pause:
    return world.handlers.pause(recipients=["ada", "bob"], ttl_seconds=600)


def token_of(pause: Pause, recipient: str = "") -> str:
    named = {each["recipient"]: each["answer_token"] for each in pause.minted["recipients"]}
    return str({**named, "": pause.minted["answer_token"]}[recipient])


def asked(world: World, token: str, seen: Any) -> Answer:
    return world.handlers.post("/questions", {"answer_token": token, "seen": seen})


def hash_of(world: World, token: str) -> str:
    return str(world.handlers.post("/questions", {"answer_token": token}).document["request_hash"])


@pytest.mark.parametrize("recipient", ["ada", ""])
def test_while_it_is_open_the_reply_has_the_status_and_the_times_alone(
    world: World, pause: Pause, recipient: str
) -> None:
    token = token_of(pause, recipient)
    whole = world.handlers.post("/questions", {"answer_token": token}).document
    reply = asked(world, token, whole["request_hash"])
    assert (reply.status, set(reply.document)) == (200, SHOWN)
    assert {**whole, "unchanged": True} == {**whole, **reply.document}
    assert len(str(reply.document)) < 300


def test_it_consumes_nothing_and_needs_no_stored_question(world: World, pause: Pause) -> None:
    token = token_of(pause)
    seen = hash_of(world, token)
    world.deployment.delete(world.deployment.request_key(pause))
    assert [asked(world, token, seen).document["unchanged"] for _ in range(3)] == [True] * 3


def test_another_question_than_the_seen_one_is_shown_in_full(world: World, pause: Pause) -> None:
    token = token_of(pause)
    whole = world.handlers.post("/questions", {"answer_token": token}).document
    for seen in ("0" * 64, "", "\ud83d", None):
        assert asked(world, token, seen).document == whole


@pytest.mark.parametrize("recipient", ["ada", "bob", ""])
@pytest.mark.parametrize("how", ["answered", "revoked"])
def test_after_the_end_the_reply_is_that_without_it(world: World, pause: Pause, how: str, recipient: str) -> None:
    token = token_of(pause, recipient)
    seen = hash_of(world, token)
    if how == "answered":
        assert world.handlers.post("/answers", pause.answer(answer_token=token_of(pause, "ada"))).status == 200
    else:
        world.handlers.revoke(pause.minted["jti"])
    reply = asked(world, token, seen).document
    assert (reply["status"], "unchanged" in reply) == (how, False)
    assert reply == world.handlers.post("/questions", {"answer_token": token}).document


def test_after_its_time_it_is_expired_before_and_after_the_sweep(world: World, pause: Pause) -> None:
    seen = hash_of(world, token_of(pause))
    world.now += 600
    require_problem(asked(world, token_of(pause), seen), 410, "expired")
    world.now += 60
    world.sweep()
    require_problem(asked(world, token_of(pause), seen), 410, "expired")


def test_a_revoked_link_is_refused(world: World, pause: Pause) -> None:
    seen = hash_of(world, token_of(pause, "ada"))
    world.handlers.post(f"/pauses/{pause.minted['jti']}/links/revoke", {"recipient": "ada"})
    assert asked(world, token_of(pause, "ada"), seen).document["code"] == "link-revoked"
    assert asked(world, token_of(pause, "bob"), seen).document["unchanged"] is True


def test_a_seen_that_is_no_text_is_refused_with_its_name(world: World, pause: Pause) -> None:
    reply = asked(world, token_of(pause), 5)
    require_problem(reply, 400, "bad-request")
    assert [each["field"] for each in reply.document["errors"]] == ["seen"]
