"""What the calls take besides the wire's own forms: durations, scopes as text, and what a pause returned."""

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from askback import (
    AnswererNotAllowed,
    AskbackClient,
    HttpTransport,
    InvalidRequest,
    LambdaTransport,
    Scope,
    ScopeMismatch,
    ask_user,
    choose,
    question,
)
from askback.client.transport import Action, Reply
from askback.testing.deployment import InProcessDeployment

REQUEST: dict[str, Any] = {"run_id": "run-1", "scope": "acme/eu", "ttl_seconds": 3600, "tool_call_id": "call-1"}
ASKED = ask_user(question("Refund?", ["Approve", "Reject"]))


class Noted:
    """A transport that notes each body before the deployment answers it."""

    def __init__(self, deployment: InProcessDeployment) -> None:
        self._deployment = deployment
        self.bodies: list[Mapping[str, Any]] = []

    def send(self, action: Action, body: Mapping[str, Any]) -> Reply:
        self.bodies.append(body)
        return self._deployment.send(action, body)


@pytest.fixture
def noted(askback: InProcessDeployment) -> Noted:
    return Noted(askback)


@pytest.fixture
def client(noted: Noted) -> AskbackClient:
    return AskbackClient(noted)


def test_a_duration_may_be_a_timedelta(client: AskbackClient, noted: Noted) -> None:
    durations = {"ttl_seconds": timedelta(days=2, hours=1), "remind_after_seconds": timedelta(hours=4)}
    pause = client.pause(*ASKED, **{**REQUEST, **durations, "messages": []})
    assert pause.expires_at - pause.issued_at == 49 * 3600
    assert (noted.bodies[0]["ttl_seconds"], noted.bodies[0]["remind_after_seconds"]) == (49 * 3600, 4 * 3600)


def test_a_duration_is_whole_seconds(client: AskbackClient, noted: Noted) -> None:
    with pytest.raises(InvalidRequest, match="remind_after_seconds: must be whole seconds"):
        client.pause(*ASKED, **REQUEST, remind_after_seconds=timedelta(seconds=90.5))
    assert noted.bodies == []


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ({1: "a"}, "messages[0].content"),
        ([("a", "b")], "messages[0].content[0]"),
        ({"a": {1, 2}}, "messages[0].content.a"),
        (Decimal("1.10"), "messages[0].content"),
        (float("nan"), "messages[0].content"),
        (b"x", "messages[0].content"),
    ],
    ids=["key", "tuple", "set", "Decimal", "nan", "bytes"],
)
def test_what_json_would_change_or_not_carry_is_refused_with_its_path_before_it_is_sent(
    client: AskbackClient, noted: Noted, content: object, path: str
) -> None:
    """D-39: in messages, and wherever else a caller gives values."""
    with pytest.raises(InvalidRequest) as refused:
        client.pause(*ASKED, **REQUEST, messages=[{"role": "user", "content": content}])
    assert [error.field for error in refused.value.errors] == [path]
    for call in (
        lambda: client.pause("form", {"content": content}, **REQUEST, messages=[]),
        lambda: client.answer("a.b.c", {"content": content}),
        lambda: client.pause(*ASKED, **REQUEST, on_expiry={"policy": "default", "response": content}),
    ):
        with pytest.raises(InvalidRequest):
            call()
    assert noted.bodies == []


def test_a_scope_may_be_text(client: AskbackClient, noted: Noted) -> None:
    pause = client.pause(*ASKED, **{**REQUEST, "scope": "acme//tickets", "messages": []})
    assert noted.bodies[0]["scope"] == {"tenant_id": "acme", "namespace": "tickets"}
    assert pause.scope == Scope(tenant_id="acme", namespace="tickets")


def test_a_scope_of_another_form_is_refused_before_it_is_sent(client: AskbackClient, noted: Noted) -> None:
    with pytest.raises(InvalidRequest, match="scope: must be 'tenant'"):
        client.pause(*ASKED, **{**REQUEST, "scope": "acme/eu/tickets/more"})
    assert noted.bodies == []


def test_each_call_uses_the_token_that_it_needs(client: AskbackClient, noted: Noted) -> None:
    pause = client.pause(*ASKED, **REQUEST, messages=[], recipients=["ada"], approvers=["ada"])
    response = choose(pause, "Approve")
    links = client.links(pause)
    (ada,) = links.recipients
    client.question(links)
    client.question(ada)
    client.answer(ada, response)
    client.outcome(pause)
    client.wait(pause)
    with pytest.raises(AnswererNotAllowed):
        client.resume(pause, choose(pause, "Reject"))
    of_people, of_the_backend = noted.bodies[2:5], noted.bodies[5:]
    assert [body["answer_token"] for body in of_people] == [links.answer_token, ada.answer_token, ada.answer_token]
    assert [body["pause_token"] for body in of_the_backend] == [pause.pause_token] * 3
    assert all(body["scope"] == {"tenant_id": "acme", "sub_tenant_id": "eu"} for body in of_the_backend)


def test_a_stated_scope_stands_over_the_pauses_own(client: AskbackClient, noted: Noted) -> None:
    pause = client.pause(*ASKED, **REQUEST, messages=[])
    with pytest.raises(ScopeMismatch):
        client.outcome(pause, scope="globex")
    assert noted.bodies[-1]["scope"] == {"tenant_id": "globex"}


def test_a_token_alone_needs_its_scope(client: AskbackClient) -> None:
    pause = client.pause(*ASKED, **REQUEST, messages=[])
    with pytest.raises(InvalidRequest, match="scope: must be given"):
        client.outcome(pause.pause_token)


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, "`mint` or in the variable ASKBACK_MINT_FUNCTION"),
        ({"mint": "m"}, "`resume` or in the variable ASKBACK_RESUME_FUNCTION"),
    ],
)
def test_a_transport_without_a_function_says_what_to_give(
    given: dict[str, str], missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASKBACK_MINT_FUNCTION", "")
    monkeypatch.delenv("ASKBACK_RESUME_FUNCTION", raising=False)
    with pytest.raises(ValueError, match=missing):
        LambdaTransport(**given)  # type: ignore[arg-type]


def test_a_transport_without_an_address_says_what_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASKBACK_URL", raising=False)
    with pytest.raises(ValueError, match="`url` or in the variable ASKBACK_URL"):
        HttpTransport()
