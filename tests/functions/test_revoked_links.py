"""An operator revokes the link of one recipient: this link is void on every route, and every other one stays good."""

from typing import Any

import pytest

from askback.domain.pause.claims import Audience
from tests.functions.inbox import OLGA
from tests.support.function_deployment import Answer, Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import Pause
from tests.support.waiting_world import World, body_of

PEOPLE = ["ada@example.com", "bob@example.com"]
ADA, BOB = PEOPLE


def revoke(handlers: Handlers, pause: Pause, recipient: object = ADA, **over: Any) -> Answer:
    return handlers.post(f"/pauses/{pause.minted['jti']}/links/revoke", {"recipient": recipient, **over})


def token_of(pause: Pause, recipient: str) -> str:
    (token,) = [each["answer_token"] for each in pause.minted["recipients"] if each["recipient"] == recipient]
    return str(token)


def long_token_of(deployment: Deployment, pause: Pause, recipient: str) -> str:
    """Return the token of this recipient's link as earlier versions issued it."""
    claims = deployment.claims(pause.minted["pause_token"])
    return deployment.sign({**claims, "aud": Audience.ANSWER.value, "sub": recipient})


def test_the_link_is_void_on_every_route_for_people_and_every_other_stays_good(
    deployment: Deployment, handlers: Handlers
) -> None:
    pause = handlers.pause(recipients=PEOPLE)
    revoked = revoke(handlers, pause)
    assert (revoked.status, revoked.document["revoked_links"], revoked.document["status"]) == (200, [ADA], "issued")
    for token in (token_of(pause, ADA), long_token_of(deployment, pause, ADA)):
        answer = pause.answer(answer_token=token)
        require_problem(handlers.post("/questions", {"answer_token": token}), 410, "link-revoked")
        require_problem(handlers.post("/answers", answer), 410, "link-revoked")
        # The link is void, not the person: but this request has nothing else.
        require_problem(handlers.post("/user/answers", answer), 410, "link-revoked")
        direct = {"action": "answer", "scope": pause.request["scope"], **answer}
        assert handlers.refused("resume", direct)["code"] == "link-revoked"
        assert handlers.refused("resume", {"action": "question", "answer_token": token})["code"] == "link-revoked"
    for token in (token_of(pause, BOB), pause.minted["answer_token"], pause.minted["pause_token"]):
        assert handlers.post("/questions", {"answer_token": token}).status == 200
    answered = handlers.post("/answers", pause.answer(answer_token=token_of(pause, BOB)))
    assert answered.document["answered_by"] == BOB


def test_the_link_stays_void_after_the_end(handlers: Handlers) -> None:
    pause = handlers.pause(recipients=PEOPLE)
    revoke(handlers, pause)
    handlers.post("/answers", pause.answer(answer_token=token_of(pause, BOB)))
    require_problem(handlers.post("/questions", {"answer_token": token_of(pause, ADA)}), 410, "link-revoked")


def test_a_person_who_signs_in_is_not_their_link(handlers: Handlers) -> None:
    pause = handlers.pause(recipients=["ada"], approvers=["ada"])
    revoke(handlers, pause, "ada")
    answered = handlers.post("/user/answers", pause.answer())
    assert (answered.document["answered_by"], answered.document["assurance"]) == ("ada", "signed_in")


def test_a_second_request_gets_the_same_reply_and_another_spelling_is_the_same_person(handlers: Handlers) -> None:
    pause = handlers.pause(recipients=PEOPLE)
    first, again = revoke(handlers, pause), revoke(handlers, pause, " ADA@Example.com ")
    assert (again.status, again.document) == (200, first.document)
    direct = {"action": "revoke-link", "jti": pause.minted["jti"], "recipient": ADA, "operator": "olga"}
    assert handlers.invoke("inbox", direct) == first.document
    assert handlers.get(f"/pauses/{pause.minted['jti']}").document == first.document
    both = revoke(handlers, pause, BOB).document
    assert both["revoked_links"] == PEOPLE


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"recipient": "eve@example.com"}, "recipient"),
        ({"recipient": ""}, "recipient"),
        ({"recipient": None}, "recipient"),
        ({"recipient": "a" * 257}, "recipient"),
        ({}, "recipient"),
        ({"recipient": ADA, "operator": "eve"}, "operator"),
        ({"recipient": ADA, "jti": "x"}, "jti"),
    ],
    ids=str,
)
def test_a_wrong_request_is_refused_with_its_field(handlers: Handlers, body: dict[str, Any], field: str) -> None:
    pause = handlers.pause(recipients=PEOPLE)
    refused = handlers.post(f"/pauses/{pause.minted['jti']}/links/revoke", body)
    assert refused.said == (400, "bad-request")
    assert [error["field"] for error in refused.document["errors"]] == [field]
    assert handlers.post("/questions", {"answer_token": token_of(pause, ADA)}).status == 200


def test_a_pause_that_has_ended_says_how(world: World) -> None:
    handlers = world.handlers
    answered, revoked, expired = (handlers.pause(recipients=PEOPLE, ttl_seconds=600) for _ in range(3))
    handlers.post("/answers", answered.answer(answer_token=token_of(answered, ADA)))
    handlers.revoke(revoked.minted["jti"])
    require_problem(revoke(handlers, answered), 409, "already-answered")
    require_problem(revoke(handlers, revoked), 410, "revoked")
    require_problem(handlers.post("/pauses/unknown/links/revoke", {"recipient": ADA}), 404, "unknown-pause")
    world.now += 600
    require_problem(revoke(handlers, expired), 410, "expired")
    world.sweep()
    require_problem(revoke(handlers, expired), 410, "expired")


def test_no_new_link_is_issued_for_this_recipient(world: World) -> None:
    pause = world.handlers.pause(recipients=PEOPLE, idempotency_key="revoked-link")
    revoke(world.handlers, pause)
    path = f"/pauses/{pause.minted['jti']}/links"
    given = world.handlers.post(path, {}).document
    assert [each["recipient"] for each in given["recipients"]] == [BOB]
    # The number of a recipient in a token does not change.
    assert given["recipients"][0]["answer_token"] == token_of(pause, BOB)
    refused = world.handlers.post(path, {"recipients": [BOB, ADA]})
    assert refused.document["errors"] == [
        {"field": "recipients[1]", "message": "is a recipient whose link was revoked"}
    ]
    # The same mint with `ReturnLinks`, in the second of the first one and later.
    for later in (0, 9):
        world.now += later
        again = world.handlers.post("/pauses", pause.request).document
        assert [each["recipient"] for each in again["recipients"]] == [BOB]


def test_a_waiter_that_comes_after_the_revocation_gets_the_answer_and_the_link_stays_void(world: World) -> None:
    pause = world.handlers.pause(recipients=PEOPLE, idempotency_key="revoked-then-waits")
    revoke(world.handlers, pause)
    waiter = world.tasks.start()
    world.handlers.post("/pauses", {**pause.request, "waiter": body_of(waiter)})
    require_problem(
        world.handlers.post("/answers", pause.answer(answer_token=token_of(pause, ADA))), 410, "link-revoked"
    )
    answered = world.handlers.post("/answers", pause.answer(answer_token=token_of(pause, BOB))).document
    assert (answered["answered_by"], answered["delivery"]) == (BOB, "delivered")


def test_a_revocation_is_one_read_and_one_write_and_an_answer_by_a_link_makes_no_further_call(world: World) -> None:
    pause = world.handlers.pause(recipients=PEOPLE)
    with world.deployment.probe.counting() as calls:
        revoke(world.handlers, pause)
    assert calls == ["BatchGetItem", "UpdateItem"]
    with world.deployment.probe.counting() as calls:
        world.handlers.post("/answers", pause.answer(answer_token=token_of(pause, BOB)))
    assert [call for call in calls if call.endswith("Item")] == ["BatchGetItem", "BatchGetItem", "UpdateItem"]


def test_a_row_that_has_lost_its_revoked_links_is_refused(world: World) -> None:
    """A damaged row never lets in a person whose link was revoked."""
    pause = world.handlers.pause(recipients=PEOPLE)
    revoke(world.handlers, pause)
    item = world.deployment.item(world.deployment.row_key(pause))
    for damaged in ({"revoked_links": ...}, {"revoked_links": {"L": [{"S": BOB}]}}, {"revoked_links": {"S": ADA}}):
        changed = {name: value for name, value in {**item, **damaged}.items() if value is not ...}
        world.deployment.put(changed)
        require_problem(
            world.handlers.post("/questions", {"answer_token": token_of(pause, ADA)}), 424, "row-unreadable"
        )
    world.deployment.put(item)


def test_the_log_says_who_revoked_and_has_no_name_of_a_recipient(world: World) -> None:
    pause = world.handlers.pause(recipients=PEOPLE)
    start = len(world.deployment.output.getvalue())
    revoke(world.handlers, pause)
    revoke(world.handlers, pause)
    said = world.deployment.output.getvalue()[start:]
    assert OLGA in said
    assert pause.minted["jti"] in said
    assert ADA not in said
    assert ('"message":"LinkRevoked"' in said, '"message":"LinkRevocationReplayed"' in said) == (True, True)
