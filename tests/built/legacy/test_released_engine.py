"""Tokens that the released engine minted, over each of its savers, redeem in the deployed functions, once."""

import hashlib
import json
from typing import Any

import pytest

from askback.adapters.dynamodb.keys import Key, record_key
from tests.built.legacy.pauses import LeftBehind, LegacyPause
from tests.support.cutover_deployment import SECRET, Cutover
from tests.support.function_deployment import Handlers
from tests.support.recorded_output import Recorded

pytestmark = pytest.mark.legacy

NAMES = pytest.mark.parametrize("name", ["ask_user", "approval_required"])


def _place(pause: LegacyPause) -> Key:
    claims = pause.claims
    return record_key(thread_id=claims["thread_id"], checkpoint_id=claims["checkpoint_id"], key=pause.key)


def without_nulls(response: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without the fields that reading it has filled in."""
    answers = response.get("answers", [])
    filled = [{name: value for name, value in answer.items() if value is not None} for answer in answers]
    return {**response, "answers": filled} if answers else response


def _refused(handlers: Handlers, body: dict[str, Any]) -> tuple[int, str]:
    problem = handlers.refused("resume", body)
    return problem["status"], problem["code"]


def test_the_engine_records_requests_under_the_frozen_keys_where_its_saver_lets_it(left: LeftBehind) -> None:
    """On PostgreSQL and SQLite the saver refuses its write and it goes on: nothing is there, for it neither."""
    if left.recorded:
        assert left.recorded == {pause.key: pause.text for pause in left.pauses}


def test_every_request_is_exported_for_its_token_with_the_text_that_the_engine_hashed(left: LeftBehind) -> None:
    """Also for tokens that are bound to an earlier checkpoint than their interrupt, as they are on slower savers."""
    exported = {(item["thread_id"], item["checkpoint_id"], item["key"]): item["text"] for item in left.requests}
    assert len(left.pauses) == 10
    for pause in left.pauses:
        assert exported[pause.claims["thread_id"], pause.claims["checkpoint_id"], pause.key] == pause.text
        text = pause.text
        if pause.name != "ask_user":
            text = json.dumps(json.loads(text), sort_keys=True)
        assert hashlib.sha256(text.encode()).hexdigest() == pause.claims["request_hash"]
    if left.recorded:
        assert len(exported) == 10


@NAMES
def test_a_token_redeems_with_the_request_that_was_asked(cutover: Cutover, left: LeftBehind, name: str) -> None:
    handlers, pause = cutover.cut_over(requests=left.requests, consumed=[]), left.pause("open", name)
    shown = handlers.invoke("resume", {"action": "question", "pause_token": pause.token})
    assert (shown["payload"], shown["status"]) == (pause.payload, "issued")
    written = Recorded(cutover.deployment)
    answered = handlers.invoke("resume", pause.body())
    assert answered["jti"] == pause.claims["jti"]
    assert without_nulls(answered["response"]) == pause.response()
    (counted,) = [entry for entry in written.entries() if "LegacyRedeemed" in entry]
    assert counted["LegacyRedeemed"] == [1.0]
    (line,) = [entry for entry in written.entries() if entry.get("message") == "PauseAnswered"]
    assert (line["legacy"], line["jti"], line["interaction"]) == ("true", pause.claims["jti"], name)
    assert pause.token not in written.text
    assert SECRET not in written.text


@NAMES
def test_its_scope_binds_by_the_first_16_digits_of_our_hash(cutover: Cutover, left: LeftBehind, name: str) -> None:
    handlers, pause = cutover.cut_over(requests=left.requests, consumed=[]), left.pause("scope", name)
    assert pause.claims["scope_hash"] == hashlib.sha256(b"acme:eu:_").hexdigest()[:16]
    for scope in ({"tenant_id": "acme"}, {"tenant_id": "acme", "sub_tenant_id": "us"}):
        assert _refused(handlers, pause.body(scope=scope)) == (403, "scope-mismatch")
    assert handlers.invoke("resume", pause.body())["replayed"] is False


@NAMES
def test_an_expired_one_is_expired_and_not_forged(cutover: Cutover, left: LeftBehind, name: str) -> None:
    cutover.cut_over(requests=left.requests, consumed=[])
    pause = left.pause("expired", name)
    left_seconds = pause.claims["exp"] - cutover.now
    assert _refused(cutover.load(after_seconds=left_seconds), pause.body()) == (410, "expired")
    assert cutover.load(after_seconds=left_seconds - 1).invoke("resume", pause.body())["replayed"] is False


@NAMES
def test_a_tampered_request_is_refused_and_the_token_stays_good(cutover: Cutover, left: LeftBehind, name: str) -> None:
    handlers, pause = cutover.cut_over(requests=left.requests, consumed=[]), left.pause("tampered", name)
    whole = cutover.deployment.item(_place(pause))
    cutover.deployment.delete(_place(pause))
    other = pause.text.replace("Zürich", "Bern").replace("Z\\u00fcrich", "Bern")
    place = {name: pause.claims[name] for name in ("thread_id", "checkpoint_id")}
    assert cutover.imported("requests", [{**place, "key": pause.key, "text": other}]).code == 0
    assert _refused(handlers, pause.body()) == (409, "payload-mismatch")
    cutover.deployment.put(whole)
    assert handlers.invoke("resume", pause.body())["replayed"] is False


@NAMES
def test_a_replay_is_refused(cutover: Cutover, left: LeftBehind, name: str) -> None:
    handlers, pause = cutover.cut_over(requests=left.requests, consumed=[]), left.pause("replayed", name)
    assert handlers.invoke("resume", pause.body())["replayed"] is False
    assert handlers.invoke("resume", pause.body())["replayed"] is True
    other = pause.body(response=pause.response(agreed=False))
    assert _refused(handlers, other) == (409, "already-answered")
    assert _refused(handlers, pause.body(answerer="grace")) == (409, "already-answered")


def test_nothing_of_it_redeems_before_its_key_is_admitted_nor_after_it_was_retired(
    cutover: Cutover, left: LeftBehind
) -> None:
    pause = left.pause("tampered")
    question = {"action": "question", "pause_token": pause.token}
    assert _refused(cutover.load(), question) == (401, "token-rejected")
    cutover.cut_over(requests=left.requests, consumed=[])
    assert cutover.load().invoke("resume", question)["payload"] == pause.payload
    assert cutover.run("retire", "--even-though-outstanding").code == 0
    assert _refused(cutover.load(), question) == (401, "token-rejected")
