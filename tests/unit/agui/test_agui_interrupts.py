"""An AG-UI agent's interrupts, asked and answered through a deployment in memory, and given back to the agent."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from askback import (
    InvalidRequest,
    IssuedPause,
    NotAnswered,
    PauseErased,
    PauseExpired,
    PauseRevoked,
    PauseSuperseded,
    StoreUnavailable,
    approve,
    choose,
    reject,
)
from askback.agui.interrupts import open_interrupts, pause_fields, resume_entry
from askback.domain.errors import HumanInteractionError
from askback.testing.deployment import InProcessDeployment

EDITED = {"type": "object", "properties": {"amount": {"type": "number"}, "tags": {"type": "array"}}}
APPROVED = {"type": "object", "properties": {"approved": {"type": "boolean"}}, "required": ["approved"]}
WITH_EDITS = {"type": "object", "properties": {"approved": {"type": "boolean"}, "editedArgs": EDITED}}
CALL = {
    "id": "tc-1",
    "type": "function",
    "function": {"name": "pay_refund", "arguments": '{"order": "A-1009", "amount": 49.9, "tags": ["box"]}'},
}


def an_interrupt(**fields: Any) -> dict[str, Any]:
    return {"id": "int-1", "reason": "input_required", "message": "Which city?"} | fields


TOOL_CALL = an_interrupt(reason="tool_call", message="Pay 49.90 EUR?", toolCallId="tc-1", responseSchema=APPROVED)
EDITABLE = TOOL_CALL | {"responseSchema": WITH_EDITS}
CONFIRM = an_interrupt(reason="confirmation", message="Go on?")
CITY = an_interrupt(responseSchema={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
AMOUNT = an_interrupt(responseSchema={"type": "integer", "minimum": 1})
OWN = an_interrupt(
    metadata={"askback": {"name": "approval", "payload": {"title": "Pay?", "action": {"name": "pay", "arguments": {}}}}}
)


class Agent:
    """An agent that has stopped with one interrupt, and the pause that it became."""

    def __init__(self, interrupt: dict[str, Any], *, tool_call: Mapping[str, Any] | None = CALL) -> None:
        self.deployment = InProcessDeployment()
        self.client = self.deployment.client()
        self.interrupt = interrupt
        fields = pause_fields(
            interrupt,
            thread_id="thread-1",
            run_id="run-1",
            ttl_seconds=86_400,
            at=self.deployment.clock.now(),
            tool_call=tool_call if "toolCallId" in interrupt else None,
        )
        self.pause: IssuedPause = self.client.pause(**fields, scope="acme")

    def entry(self) -> dict[str, Any]:
        try:
            outcome = self.client.outcome(self.pause.pause_token, scope="acme")
        except HumanInteractionError as ended:
            return resume_entry(self.interrupt, ended)
        return resume_entry(self.interrupt, outcome)


@pytest.mark.parametrize(
    ("interrupt", "answer", "payload"),
    [
        pytest.param(TOOL_CALL, approve(), {"approved": True}, id="an approved call"),
        pytest.param(TOOL_CALL, reject(), {"approved": False}, id="a rejected call"),
        pytest.param(TOOL_CALL | {"responseSchema": None}, approve(), {"approved": True}, id="a call without a schema"),
        pytest.param(
            EDITABLE,
            approve(edits={"amount": 40}),
            {"approved": True, "editedArgs": {"order": "A-1009", "amount": 40, "tags": ["box"]}},
            id="an edited call, with every argument",
        ),
        pytest.param(CITY, {"city": "Zürich"}, {"city": "Zürich"}, id="an object"),
        pytest.param(AMOUNT, {"answer": 3}, 3, id="one value"),
        pytest.param(an_interrupt(), {"answer": "Zürich"}, "Zürich", id="a text"),
        pytest.param(
            OWN,
            reject(),
            {"decision": "reject", "comment": None, "edits": {}, "arguments": None},
            id="a question of ours",
        ),
    ],
)
def test_an_answer_comes_back_in_the_form_that_the_interrupt_asks_for(
    interrupt: dict[str, Any], answer: Any, payload: Any
) -> None:
    agent = Agent(interrupt)
    agent.deployment.answer(agent.pause, answer, by="ada")
    entry = agent.entry()
    assert (entry["interruptId"], entry["status"], entry["payload"]) == ("int-1", "resolved", payload)
    about = entry["metadata"]["askback"]
    assert about == {
        "outcome": "answered",
        "jti": agent.pause.jti,
        "answeredBy": "ada",
        "assurance": "signed_in",
        "byPolicy": False,
    }


@pytest.mark.parametrize(
    ("schema", "label", "payload"),
    [
        (None, "Yes", True),
        (None, "No", False),
        ({"type": "boolean"}, "Yes", True),
        (APPROVED, "Yes", {"approved": True}),
        (APPROVED, "No", {"approved": False}),
    ],
)
def test_a_confirmation_is_a_yes_or_a_no(schema: Any, label: str, payload: Any) -> None:
    agent = Agent(CONFIRM | {"responseSchema": schema})
    agent.deployment.answer(agent.pause, choose(agent.pause, label))
    assert agent.entry()["payload"] == payload


def test_a_person_sees_the_call_that_they_approve_and_may_edit_only_what_the_schema_names() -> None:
    pause = Agent(EDITABLE).pause
    assert pause.payload["action"] == {"name": "pay_refund", "arguments": json.loads(CALL["function"]["arguments"])}  # type: ignore[index]
    assert pause.payload["editable"] == {"amount": {"type": "number"}}
    assert (pause.tool_call_id, pause.interrupt_id, pause.thread_id) == ("tc-1", "int-1", "thread-1")


def test_the_same_interrupt_again_is_the_same_pause() -> None:
    agent = Agent(CITY)
    fields = pause_fields(CITY, thread_id="thread-1", run_id="run-1", ttl_seconds=86_400, at=0)
    assert agent.client.pause(**fields, scope="acme").jti == agent.pause.jti


def test_a_long_message_is_the_text_below_a_title() -> None:
    pause = Agent(an_interrupt(message="Which city? " * 30)).pause
    assert pause.payload["title"] == "input_required"
    assert pause.payload["description"].startswith("Which city? Which city?")


@pytest.mark.parametrize("interrupt", [TOOL_CALL, CONFIRM, CITY, OWN], ids=["call", "confirmation", "input", "own"])
@pytest.mark.parametrize("end", ["expired", "revoked"])
def test_a_pause_without_an_answer_is_cancelled_and_never_an_approval(interrupt: dict[str, Any], end: str) -> None:
    agent = Agent(interrupt)
    agent.deployment.expire(agent.pause) if end == "expired" else agent.deployment.revoke(agent.pause)
    assert agent.entry() == {
        "interruptId": "int-1",
        "status": "cancelled",
        "metadata": {"askback": {"outcome": end}},
    }


@pytest.mark.parametrize(
    ("outcome", "end"),
    [
        ({"outcome": "expired", "interrupt_id": "int-1", "delivery_id": "j"}, "expired"),
        ({"outcome": "revoked", "interrupt_id": "int-1", "delivery_id": "j"}, "revoked"),
        ({"outcome": "superseded", "interrupt_id": "int-1", "delivery_id": "j"}, "superseded"),
        (PauseExpired(), "expired"),
        (PauseRevoked(), "revoked"),
        (PauseSuperseded(), "superseded"),
        (PauseErased(), "erased"),
    ],
    ids=str,
)
def test_what_a_waiter_received_and_an_error_end_it_alike(outcome: Any, end: str) -> None:
    entry = resume_entry(TOOL_CALL, outcome)
    assert (entry["status"], entry["metadata"]["askback"]["outcome"], "payload" in entry) == ("cancelled", end, False)


def test_what_a_waiter_received_is_an_answer_too() -> None:
    decided = {"decision": "approve", "comment": "Fine.", "edits": {}, "arguments": {}}
    outcome = {
        "outcome": "answered",
        "name": "approval",
        "interrupt_id": "int-1",
        "response": decided,
        "by_policy": True,
    }
    entry = resume_entry(TOOL_CALL, outcome)
    assert entry["payload"] == {"approved": True}
    assert entry["metadata"]["askback"]["comment"] == "Fine."
    assert entry["metadata"]["askback"]["byPolicy"] is True


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (NotAnswered(), NotAnswered),
        (StoreUnavailable(), StoreUnavailable),
        ({"status": "issued"}, NotAnswered),
        ({"outcome": "questioned"}, NotAnswered),
        ({"name": "approval", "response": {}}, InvalidRequest),
        ({"name": "approval", "interrupt_id": "int-2", "response": {}}, InvalidRequest),
        ({"name": "ask_user", "interrupt_id": "int-1", "response": {}}, InvalidRequest),
    ],
    ids=["open", "another refusal", "a vote", "asked back", "no id", "another interrupt", "another question"],
)
def test_nothing_else_makes_an_entry(outcome: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        resume_entry(TOOL_CALL, outcome)


@pytest.mark.parametrize(
    ("interrupt", "tool_call", "field"),
    [
        ({"reason": "confirmation"}, None, "interrupt.id"),
        ({"id": "int-1"}, None, "interrupt.reason"),
        (an_interrupt(message=7), None, "interrupt.message"),
        (an_interrupt(toolCallId=""), None, "interrupt.toolCallId"),
        (an_interrupt(responseSchema=[]), None, "interrupt.responseSchema"),
        (an_interrupt(responseSchema={"type": "object", "properties": []}), None, "interrupt.responseSchema"),
        (an_interrupt(metadata={"askback": {"name": "form"}}), None, "interrupt.metadata.askback"),
        (an_interrupt(expiresAt="tomorrow"), None, "interrupt.expiresAt"),
        (an_interrupt(expiresAt="2026-12-01T00:00:00"), None, "interrupt.expiresAt"),
        (TOOL_CALL, None, "tool_call"),
        (TOOL_CALL, CALL | {"id": "tc-2"}, "tool_call.id"),
        (TOOL_CALL, CALL | {"function": {"name": "pay", "arguments": "{"}}, "tool_call.function.arguments"),
        (TOOL_CALL, CALL | {"function": {"name": "pay", "arguments": "[]"}}, "tool_call.function.arguments"),
        (TOOL_CALL, CALL | {"function": {"name": "pay"}}, "tool_call.function.arguments"),
        (TOOL_CALL, CALL | {"function": "pay"}, "tool_call"),
    ],
)
def test_a_wrong_interrupt_is_refused_with_its_field(interrupt: dict[str, Any], tool_call: Any, field: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        pause_fields(interrupt, thread_id="t", run_id="r", ttl_seconds=60, at=0, tool_call=tool_call)
    assert [error.field for error in refused.value.errors] == [field]


@pytest.mark.parametrize(("stated", "ttl"), [("1970-01-01T00:01:40Z", 100), ("1970-01-01T12:00:00+01:00", 600)])
def test_a_pause_ends_with_its_interrupt_at_the_latest(stated: str, ttl: int) -> None:
    fields = pause_fields(an_interrupt(expiresAt=stated), thread_id="t", run_id="r", ttl_seconds=600, at=0)
    assert fields["ttl_seconds"] == ttl


def test_an_interrupt_that_has_expired_is_asked_no_more() -> None:
    with pytest.raises(PauseExpired) as refused:
        pause_fields(an_interrupt(expiresAt="1970-01-01T00:01:40Z"), thread_id="t", run_id="r", ttl_seconds=60, at=100)
    assert refused.value.expired_at == 100


def test_only_an_interrupt_outcome_has_interrupts() -> None:
    finished: dict[str, Any] = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}
    assert open_interrupts(finished) == []
    assert open_interrupts(finished | {"outcome": {"type": "success"}}) == []
    assert open_interrupts(finished | {"outcome": {"type": "interrupt", "interrupts": [CITY]}}) == [CITY]
    for wrong in ({"type": "RUN_STARTED"}, finished | {"outcome": {"type": "interrupt", "interrupts": []}}):
        with pytest.raises(InvalidRequest):
            open_interrupts(wrong)
