"""Pauses shown to an AG-UI front end, and its entries as answers that the deployment takes."""

from dataclasses import replace
from typing import Any

import pytest

from askback import InvalidRequest, IssuedPause, approval, ask_user, form, question
from askback.agui.front_end import interrupt, response, resume_entries, run_finished
from askback.testing.deployment import InProcessDeployment

PAY = approval(
    "Pay?",
    summary="The box was crushed.",
    action="pay",
    arguments={"order": "A-1009", "amount": 49.9, "count": 1},
    editable={"amount": {"type": "number"}, "count": {"type": "integer"}},
)
ARGUMENTS = {"order": "A-1009", "amount": 49.9, "count": 1}
PLAIN = approval("Pay?", action="pay", arguments={}, comment="none")
SEVERAL = ask_user(
    question("Refund?", ["Yes", "No"]),
    question("Why?", ["Broken", "Late"], multi_select=True, allow_other=True),
    question("How? " * 30, ["Bank", "Card"], allow_other=True),
)
ADDRESS = form("Where to?", {"city": {"type": "string"}, "floor": {"type": "integer"}}, required=["city"])


def minted(asked: Any) -> tuple[InProcessDeployment, IssuedPause]:
    deployment = InProcessDeployment()
    pause = deployment.client().pause(
        *asked,
        run_id="run-1",
        scope="acme",
        ttl_seconds=86_400,
        tool_call_id="call_1",
        messages=[{"role": "user", "content": "Refund order A-1009."}],
        idempotency_key="run-1/call_1",
    )
    return deployment, pause


def resolved(pause: IssuedPause, payload: Any) -> dict[str, Any]:
    return {"interruptId": pause.jti, "status": "resolved", "payload": payload}


def test_the_event_shows_the_question_and_no_token() -> None:
    _, pause = minted(PAY)
    event = run_finished([pause], thread_id="thread-1", run_id="run-1")
    (shown,) = event["outcome"]["interrupts"]
    assert (shown["id"], shown["reason"], shown["toolCallId"]) == (pause.jti, "tool_call", "call_1")
    assert shown["message"] == "Pay?\n\nThe box was crushed."
    assert shown["responseSchema"]["required"] == ["approved"]
    assert shown["metadata"] == {"askback": {"name": "approval", "payload": pause.payload}}
    assert pause.pause_token
    assert pause.pause_token not in repr(event)


def test_an_interaction_of_your_own_has_a_reason_of_its_own_and_no_schema() -> None:
    _, pause = minted(PAY)
    shown = interrupt(replace(pause, name="sign_off", payload={"text": "?"}, tool_call_id=""))
    assert (shown["reason"], shown["message"]) == ("askback:sign_off", "sign_off")
    assert {"responseSchema", "toolCallId"} & shown.keys() == set()


def test_a_run_that_waits_for_nothing_has_no_such_outcome() -> None:
    with pytest.raises(ValueError, match="at least one pause"):
        run_finished([], thread_id="t", run_id="r")


@pytest.mark.parametrize(
    ("asked", "payload", "recorded"),
    [
        (PAY, {"approved": True}, {"decision": "approve", "arguments": ARGUMENTS}),
        (PAY, {"approved": False, "comment": "No box."}, {"decision": "reject", "comment": "No box."}),
        (
            PAY,
            {"approved": True, "editedArgs": ARGUMENTS | {"amount": 40.5}},
            {"decision": "approve", "arguments": ARGUMENTS | {"amount": 40.5}},
        ),
        (PAY, {"approved": True, "editedArgs": ARGUMENTS}, {"decision": "approve", "edits": {}}),
        (PAY, {"approved": True, "editedArgs": ARGUMENTS | {"count": 2.0}}, {"arguments": ARGUMENTS | {"count": 2}}),
        (PLAIN, {"approved": True}, {"decision": "approve"}),
        (ADDRESS, {"city": "Zürich", "floor": 3}, {"city": "Zürich", "floor": 3}),
        (ADDRESS, {"city": "Zürich", "floor": 3.0}, {"city": "Zürich", "floor": 3}),
    ],
)
def test_a_resolved_entry_is_an_answer_that_the_deployment_takes(asked: Any, payload: Any, recorded: Any) -> None:
    deployment, pause = minted(asked)
    answer = response(resolved(pause, payload), pause)
    done = deployment.client().resume(pause.pause_token, answer, scope="acme", answerer="ada@example.com")
    assert recorded.items() <= done.response.items()


def test_several_questions_are_answered_by_their_ids() -> None:
    deployment, pause = minted(SEVERAL)
    first, second, third = (each["id"] for each in pause.payload["questions"])
    payload = {first: "Yes", second: ["Broken", "The colour is wrong"], third: "Cash"}
    answer = response(resolved(pause, payload), pause)
    done = deployment.client().resume(pause.pause_token, answer, scope="acme", answerer="ada@example.com")
    assert [(each["selections"], each["other"]) for each in done.response["answers"]] == [
        (["Yes"], None),
        (["Broken"], "The colour is wrong"),
        ([], "Cash"),
    ]


def test_labels_are_a_choice_and_suggestions_where_another_text_is_allowed() -> None:
    _, pause = minted(SEVERAL)
    refund, why, how = interrupt(pause)["responseSchema"]["properties"].values()
    assert refund == {"type": "string", "enum": ["Yes", "No"], "title": "Refund?"}
    assert (why["type"], why["description"]) == ("array", "Broken, Late, or another text")
    assert "title" not in how
    assert how["description"].endswith("Bank, Card, or another text")


@pytest.mark.parametrize(
    ("asked", "payload", "field"),
    [
        (PAY, True, "resume.payload"),
        (PAY, "approve", "resume.payload"),
        (PAY, {}, "resume.payload.approved"),
        (PAY, {"approved": "true"}, "resume.payload.approved"),
        (PAY, {"approved": 1}, "resume.payload.approved"),
        (PAY, {"approved": True, "comment": 1}, "resume.payload.comment"),
        (PAY, {"approved": True, "sure": True}, "resume.payload"),
        (PAY, {"approved": True, "editedArgs": {"amount": 1}}, "resume.payload.editedArgs"),
        (PAY, {"approved": True, "editedArgs": ARGUMENTS | {"more": 1}}, "resume.payload.editedArgs"),
        (PAY, {"approved": True, "editedArgs": ARGUMENTS | {"order": "B-1"}}, "resume.payload.editedArgs"),
        (PAY, {"approved": False, "editedArgs": ARGUMENTS}, "resume.payload.editedArgs"),
        (PAY, {"approved": True, "comment": float("nan")}, "resume.payload.comment"),
        (ADDRESS, ["Zürich"], "resume.payload"),
        (ADDRESS, {"city": "Zürich", "street": "x"}, "resume.payload"),
        (SEVERAL, {}, "resume.payload.*"),
    ],
)
def test_a_payload_that_is_no_answer_is_refused_with_its_field(asked: Any, payload: Any, field: str) -> None:
    _, pause = minted(asked)
    with pytest.raises(InvalidRequest) as refused:
        response(resolved(pause, payload), pause)
    (error,) = refused.value.errors
    assert error.field == field or (field.endswith("*") and error.field.startswith(field[:-1]))


@pytest.mark.parametrize(
    "entry",
    [
        {"status": "cancelled"},
        {"status": "cancelled", "payload": {"approved": True}},
        {"status": "Resolved", "payload": {"approved": True}},
        {"status": "resolved"},
        {"status": "resolved", "payload": {"approved": True}, "interruptId": "another"},
        {},
    ],
    ids=str,
)
def test_an_entry_that_does_not_resolve_this_pause_is_never_an_answer(entry: dict[str, Any]) -> None:
    _, pause = minted(PAY)
    with pytest.raises(InvalidRequest):
        response({"interruptId": pause.jti} | entry, pause)


def test_every_open_interrupt_must_have_its_entry() -> None:
    one, two = ({"interruptId": name, "status": "cancelled"} for name in ("one", "two"))
    assert resume_entries({"resume": [two, one]}, ["one", "two"]) == {"one": one, "two": two}
    assert resume_entries({}, []) == {}
    for listed, field in [
        (None, "resume"),
        ([one], "resume"),
        ([one, one], "resume[1].interruptId"),
        ([one, two | {"interruptId": "three"}], "resume[1].interruptId"),
        ([one, "two"], "resume[1].status"),
        ([one, two | {"status": "done"}], "resume[1].status"),
        ([one, {"status": "cancelled"}], "resume[1].interruptId"),
    ]:
        with pytest.raises(InvalidRequest) as refused:
            resume_entries({"resume": listed}, ["one", "two"])
        assert [error.field for error in refused.value.errors] == [field]
