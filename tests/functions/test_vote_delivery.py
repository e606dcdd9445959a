"""A decision by several people reaches the run that waits: once, at its end, with every vote."""

import json
from collections import Counter
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from askback.domain.delivery.outcome_text import FAILURE_MAX_CHARACTERS
from tests.support.aws_probe import aws_error
from tests.support.problems import require_problem
from tests.support.several import NO, YES, Several
from tests.support.waiting_world import KINDS, World, body_of

TWO = {"needed": 2}


@pytest.mark.parametrize("kind", KINDS)
def test_the_run_gets_the_decision_once_and_at_the_last_vote(world: World, kind: str) -> None:
    runs = world.runs(kind)
    waiter = runs.start()
    several = Several(world.handlers, TWO, waiter=body_of(waiter))
    first = several.vote("ada", {**YES, "comment": "Checked"})
    assert (first.status, first.document["delivery"]) == (202, "pending")
    last = several.vote("bob")
    assert (last.status, last.document["delivery"]) == (200, "delivered")
    how, text = runs.outcome(waiter)
    outcome = json.loads(text)
    assert (how, outcome["response"], outcome["answered_by"]) == ("success", last.document["response"], "bob")
    assert [(vote["by"], vote["comment"]) for vote in outcome["votes"]] == [("ada", "Checked"), ("bob", None)]
    assert several.vote("ada", {**YES, "comment": "Checked"}).document["delivery"] == "delivered"
    assert world.sweep(after=3600)["done"] == {}


@pytest.mark.parametrize("person", ["ada", "bob"])
def test_a_vote_whose_reply_was_lost_is_counted_once_and_delivered_once(world: World, person: str) -> None:
    waiter = world.tasks.start()
    several = Several(world.handlers, TWO, waiter=body_of(waiter))
    for each in ("ada", "bob"):
        if each == person:
            with world.deployment.probe.losing_replies(UpdateItem=ReadTimeoutError(endpoint_url="https://table")):
                lost = several.vote(each)
            assert lost.document["replayed"] is False
        else:
            several.vote(each)
        assert several.vote(each).document["replayed"] is True
    outcome = json.loads(world.tasks.outcome(waiter)[1])
    assert Counter(vote["by"] for vote in outcome["votes"]) == {"ada": 1, "bob": 1}


def test_a_vote_that_another_one_overtakes_is_counted_anew(world: World) -> None:
    several = Several(world.handlers, {"needed": 3})
    several.vote("ada")
    with world.deployment.probe.overtaken("UpdateItem", lambda: several.vote("bob")):
        last = several.vote("cyd")
    assert (last.status, [vote["by"] for vote in last.document["votes"]]) == (200, ["ada", "bob", "cyd"])


def test_a_vote_that_a_veto_overtakes_is_refused(world: World) -> None:
    several = Several(world.handlers, TWO)
    several.vote("ada")
    with world.deployment.probe.overtaken("UpdateItem", lambda: several.vote("bob", NO)):
        require_problem(several.vote("cyd"), 409, "already-answered")
    assert several.outcome().document["response"]["decision"] == "reject"


def test_a_vote_that_the_revocation_of_its_link_overtakes_is_refused(world: World) -> None:
    several = Several(world.handlers, TWO)

    def revoke() -> None:
        path = f"/pauses/{several.minted['jti']}/links/revoke"
        assert world.handlers.post(path, {"recipient": "ada"}).status == 200

    with world.deployment.probe.overtaken("UpdateItem", revoke):
        require_problem(several.vote("ada"), 410, "link-revoked")
    assert several.vote("bob").status == 202
    assert several.vote_signed_in("ada").status == 200


def test_the_last_vote_for_a_run_that_was_replaced_meanwhile_can_be_sent_again(world: World) -> None:
    waiter, later = world.tasks.start(), world.tasks.start()
    several = Several(world.handlers, TWO, waiter=body_of(waiter), idempotency_key=waiter.address[-40:])
    several.vote("ada")

    def replace() -> None:
        world.tasks.end(waiter)
        assert world.handlers.post("/pauses", {**several.request, "waiter": body_of(later)}).status == 201

    with world.deployment.probe.overtaken("UpdateItem", replace):
        require_problem(several.vote("bob"), 503, "store-unavailable")
    assert several.vote("bob").document["delivery"] == "delivered"
    assert len(json.loads(world.tasks.outcome(later)[1])["votes"]) == 2


def test_a_run_that_has_ended_takes_no_vote(world: World) -> None:
    waiter = world.tasks.start()
    several = Several(world.handlers, TWO, waiter=body_of(waiter))
    several.vote("ada")
    world.tasks.end(waiter)
    require_problem(several.vote("bob"), 410, "waiter-gone")
    assert several.question("cyd")["quorum"]["voted"] == 1


def test_a_retried_run_gets_the_decision_with_the_votes_of_before(world: World) -> None:
    waiter, later = world.tasks.start(), world.tasks.start()
    several = Several(world.handlers, TWO, waiter=body_of(waiter), idempotency_key=waiter.address[-40:])
    several.vote("ada")
    world.tasks.end(waiter)
    assert world.handlers.post("/pauses", {**several.request, "waiter": body_of(later)}).status == 201
    assert several.vote("bob").document["delivery"] == "delivered"
    assert len(json.loads(world.tasks.outcome(later)[1])["votes"]) == 2


def test_the_end_of_the_time_tells_the_run_which_votes_were_given(world: World) -> None:
    waiter = world.tasks.start()
    several = Several(world.handlers, {"needed": 4, "veto": False}, waiter=body_of(waiter))
    several.vote("ada", {**YES, "comment": "Checked"})
    several.vote("bob", NO)
    assert world.sweep(after=3600)["done"] == {"Expired": 1, "ExpirySettled": 1}
    how, text = world.tasks.outcome(waiter)
    outcome = json.loads(text)
    assert (how, outcome["outcome"]) == ("failure", "expired")
    assert [(vote["by"], vote["decision"]) for vote in outcome["votes"]] == [("ada", "approve"), ("bob", "reject")]


def test_long_comments_do_not_keep_the_end_of_the_time_from_the_run(world: World) -> None:
    """Step Functions refuses a longer cause, and the run would wait until its own timeout."""
    people = [f"person-{number}" for number in range(20)]
    waiter = world.tasks.start()
    several = Several(world.handlers, {"needed": 20}, approvers=people, recipients=people[:1], waiter=body_of(waiter))
    for person in people[:19]:
        assert several.vote_signed_in(person, {**YES, "comment": "x" * 2000}).status == 202
    assert world.sweep(after=3600)["done"] == {"Expired": 1, "ExpirySettled": 1}
    how, text = world.tasks.outcome(waiter)
    assert (how, len(json.loads(text)["votes"])) == ("failure", 19)
    assert len(text) <= FAILURE_MAX_CHARACTERS
    assert {vote["comment"] for vote in json.loads(text)["votes"]} == {None}


def test_an_answer_that_is_too_large_for_a_vote_is_refused_and_can_be_shortened(world: World) -> None:
    several = Several(world.handlers, TWO)
    refused = several.vote("ada", {**YES, "comment": "語" * 2000})
    require_problem(refused, 422, "answer-invalid")
    assert [error["field"] for error in refused.document["errors"]] == ["response"]
    assert several.vote("ada", {**YES, "comment": "語" * 700}).status == 202


def test_events_say_how_far_it_is_and_name_no_person(world: World) -> None:
    several = Several(world.handlers, {"needed": 3, "hidden": True})
    world.listener.heard()
    several.vote("ada", {**YES, "comment": "Checked"})
    several.vote("ada", {**YES, "comment": "Checked"})
    several.vote("bob", NO)
    events = [event for event in world.listener.heard() if event["detail"]["jti"] == several.minted["jti"]]
    said = [(event["detail-type"], event["detail"]["quorum"]["approved"]) for event in events]
    assert said == [("PauseVoted", None), ("PauseAnswered", 1)]
    for secret in ("ada", "bob", "Checked", "Lovelace"):
        assert secret not in json.dumps([event["detail"] for event in events])


def test_no_comment_and_no_name_is_in_the_log_of_a_vote(world: World, caplog: pytest.LogCaptureFixture) -> None:
    several = Several(world.handlers, TWO)
    caplog.clear()
    several.vote("eve", {**YES, "comment": "Checked twice"})
    (line,) = [vars(record) for record in caplog.records if record.message == "VoteRecorded"]
    lines: list[dict[str, Any]] = [vars(record) for record in caplog.records]
    assert line["levelname"] == "INFO"
    for secret in ("Checked twice", several.link("eve"), "Lovelace"):
        assert secret not in str(lines)


def test_a_throttled_vote_is_not_recorded_and_can_be_sent_again(world: World) -> None:
    several = Several(world.handlers, TWO)
    with world.deployment.probe.failing(UpdateItem=aws_error("ThrottlingException")):
        require_problem(several.vote("ada"), 503, "store-unavailable")
    assert several.question("bob")["quorum"]["voted"] == 0
    assert several.vote("ada").document["replayed"] is False
