"""Half a surrogate pair, which JSON can carry and UTF-8 cannot: refused by field, or carried where messages are."""

from typing import Any

import pytest

from tests.support.function_deployment import Handlers
from tests.support.request_bodies import Pause, a_mint

HALF = "a\ud83d"
TEXTS: dict[str, dict[str, Any]] = {
    name: {name: HALF}
    for name in (
        "name", "run_id", "tool_call_id", "interrupt_id", "session_id", "root_run_id", "thread_id", "checkpoint_id",
        "pin", "idempotency_key", "requester",
    )
}  # fmt: skip
TEXTS |= {
    "scope.tenant_id": {"scope": {"tenant_id": HALF}},
    "scope.sub_tenant_id": {"scope": {"tenant_id": "t", "sub_tenant_id": HALF}},
    "scope.namespace": {"scope": {"tenant_id": "t", "namespace": HALF}},
    "waiter.task_token": {"waiter": {"kind": "step_functions", "task_token": HALF}},
    "waiter.callback_id": {"waiter": {"kind": "lambda_durable", "callback_id": HALF}},
    "waiter.function": {"waiter": {"kind": "lambda", "function": HALF}},
    "approvers[1]": {"approvers": ["ada", HALF]},
    "recipients[0]": {"recipients": [HALF]},
}


@pytest.fixture(scope="module")
def pause(deployment: Any) -> Pause:
    paused: Pause = deployment.handlers.pause()
    return paused


@pytest.mark.parametrize(("field", "over"), TEXTS.items(), ids=TEXTS)
def test_a_text_of_a_mint_is_refused_by_its_field(handlers: Handlers, field: str, over: dict[str, Any]) -> None:
    """D-56, D-64: over HTTP and in a direct invocation."""
    for document in (handlers.post("/pauses", a_mint(**over)).document, handlers.refused("mint", a_mint(**over))):
        assert (document["status"], document["code"]) == (400, "bad-request")
        assert [error["field"] for error in document["errors"]] == [field]
        assert "half a surrogate pair" in document["errors"][0]["message"]


@pytest.mark.parametrize("field", ["session_id", "run_id", "tool_call_id", "answerer", "request_hash"])
def test_a_text_beside_an_answer_is_refused_by_its_field(handlers: Handlers, pause: Pause, field: str) -> None:
    """D-56: a relative."""
    answer = handlers.post("/resume", pause.resume(**{field: HALF}))
    assert answer.said == (400, "bad-request")
    assert [error["field"] for error in answer.document["errors"]] == [field]


@pytest.mark.parametrize(
    ("field", "event"),
    [
        ("operator", {"action": "revoke", "jti": "x", "operator": HALF}),
        ("jti", {"action": "revoke", "jti": HALF}),
        ("recipient", {"action": "revoke-link", "jti": "x", "recipient": HALF}),
        ("jti", {"action": "show", "jti": HALF}),
        ("jti", {"action": "redrive", "jti": HALF}),
        ("tenant_id", {"action": "list", "tenant_id": HALF}),
        ("namespace", {"action": "list", "tenant_id": "t", "namespace": HALF}),
        ("next", {"action": "list", "tenant_id": "t", "next": HALF}),
    ],
)
def test_a_text_of_an_operator_is_refused_by_its_field(handlers: Handlers, field: str, event: dict[str, Any]) -> None:
    """D-56."""
    document = handlers.refused("inbox", event)
    assert (document["status"], document["code"]) == (400, "bad-request")
    assert [error["field"] for error in document["errors"]] == [field]


def test_the_name_of_a_principal_is_checked_too(handlers: Handlers, pause: Pause) -> None:
    """D-56: a relative: the gateway's event names who revokes."""
    event = handlers.event(f"/pauses/{pause.minted['jti']}", method="DELETE")
    event["requestContext"]["authorizer"]["iam"] = {"userArn": HALF}
    assert handlers.send(event).said == (400, "bad-request")


@pytest.mark.parametrize("path", ["/questions", "/answers", "/resume", "/outcomes"])
def test_a_token_with_half_a_pair_is_refused_like_every_token_that_is_not_ours(
    handlers: Handlers, pause: Pause, path: str
) -> None:
    name = "answer_token" if path in ("/questions", "/answers") else "pause_token"
    body = {name: HALF} | ({} if path == "/questions" else {"scope": pause.request["scope"]})
    body |= {"response": {}} if path in ("/answers", "/resume") else {}
    assert handlers.post(path, body).said == (401, "token-rejected")


def test_messages_and_the_prompt_carry_it(handlers: Handlers) -> None:
    minted = handlers.pause(messages=[{"role": "user", "content": HALF}], prompt=HALF)
    resumed = handlers.post("/resume", minted.resume())
    assert resumed.document["turn"]["messages"] == [{"role": "user", "content": HALF}]
    assert resumed.document["turn"]["prompt"] == HALF
