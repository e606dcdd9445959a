"""Pauses of the version before the scope was a part of the place of records: still read, answered and minted again."""

import base64
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.function_deployment import Deployment, Handlers
from tests.support.recorded_samples import PAUSES_BEFORE_SCOPES as SAMPLE
from tests.support.request_bodies import Pause

PAUSES = {name: Pause(**pause) for name, pause in SAMPLE["pauses"].items()}
OPEN = [name for name in PAUSES if name != "answered"]
KEYED = [name for name in PAUSES if "idempotency_key" in PAUSES[name].request]
LATER = SAMPLE["now"] + 60


def response(pause: Pause) -> Any:
    return {"decision": "approve"} if pause.minted["name"] == "approval" else pause.response()


def answer(pause: Pause) -> dict[str, Any]:
    return {"answer_token": pause.minted["answer_token"], "response": response(pause)}


@pytest.fixture
def old(deployment: Deployment) -> Iterator[Deployment]:
    """Return the deployment with exactly what the version before wrote of these pauses, which is removed at the end."""
    before = {_place(item) for item in _items(deployment)}
    for item in SAMPLE["items"]:
        deployment.put(item)
    for key, found in SAMPLE["objects"].items():
        deployment.s3.put_object(Bucket=deployment.bucket, Key=key, Body=base64.b64decode(found["body"]))
    yield deployment
    for partition, key in {_place(item) for item in _items(deployment)} - before:
        deployment.delete({"pk": {"S": partition}, "sk": {"S": key}})


def _items(deployment: Deployment) -> list[dict[str, Any]]:
    pages = deployment.dynamodb.get_paginator("scan").paginate(TableName=deployment.table)
    return [dict(item) for page in pages for item in page["Items"]]


def _place(item: dict[str, Any]) -> tuple[str, str]:
    return item["pk"]["S"], item["sk"]["S"]


@pytest.fixture
def handlers(old: Deployment) -> Handlers:
    ring = {"ASKBACK_KEY_SECRET_ID": "", "ASKBACK_LOCAL_KEY_RING": SAMPLE["key_ring"]}
    return old.load(clock=lambda: LATER, **ring)


@pytest.mark.parametrize("name", OPEN)
def test_the_backend_resumes_with_its_token_in_one_read_and_one_write(
    old: Deployment, handlers: Handlers, name: str
) -> None:
    pause = PAUSES[name]
    # A pause without a turn is answered on the route that needs none.
    has_turn = pause.minted["resumable"]
    body = pause.resume(response=response(pause), **({} if has_turn else {"action": "answer"}))
    with old.probe.counting() as calls:
        reply = handlers.post("/resume", body).document if has_turn else handlers.invoke("resume", body)
    assert [call for call in calls if "Object" not in call] == ["BatchGetItem", "UpdateItem"]
    assert (reply["jti"], reply["replayed"]) == (pause.minted["jti"], False)
    assert reply.get("turn", {"messages": None})["messages"] == pause.request.get("messages")


@pytest.mark.parametrize("name", OPEN)
def test_a_person_reads_and_answers_with_the_link(handlers: Handlers, name: str) -> None:
    pause = PAUSES[name]
    for token in (pause.minted["answer_token"], pause.minted["recipients"][0]["answer_token"]):
        shown = handlers.post("/questions", {"answer_token": token})
        assert (shown.status, shown.document["payload"]) == (200, pause.minted["payload"])
    assert handlers.post("/answers", answer(pause)).status == 200


def test_an_outcome_is_fetched_with_the_answer_that_is_in_the_bucket(handlers: Handlers) -> None:
    pause = PAUSES["answered"]
    place = {"pause_token": pause.minted["pause_token"], "scope": pause.request["scope"]}
    outcome = handlers.post("/outcomes", place)
    assert (outcome.status, outcome.document["response"]["answers"][0]["selections"]) == (200, ["Approve"])
    assert outcome.document["turn"]["messages"] == pause.request["messages"]


@pytest.mark.parametrize("name", KEYED)
def test_a_mint_with_a_key_is_repeated_across_the_versions(old: Deployment, handlers: Handlers, name: str) -> None:
    """Without a waiter and a turn to repair, it writes nothing of the row, and its tokens read the old records."""
    pause = PAUSES[name]
    before = old.item(old.row_key(pause))
    again = handlers.post("/pauses", pause.request)
    assert (again.status, again.document) == (201, pause.minted)
    assert old.item(old.row_key(pause)) == before
    minted = Pause(request=pause.request, minted=again.document)
    assert handlers.post("/answers", answer(minted)).status == 200


def test_a_turn_that_only_the_repetition_has_is_recorded_where_the_old_token_looks(handlers: Handlers) -> None:
    pause = PAUSES["without a turn"]
    messages = PAUSES["explicit place"].request["messages"]
    assert handlers.post("/pauses", {**pause.request, "messages": messages}).document["resumable"] is True
    resumed = handlers.post("/resume", pause.resume())
    assert (resumed.status, resumed.document["turn"]["messages"]) == (200, messages)


def test_the_same_ids_without_a_key_are_another_pause_from_now_on(handlers: Handlers) -> None:
    """The limit that docs/deploy.md names: both are answerable."""
    pause = PAUSES["explicit place"]
    again = handlers.post("/pauses", pause.request)
    assert (again.status, again.document["jti"] == pause.minted["jti"]) == (201, False)
    for each in (pause, Pause(request=pause.request, minted=again.document)):
        assert handlers.redeems(each)


def test_every_principal_may_repeat_a_pause_whose_row_names_none(handlers: Handlers) -> None:
    pause = PAUSES["idempotency key"]
    assert handlers.invoke("mint", pause.request) == pause.minted
    assert handlers.get(f"/pauses/{pause.minted['jti']}").document["minted_by"] is None
