"""Attack: an agent answers its own question, in the name of an approver, with what its mint returned."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.function_deployment import Deployment, Handlers
from tests.support.request_bodies import a_mint

PEOPLE = {"approvers": ["ciso@example.com"], "recipients": ["ciso@example.com"], "requester": "agent@example.com"}
RESPONSE = {"answers": [{"question_id": "q", "selections": ["Approve"]}]}

_keys = (f"own-question-{number}" for number in itertools.count(1))


@pytest.fixture
def default(deployment: Deployment) -> Handlers:
    """The functions with the default parameters."""
    return deployment.load(ASKBACK_RETURN_LINKS="false")


def texts(value: Any) -> Iterator[str]:
    """Yield every text in a reply."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from texts(each)
    elif isinstance(value, str):
        yield value


def replies(handlers: Handlers, **over: Any) -> list[dict[str, Any]]:
    """Mint a pause over HTTP and one directly, each several times, and without the waiter too."""
    request = a_mint(**PEOPLE, idempotency_key=next(_keys), **over)
    plain = {name: value for name, value in request.items() if name != "waiter"}
    direct = {"idempotency_key": next(_keys)}
    return [handlers.post("/pauses", each).document for each in (request, request, plain)] + [
        handlers.invoke("mint", {**each, **direct}) for each in (request, plain)
    ]


@pytest.mark.cannot("get what answers")
@pytest.mark.parametrize("waiter", [..., {"kind": "step_functions", "task_token": "a-task"}], ids=["none", "workflow"])
def test_nothing_in_the_reply_to_a_mint_answers(default: Handlers, waiter: Any) -> None:
    found = {text for reply in replies(default, waiter=waiter) for text in texts(reply)}
    assert found
    for text in found:
        assert default.post("/answers", {"answer_token": text, "response": RESPONSE}).said == (401, "token-rejected")


@pytest.mark.cannot("get what answers")
def test_the_history_of_a_workflow_has_no_token_to_take(default: Handlers) -> None:
    """Step Functions keeps the reply of the task that asks; a token has two dots."""
    waiter = {"kind": "step_functions", "task_token": "another-task"}
    assert not [text for reply in replies(default, waiter=waiter) for text in texts(reply) if text.count(".") == 2]


@pytest.mark.cannot("get what answers")
def test_the_mint_gives_no_links_to_a_direct_caller(default: Handlers) -> None:
    jti = default.pause(**PEOPLE).minted["jti"]
    refused = default.refused("mint", {"action": "links", "jti": jti})
    assert (refused["code"], refused["errors"][0]["field"]) == ("bad-request", "action")
