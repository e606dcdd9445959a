"""Every refusal of the error table, produced through a handler: its status, its document, and the token afterwards."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from askback.domain import errors
from askback.domain.interactions.registry import InteractionRegistry
from askback.edge.problems import problem
from tests.support.function_deployment import Answer, Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import Pause, a_mint


def _unsigned(handlers: Handlers, pause: Pause) -> Answer:
    event = handlers.event("/resume", pause.resume())
    del event["requestContext"]["authorizer"]
    return handlers.send(event)


def _elsewhere(handlers: Handlers, pause: Pause) -> Answer:
    event = handlers.event("/resume", pause.resume())
    return handlers.send(event | {"routeKey": "GET /nowhere", "rawPath": "/nowhere"})


REFUSALS: dict[str, tuple[int, Callable[[Handlers, Pause], Answer]]] = {
    "bad-request": (400, lambda api, pause: api.post("/resume", pause.resume(colour="blue"))),
    "unauthenticated": (401, _unsigned),
    "token-rejected": (401, lambda api, pause: api.post("/resume", pause.resume(pause_token="a.b.c"))),
    "scope-mismatch": (403, lambda api, pause: api.post("/resume", pause.resume(scope={"tenant_id": "globex"}))),
    "session-mismatch": (403, lambda api, pause: api.post("/resume", pause.resume(session_id="sess-other"))),
    "run-mismatch": (403, lambda api, pause: api.post("/resume", pause.resume(run_id="run-other"))),
    "call-mismatch": (403, lambda api, pause: api.post("/resume", pause.resume(tool_call_id="call-other"))),
    "unknown-route": (404, _elsewhere),
    "answer-invalid": (422, lambda api, pause: api.post("/resume", pause.resume(response=pause.response("Perhaps")))),
}


@pytest.mark.parametrize("code", REFUSALS)
def test_a_refused_request_says_why_and_leaves_the_token_redeemable(handlers: Handlers, code: str) -> None:
    status, refuse = REFUSALS[code]
    pause = handlers.pause()
    require_problem(refuse(handlers, pause), status, code)
    assert handlers.redeems(pause)


@pytest.mark.parametrize(
    "over",
    [
        {"pause_token": "a.b.c"},
        {"scope": {"tenant_id": "globex"}},
        {"session_id": "sess-other"},
        {"run_id": "run-other"},
        {"tool_call_id": "call-other"},
        {"response": "Perhaps"},
    ],
)
def test_a_direct_caller_gets_the_same_problem_as_an_exception(handlers: Handlers, over: dict[str, Any]) -> None:
    body = handlers.pause().resume(**over)
    assert handlers.refused("resume", body) == handlers.post("/resume", body).document


def test_a_direct_caller_does_not_get_the_name_of_an_unknown_field(handlers: Handlers) -> None:
    body = handlers.pause().resume(colour="blue")
    raised, over_http = handlers.refused("resume", body), handlers.post("/resume", body).document
    assert raised == json.loads(json.dumps(over_http).replace("colour", "*"))


def test_an_axis_that_is_not_stated_is_not_compared(handlers: Handlers) -> None:
    pause = handlers.pause()
    assert handlers.post("/resume", pause.resume(session_id=..., run_id=...)).status == 200


def test_a_token_whose_pause_is_gone_is_unknown_and_no_row_appears(handlers: Handlers, deployment: Deployment) -> None:
    """A-37: an update of a row that was removed must not create it half-empty."""
    pause = handlers.pause()
    deployment.delete(deployment.row_key(pause))
    require_problem(handlers.post("/resume", pause.resume()), 404, "unknown-pause")
    assert deployment.item(deployment.row_key(pause)) == {}


def test_another_turn_for_the_same_call_is_a_conflict(handlers: Handlers) -> None:
    pause = handlers.pause(checkpoint_id="cp-1")
    other = {**pause.request, "messages": [{"role": "user", "content": "something else"}]}
    require_problem(handlers.post("/pauses", other), 409, "pause-conflict")
    assert handlers.redeems(pause)


def test_a_question_without_its_call_has_nowhere_to_be_recorded(handlers: Handlers) -> None:
    require_problem(handlers.post("/pauses", a_mint(tool_call_id="")), 409, "payload-mismatch")


def test_a_revoked_pause_takes_no_answer(handlers: Handlers, deployment: Deployment) -> None:
    pause = handlers.pause()
    deployment.put(deployment.item(deployment.row_key(pause)) | {"status": {"S": "revoked"}})
    require_problem(handlers.post("/resume", pause.resume()), 410, "revoked")
    assert (
        handlers.post("/questions", pause.resume(scope=..., session_id=..., run_id=..., response=...)).document[
            "status"
        ]
        == "revoked"
    )


def test_an_interaction_that_is_not_registered_is_unknown_to_mint_and_to_resume(
    handlers: Handlers, deployment: Deployment
) -> None:
    require_problem(handlers.post("/pauses", a_mint(name="survey")), 422, "unknown-interaction")
    pause = handlers.pause()
    other = deployment.load(registry=InteractionRegistry([]))
    require_problem(other.post("/resume", pause.resume()), 422, "unknown-interaction")
    require_problem(
        other.post("/questions", {"answer_token": pause.minted["answer_token"]}), 422, "unknown-interaction"
    )
    assert handlers.redeems(pause)


def test_what_nothing_raises_yet_has_its_problem_all_the_same() -> None:
    document: dict[str, Any] = problem(errors.WaiterGone())
    assert (document["status"], document["code"], document["retryable"]) == (410, "waiter-gone", False)
