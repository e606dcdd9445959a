"""A person who signs in opens a question by its id, without a link: who may read it, and who may answer it."""

from typing import Any

import pytest

from tests.functions.reply_fields import SHOWN
from tests.support.function_deployment import Answer, Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import PERSON, Pause
from tests.support.waiting_world import World

SIGN_IN = "https://app.example.com/answers"
OF_LINKS = {"recipient", "link_may_answer", "sign_in_url"}


def opened(handlers: Handlers, pause: Pause, **claims: Any) -> Answer:
    return handlers.post("/user/questions", {"jti": pause.minted["jti"]}, claims={**PERSON, **claims})


def answered(handlers: Handlers, pause: Pause, **claims: Any) -> Answer:
    body = {"jti": pause.minted["jti"], "response": pause.response()}
    return handlers.post("/user/answers", body, claims={**PERSON, **claims})


def test_an_approver_reads_and_answers_by_the_id_alone(handlers: Handlers) -> None:
    pause = handlers.pause(approvers=["Ada"], least_assurance="signed_in")
    question = opened(handlers, pause)
    assert (question.status, set(question.document)) == (200, SHOWN - OF_LINKS | {"answer_as", "may_answer"})
    assert (question.document["answer_as"], question.document["may_answer"]) == ("ada", True)
    assert question.document["payload"] == pause.minted["payload"]
    receipt = answered(handlers, pause)
    assert (receipt.document["answered_by"], receipt.document["assurance"]) == ("ada", "signed_in")
    again = opened(handlers, pause).document
    assert (again["status"], again["answered_by_you"], again["may_answer"]) == ("answered", True, True)
    assert answered(handlers, pause).document == {**receipt.document, "replayed": True}


def test_a_person_who_is_no_approver_neither_reads_nor_answers(handlers: Handlers) -> None:
    pause = handlers.pause(approvers=["ada"])
    for reply in (opened(handlers, pause, sub="eve"), answered(handlers, pause, sub="eve")):
        require_problem(reply, 403, "answerer-not-allowed")
        assert "Refund" not in str(reply.document)
    assert handlers.redeems(handlers.pause())


def test_the_requester_who_may_not_answer_does_not_read_it_here(handlers: Handlers) -> None:
    pause = handlers.pause(requester="ADA ", requester_may_answer=False)
    require_problem(opened(handlers, pause), 403, "answerer-not-allowed")
    require_problem(answered(handlers, pause), 403, "answerer-not-allowed")
    assert answered(handlers, pause, sub="bob").status == 200


def test_without_approvers_any_person_of_the_scope_answers(handlers: Handlers) -> None:
    pause = handlers.pause(recipients=["bob@example.com"])
    assert opened(handlers, pause).document["may_answer"] is True
    assert answered(handlers, pause).document["answered_by"] == "ada"


@pytest.mark.parametrize("other", [{"tenant_id": "other"}, {"sub_tenant_id": "us"}, {"namespace": ""}], ids=str)
def test_another_scope_does_not_learn_whether_a_pause_exists(world: World, other: dict[str, str]) -> None:
    handlers = world.handlers
    ended = handlers.pause(ttl_seconds=60)
    handlers.post("/resume", handlers.pause().resume())
    world.now += 61
    unknown = Pause(request={}, minted={"jti": "f" * 32, "payload": ended.minted["payload"]})
    replies = [
        *(opened(handlers, each, **other) for each in (handlers.pause(), ended)),
        *(answered(handlers, each, **other) for each in (handlers.pause(), ended)),
        opened(handlers, unknown),
        answered(handlers, unknown),
    ]
    documents = [reply.document for reply in replies]
    assert [reply.said for reply in replies] == [(404, "unknown-pause")] * 6
    assert documents == [documents[0]] * 6


def test_a_weaker_sign_in_than_the_question_demands_reads_and_does_not_answer(deployment: Deployment) -> None:
    handlers = deployment.load(ASKBACK_STEP_UP_CLAIMS="amr=mfa")
    pause = handlers.pause(approvers=["ada"], least_assurance="stepped_up")
    assert opened(handlers, pause).document["may_answer"] is False
    require_problem(answered(handlers, pause), 403, "answerer-not-allowed")
    assert opened(handlers, pause, amr="[mfa]").document["may_answer"] is True
    assert answered(handlers, pause, amr="[mfa]").document["assurance"] == "stepped_up"


def test_a_pause_that_is_over_says_so(world: World) -> None:
    pause = world.handlers.pause(ttl_seconds=60)
    world.now += 60
    require_problem(opened(world.handlers, pause), 410, "expired")
    require_problem(answered(world.handlers, pause), 410, "expired")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "jti"),
        ({"jti": ""}, "jti"),
        ({"jti": "x" * 257}, "jti"),
        ({"jti": None}, "jti"),
        ({"jti": "x", "answer_token": "y"}, "answer_token"),
        ({"jti": "x", "scope": {"tenant_id": "acme"}}, "scope"),
    ],
    ids=str,
)
def test_a_wrong_request_is_refused_with_its_field(handlers: Handlers, body: dict[str, Any], field: str) -> None:
    refused = handlers.post("/user/questions", body)
    assert refused.said == (400, "bad-request")
    assert [error["field"] for error in refused.document["errors"]] == [field]


@pytest.mark.parametrize("over", [{"jti": "x", "answer_token": "y"}, {"jti": "x", "pause_token": "y"}, {}], ids=str)
def test_an_answer_names_its_pause_in_one_way(handlers: Handlers, over: dict[str, Any]) -> None:
    refused = handlers.post("/user/answers", {"response": None, **over})
    assert (refused.said, [error["field"] for error in refused.document["errors"]]) == ((400, "bad-request"), ["jti"])


def test_only_a_person_who_has_signed_in_names_a_pause_by_its_id(handlers: Handlers) -> None:
    pause = handlers.pause()
    body = {"jti": pause.minted["jti"], "response": pause.response()}
    for path in ("/answers", "/resume", "/user/resume"):
        assert handlers.post(path, {**body, "scope": pause.request["scope"]}).said == (400, "bad-request")
    assert handlers.post("/questions", {"jti": pause.minted["jti"]}).said == (400, "bad-request")
    direct = {"action": "answer", "scope": pause.request["scope"], "answerer": "ada", **body}
    assert handlers.refused("resume", direct)["code"] == "bad-request"
    assert handlers.refused("resume", {"action": "question", "jti": pause.minted["jti"]})["code"] == "bad-request"


def test_a_question_makes_no_write_and_an_answer_makes_one(world: World) -> None:
    pause = world.handlers.pause()
    with world.deployment.probe.counting() as calls:
        opened(world.handlers, pause)
    assert [call for call in calls if call.endswith("Item")] == ["BatchGetItem"] * 2
    with world.deployment.probe.counting() as calls:
        answered(world.handlers, pause)
    assert [call for call in calls if call.endswith("Item")] == ["BatchGetItem", "BatchGetItem", "UpdateItem"]


def test_a_link_that_is_not_enough_leads_to_the_sign_in_with_the_id_and_without_a_token(
    deployment: Deployment,
) -> None:
    handlers = deployment.load(ASKBACK_SIGN_IN_URL=SIGN_IN)
    pause = handlers.pause(recipients=["ada"], approvers=["ada"], least_assurance="signed_in")
    tokens = [pause.minted["answer_token"], pause.minted["recipients"][0]["answer_token"]]
    for token in tokens:
        shown = handlers.post("/questions", {"answer_token": token}).document
        assert (shown["link_may_answer"], shown["least_assurance"]) == (False, "signed_in")
        assert shown["sign_in_url"] == f"{SIGN_IN}?pause={pause.minted['jti']}"
        assert token not in shown["sign_in_url"]
    assert answered(handlers, pause).status == 200
    after = handlers.post("/questions", {"answer_token": tokens[1]}).document
    assert (after["status"], after["sign_in_url"]) == ("answered", None)


def test_a_link_that_is_enough_leads_nowhere_and_so_does_a_stack_without_the_address(
    deployment: Deployment, handlers: Handlers
) -> None:
    leading = deployment.load(ASKBACK_SIGN_IN_URL=SIGN_IN)
    enough = leading.pause()
    assert leading.post("/questions", {"answer_token": enough.minted["answer_token"]}).document["sign_in_url"] is None
    pause = handlers.pause(least_assurance="signed_in")
    assert handlers.post("/questions", {"answer_token": pause.minted["answer_token"]}).document["sign_in_url"] is None


def test_a_query_of_the_address_is_kept(deployment: Deployment) -> None:
    handlers = deployment.load(ASKBACK_SIGN_IN_URL=f"{SIGN_IN}?team=eu")
    pause = handlers.pause(least_assurance="signed_in")
    shown = handlers.post("/questions", {"answer_token": pause.minted["answer_token"]}).document
    assert shown["sign_in_url"] == f"{SIGN_IN}?team=eu&pause={pause.minted['jti']}"
