"""After the end, a link shows how and when; the question is shown to the recipient alone for whom the link was made."""

from typing import Any

import pytest

from askback.domain.pause.claims import Audience
from tests.support.function_deployment import Answer, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import Pause, a_question
from tests.support.waiting_world import World

ASKED = "a question that only its people read"
SHOWN = {"jti", "status", "expires_at", "answered_at", "ended_at", "by_policy"}
"""What a link without a recipient shows after the end: the status, the times, and nothing of the question."""


@pytest.fixture
def pause(world: World) -> Pause:
    question = a_question(question=ASKED)
    default = {"policy": "default", "response": {"answers": [{"selections": ["Reject"]}]}}
    return world.handlers.pause(
        payload={"questions": [question]}, recipients=["ada", "bob"], requester="olga", on_expiry=default
    )


def links_of(pause: Pause) -> dict[str, str]:
    named = {each["recipient"]: each["answer_token"] for each in pause.minted["recipients"]}
    return {**named, "": pause.minted["answer_token"]}


def shown(handlers: Handlers, token: str) -> Answer:
    return handlers.post("/questions", {"answer_token": token})


def end(world: World, pause: Pause, how: str) -> None:
    world.now += 60
    if how == "answered":
        answer = pause.answer(answer_token=links_of(pause)["ada"])
        assert world.handlers.post("/answers", answer).status == 200
    elif how == "revoked":
        world.handlers.revoke(pause.minted["jti"])
    else:
        world.now += 3600
        world.sweep()


@pytest.mark.parametrize("how", ["answered", "revoked", "by default"])
def test_a_link_without_a_recipient_shows_the_status_and_the_times_alone(world: World, pause: Pause, how: str) -> None:
    before = shown(world.handlers, links_of(pause)[""]).document
    assert (before["ended_at"], before["payload"]["questions"][0]["question"]) == (None, ASKED)
    end(world, pause, how)
    reply = shown(world.handlers, links_of(pause)[""])
    assert (reply.status, set(reply.document)) == (200, SHOWN)
    status = "revoked" if how == "revoked" else "answered"
    assert (reply.document["status"], reply.document["by_policy"]) == (status, how == "by default")
    assert reply.document["ended_at"] is not None
    assert (reply.document["answered_at"] is None) is (how == "revoked")


@pytest.mark.parametrize("how", ["answered", "revoked", "by default"])
def test_a_recipient_still_reads_the_question_and_when_it_ended(world: World, pause: Pause, how: str) -> None:
    end(world, pause, how)
    without = shown(world.handlers, links_of(pause)[""]).document
    for recipient in ("ada", "bob"):
        reply = shown(world.handlers, links_of(pause)[recipient]).document
        assert reply["payload"]["questions"][0]["question"] == ASKED
        assert {name: reply[name] for name in SHOWN} == without
    # A backend has the pause token, which gives it the outcome too.
    assert shown(world.handlers, pause.minted["pause_token"]).document["payload"]["questions"][0]["question"] == ASKED


def test_a_long_token_of_an_earlier_version_shows_no_more(world: World, pause: Pause) -> None:
    claims = world.deployment.claims(pause.minted["pause_token"])
    token = world.deployment.sign({**claims, "aud": Audience.ANSWER.value})
    end(world, pause, "answered")
    assert set(shown(world.handlers, token).document) == SHOWN


def test_a_question_whose_time_is_over_says_when_it_ended(world: World) -> None:
    pause = world.handlers.pause(ttl_seconds=60, recipients=["ada"])
    for passed in (60, 30):
        world.now += passed
        for token in links_of(pause).values():
            for reply in (
                shown(world.handlers, token),
                world.handlers.post("/answers", pause.answer(answer_token=token)),
            ):
                require_problem(reply, 410, "expired")
                assert reply.document["expired_at"] == pause.minted["expires_at"]
        world.sweep()


def test_what_ended_is_shown_also_when_its_question_is_no_longer_stored(world: World, pause: Pause) -> None:
    end(world, pause, "answered")
    world.deployment.delete(world.deployment.request_key(pause))
    assert set(shown(world.handlers, links_of(pause)[""]).document) == SHOWN
    require_problem(shown(world.handlers, links_of(pause)["ada"]), 424, "payload-missing")


def test_the_reply_has_nothing_of_the_question(world: World, pause: Pause) -> None:
    end(world, pause, "answered")
    text = str(shown(world.handlers, links_of(pause)[""]).document)
    hidden: list[Any] = [ASKED, "olga", "ada", pause.request["run_id"], "acme", "ask_user"]
    assert [each for each in hidden if each in text] == []
