"""AWS calls of each request, counted at the clients: they are what a pause costs and how long it takes."""

from typing import Any

import pytest

from tests.support.domain_values import BUCKET_SIZED
from tests.support.function_deployment import Deployment, Handlers
from tests.support.request_bodies import SCOPE, Pause, a_mint
from tests.support.several import NO, Several


@pytest.fixture
def pause(handlers: Handlers) -> Pause:
    # Also warms both functions: the signing key is fetched once in five minutes.
    minted = handlers.pause()
    assert handlers.redeems(minted)
    return handlers.pause()


def test_a_mint_of_a_small_turn_is_three_writes(deployment: Deployment, handlers: Handlers, pause: Pause) -> None:
    with deployment.probe.counting() as calls:
        handlers.pause()
    assert calls == ["PutItem"] * 3


def test_a_mint_of_a_large_turn_is_one_object_more(deployment: Deployment, handlers: Handlers, pause: Pause) -> None:
    with deployment.probe.counting() as calls:
        handlers.pause(prompt=BUCKET_SIZED)
    assert sorted(calls) == ["PutItem", "PutItem", "PutItem", "PutObject"]
    assert calls[-1] == "PutItem"


def test_a_mint_is_one_write_more_for_each_recipient(deployment: Deployment, handlers: Handlers, pause: Pause) -> None:
    with deployment.probe.counting() as calls:
        handlers.pause(recipients=["one@example.com", "two@example.com"])
    assert calls == ["UpdateItem"] * 2 + ["PutItem"] * 3


def test_a_mint_is_one_query_more_where_the_scope_has_a_limit(deployment: Deployment) -> None:
    handlers = deployment.load(ASKBACK_MINT_FLOOR='{"*": {"open_pauses_max": 10000}}')
    handlers.pause()
    with deployment.probe.counting() as calls:
        handlers.pause()
    assert calls == ["Query"] + ["PutItem"] * 3


def test_a_mint_over_a_limit_reads_once_and_takes_back_what_it_counted(deployment: Deployment) -> None:
    handlers = deployment.load(ASKBACK_MINT_FLOOR='{"*": {"open_pauses_per_recipient_max": 1}}')
    handlers.pause(recipients=["three@example.com"])
    with deployment.probe.counting() as calls:
        refused = handlers.post("/pauses", a_mint(recipients=["four@example.com", "three@example.com"]))
    assert (refused.status, calls) == (429, ["UpdateItem", "UpdateItem", "BatchGetItem", "UpdateItem"])


def test_a_resume_is_one_read_and_one_conditional_write(
    deployment: Deployment, handlers: Handlers, pause: Pause
) -> None:
    with deployment.probe.counting() as calls:
        assert handlers.redeems(pause)
    assert calls == ["BatchGetItem", "UpdateItem"]


def test_a_replay_costs_no_more(deployment: Deployment, handlers: Handlers, pause: Pause) -> None:
    assert handlers.redeems(pause)
    with deployment.probe.counting() as calls:
        assert handlers.post("/resume", pause.resume()).document["replayed"] is True
    assert calls == ["BatchGetItem", "UpdateItem"]


def test_a_vote_is_one_read_and_one_conditional_write_and_so_is_the_last(
    deployment: Deployment, handlers: Handlers, pause: Pause
) -> None:
    several = Several(handlers, {"needed": 2})
    for person in ("ada", "bob"):
        with deployment.probe.counting() as calls:
            assert several.vote_stated(person).status in (200, 202)
        assert calls == ["BatchGetItem", "UpdateItem"]
    with deployment.probe.counting() as calls:
        assert several.vote_stated("ada").document["replayed"] is True
    assert calls == ["BatchGetItem"]


def test_a_vote_that_is_refused_is_no_write(deployment: Deployment, handlers: Handlers, pause: Pause) -> None:
    several = Several(handlers, {"needed": 2})
    several.vote_stated("ada")
    for refused in ("ada", "mallory"):
        with deployment.probe.counting() as calls:
            assert several.vote_stated(refused, NO).status in (403, 409)
        assert calls == ["BatchGetItem"]


def test_a_delegation_reads_as_an_answer_does_and_writes_the_change_and_its_note(
    deployment: Deployment, handlers: Handlers, pause: Pause
) -> None:
    several = Several(handlers, {"needed": 2}, delegates=["*"])
    body = {"action": "delegate", "answer_token": several.link("ada"), "scope": SCOPE, "answerer": "ada", "to": "zoe"}
    with deployment.probe.counting() as calls:
        assert handlers.invoke("resume", body)["replayed"] is False
    # The token of a link has only the id of its pause, so its row is read first.
    assert calls == ["BatchGetItem", "BatchGetItem", "UpdateItem", "UpdateItem"]


def test_a_mint_with_a_quorum_costs_no_more_calls(deployment: Deployment, handlers: Handlers, pause: Pause) -> None:
    with deployment.probe.counting() as calls:
        Several(handlers, {"needed": 2}, recipients=[])
    assert calls == ["PutItem"] * 3


def test_a_resume_of_a_large_turn_is_one_object_more(deployment: Deployment, handlers: Handlers, pause: Pause) -> None:
    large = handlers.pause(prompt=BUCKET_SIZED)
    with deployment.probe.counting() as calls:
        assert handlers.redeems(large)
    assert calls == ["BatchGetItem", "GetObject", "UpdateItem"]


def test_a_question_is_two_reads_and_fetches_no_turn(deployment: Deployment, handlers: Handlers, pause: Pause) -> None:
    large = handlers.pause(prompt=BUCKET_SIZED)
    with deployment.probe.counting() as calls:
        assert handlers.post("/questions", {"answer_token": large.minted["answer_token"]}).status == 200
    # The answer token has only the id of its pause, so the first read finds the place of the question.
    assert calls == ["BatchGetItem", "BatchGetItem"]


@pytest.mark.parametrize("kind", ["answer_token", "pause_token"])
def test_a_question_that_the_reader_has_already_is_one_read(
    deployment: Deployment, handlers: Handlers, pause: Pause, kind: str
) -> None:
    shown = handlers.post("/questions", {kind: pause.minted[kind]}).document
    with deployment.probe.counting() as calls:
        handlers.post("/questions", {kind: pause.minted[kind], "seen": shown["request_hash"]})
    assert calls == ["BatchGetItem"]


def test_a_refused_answer_is_no_write_at_all(deployment: Deployment, handlers: Handlers, pause: Pause) -> None:
    with deployment.probe.counting() as calls:
        assert handlers.post("/resume", pause.resume(response=pause.response("Perhaps"))).status == 422
    assert calls == ["BatchGetItem"]


@pytest.mark.parametrize(
    "over", [{"pause_token": "a.b.c"}, {"scope": {"tenant_id": "globex"}}, {"run_id": "run-other"}, {"colour": "blue"}]
)
def test_what_a_token_alone_decides_asks_no_store(
    deployment: Deployment, handlers: Handlers, pause: Pause, over: dict[str, Any]
) -> None:
    with deployment.probe.counting() as calls:
        assert handlers.post("/resume", pause.resume(**over)).status in (400, 401, 403)
    assert calls == []


def test_a_refused_mint_asks_no_store(deployment: Deployment, handlers: Handlers, pause: Pause) -> None:
    with deployment.probe.counting() as calls:
        assert handlers.post("/pauses", a_mint(ttl_seconds=1)).status == 400
        assert handlers.post("/pauses", a_mint(payload={"questions": []})).status == 400
    assert calls == []


def test_the_key_is_fetched_once_by_a_new_function(deployment: Deployment) -> None:
    handlers = deployment.load()
    with deployment.probe.counting() as calls:
        handlers.pause()
        handlers.pause()
    assert calls.count("GetSecretValue") == 1


def test_an_unknown_key_id_does_not_make_everybodys_made_up_token_a_call(
    deployment: Deployment, handlers: Handlers, pause: Pause
) -> None:
    header = "eyJhbGciOiJIUzI1NiIsImtpZCI6Im5vYm9keSJ9"
    token = ".".join([header, *pause.minted["pause_token"].split(".")[1:]])
    with deployment.probe.counting() as calls:
        for _ in range(20):
            assert handlers.post("/questions", {"answer_token": token}).status == 401
    assert calls in ([], ["GetSecretValue"])
