"""Fetching how a pause ended: over HTTP under IAM, and by direct invocation."""

from typing import Any

import pytest

from askback.edge.lambda_events import OUTCOMES_ALIAS
from tests.functions.reply_fields import RESUMED
from tests.support.function_deployment import Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import Pause
from tests.support.waiting_world import DAY, LONG_AGO


def a_body(pause: Pause, **over: Any) -> dict[str, Any]:
    return {"pause_token": pause.minted["pause_token"], "scope": pause.request["scope"], **over}


def test_an_answered_pause_gives_the_answer_and_the_turn_however_often_it_is_asked(handlers: Handlers) -> None:
    pause = handlers.pause()
    answered = handlers.post("/answers", pause.answer())
    for _ in range(2):
        outcome = handlers.post("/outcomes", a_body(pause))
        assert (outcome.status, set(outcome.document)) == (200, RESUMED)
        for field in ("response", "answered_at", "answered_by", "delivery"):
            assert outcome.document[field] == answered.document[field]
        assert outcome.document["turn"]["messages"] == pause.request["messages"]
    assert handlers.invoke("resume", {"action": "outcome", **a_body(pause)}) == outcome.document


def test_an_open_pause_is_not_answered_yet_and_the_same_request_may_come_again(handlers: Handlers) -> None:
    pause = handlers.pause()
    refused = handlers.post("/outcomes", a_body(pause))
    require_problem(refused, 409, "not-answered")
    assert refused.document["retryable"] is True
    assert handlers.refused("resume", {"action": "outcome", **a_body(pause)})["code"] == "not-answered"
    assert handlers.redeems(pause)


def test_the_alias_for_outcomes_reads_what_the_function_itself_reads(handlers: Handlers) -> None:
    pause = handlers.pause()
    asked = {"action": "outcome", **a_body(pause)}
    assert handlers.refused("resume", asked, alias=OUTCOMES_ALIAS)["code"] == "not-answered"
    assert handlers.redeems(pause)
    outcome = handlers.invoke("resume", asked, alias=OUTCOMES_ALIAS)
    assert outcome == handlers.invoke("resume", asked)
    assert outcome["turn"]["messages"] == pause.request["messages"]


def test_an_expired_token_still_reads_what_was_answered_in_time(deployment: Deployment) -> None:
    at = LONG_AGO
    handlers = deployment.load(clock=lambda: at)
    pause = handlers.pause(ttl_seconds=60)
    at += 59
    assert handlers.post("/answers", pause.answer()).status == 200
    at += 29 * DAY
    assert handlers.post("/outcomes", a_body(pause)).status == 200
    again = handlers.post("/answers", pause.answer())
    assert (again.status, again.document["replayed"]) == (200, True)
    require_problem(handlers.post("/answers", pause.answer(response=pause.response("Reject"))), 410, "expired")


@pytest.mark.parametrize(
    ("over", "status", "code"),
    [
        ({"pause_token": "a.b.c"}, 401, "token-rejected"),
        ({"scope": {"tenant_id": "globex"}}, 403, "scope-mismatch"),
        ({"run_id": "another"}, 403, "run-mismatch"),
        ({"session_id": "another"}, 403, "session-mismatch"),
        ({"tool_call_id": "another"}, 403, "call-mismatch"),
        ({"scope": None}, 400, "bad-request"),
        ({"response": {}}, 400, "bad-request"),
        ({"answerer": "ada"}, 400, "bad-request"),
    ],
    ids=str,
)
def test_an_outcome_is_for_its_own_backend(handlers: Handlers, over: dict[str, Any], status: int, code: str) -> None:
    pause = handlers.pause()
    assert handlers.redeems(pause)
    require_problem(handlers.post("/outcomes", a_body(pause, **over)), status, code)
    assert handlers.refused("resume", {"action": "outcome", **a_body(pause, **over)})["code"] == code


def test_the_holder_of_an_answer_link_reads_no_outcome(handlers: Handlers) -> None:
    pause = handlers.pause()
    assert handlers.redeems(pause)
    body = a_body(pause, pause_token=pause.minted["answer_token"])
    require_problem(handlers.post("/outcomes", body), 401, "token-rejected")


def test_reading_an_outcome_is_one_read_and_no_write(deployment: Deployment, handlers: Handlers) -> None:
    pause = handlers.pause()
    assert handlers.redeems(pause)
    with deployment.probe.counting() as calls:
        handlers.post("/outcomes", a_body(pause))
    assert calls == ["BatchGetItem"]
