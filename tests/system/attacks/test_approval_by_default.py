"""Attack: an agent asks for an approval and gives "approve" as the default answer, so that no person decides."""

import dataclasses
from typing import Any

import pytest

from askback.interactions import APPROVAL_REGISTRATION, REGISTRY
from tests.support.function_deployment import Deployment, Handlers
from tests.support.request_bodies import a_mint

ACTION = {"title": "Refund?", "action": {"name": "refund", "arguments": {"amount": 49}}}


def asking(response: object, **over: Any) -> dict[str, Any]:
    return a_mint(name="approval", payload=ACTION, on_expiry={"policy": "default", "response": response}, **over)


@pytest.mark.cannot("approve by a default answer")
@pytest.mark.parametrize("response", [{"decision": "approve"}, {"decision": "approve", "comment": "as always"}])
def test_a_default_answer_cannot_approve(handlers: Handlers, response: object) -> None:
    request = asking(response)
    over_http = handlers.post("/pauses", request)
    assert (over_http.status, over_http.document["code"]) == (400, "bad-request")
    assert [error["field"] for error in over_http.document["errors"]] == ["on_expiry.response"]
    assert handlers.refused("mint", request)["code"] == "bad-request"


def test_a_default_answer_can_reject(handlers: Handlers) -> None:
    assert handlers.post("/pauses", asking({"decision": "reject"})).status == 201


def test_an_adopter_can_allow_an_approval_by_default(deployment: Deployment) -> None:
    allowing = dataclasses.replace(APPROVAL_REGISTRATION, allow_default_approval=True)
    handlers = deployment.load(registry=REGISTRY.extended([allowing]))
    assert handlers.post("/pauses", asking({"decision": "approve"})).status == 201
