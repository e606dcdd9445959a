"""`askback.agui` and `askback.a2a` against the released types: they write and read what these accept and write.

The unit tests use plain JSON. Here the JSON goes through the models of `ag-ui-protocol` and `a2a-sdk` in between, as it
does on the wire.
"""

from typing import Any

import pytest
from a2a.types import Message, Part, Role, Task, TaskState, TaskStatus
from ag_ui.core import (
    Interrupt,
    ResumeEntry,
    RunAgentInput,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    ToolCall,
)
from ag_ui.core.types import FunctionCall
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Value
from jsonschema import Draft202012Validator

from askback import (
    IssuedPause,
    PauseExpired,
    PauseRevoked,
    PauseSuperseded,
    approval,
    approve,
    ask_user,
    form,
    question,
)
from askback.a2a.asking import answering_message, pause_fields as task_pause_fields
from askback.a2a.serving import ended_status, response as message_response, waiting_status
from askback.agui.front_end import response, resume_entries, run_finished
from askback.agui.interrupts import open_interrupts, pause_fields, resume_entry
from askback.testing.deployment import InProcessDeployment

pytestmark = pytest.mark.agents

PAY = approval("Pay?", action="pay", arguments={"order": "A-1009", "count": 1}, editable={"count": {"type": "integer"}})
REFUND = ask_user(question("Refund?", ["Yes", "No"]), question("Why?", ["Broken", "Late"], multi_select=True))
FLOOR = form("Which floor?", {"floor": {"type": "integer"}}, required=["floor"])
QUESTIONS = [PAY, REFUND, FLOOR]


def minted(asked: Any) -> tuple[InProcessDeployment, IssuedPause]:
    deployment = InProcessDeployment()
    fields: dict[str, Any] = {"run_id": "run-1", "scope": "acme", "ttl_seconds": 86_400, "tool_call_id": "call_1"}
    messages = [{"role": "user", "content": "Refund order A-1009."}]
    return deployment, deployment.client().pause(*asked, **fields, messages=messages, idempotency_key="k")


def flat(pause: IssuedPause) -> dict[str, Any]:
    """Return an answer to the question in the flat form, as a front end builds it from the schema."""
    if pause.name == "approval":
        return {"approved": True, "editedArgs": {"order": "A-1009", "count": 2}}
    if pause.name == "form":
        return {"floor": 3}
    first, second = (each["id"] for each in pause.payload["questions"])
    return {first: "Yes", second: ["Broken", "Late"]}


def accepted(deployment: InProcessDeployment, pause: IssuedPause, answer: Any) -> Any:
    return deployment.client().resume(pause.pause_token, answer, scope="acme", answerer="ada@example.com").response


def wire(model: Any) -> dict[str, Any]:
    dumped: dict[str, Any] = model.model_dump(mode="json", by_alias=True)
    return dumped


def assert_known(model: Any) -> None:
    """Assert that the model kept no field as an extra: a misspelt name would be one."""
    assert not model.model_extra


# --- AG-UI ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked.name)
def test_a_front_end_of_the_released_package_shows_and_answers_each_question(asked: Any) -> None:
    deployment, pause = minted(asked)
    event = RunFinishedEvent.model_validate(run_finished([pause], thread_id="thread-1", run_id="run-1"))
    assert isinstance(event.outcome, RunFinishedInterruptOutcome)
    (shown,) = event.outcome.interrupts
    for model in (event, event.outcome, shown):
        assert_known(model)
    assert (
        wire(event)["outcome"]["interrupts"]
        == run_finished([pause], thread_id="t", run_id="r")["outcome"]["interrupts"]
    )

    payload = flat(pause)
    Draft202012Validator.check_schema(shown.response_schema or {})
    Draft202012Validator(shown.response_schema or {}).validate(payload)
    entry = ResumeEntry(interrupt_id=shown.id, status="resolved", payload=payload)
    run = wire(RunAgentInput(thread_id="thread-1", run_id="run-2", messages=[], resume=[entry]))
    answer = response(resume_entries(run, [pause.jti])[pause.jti], pause)
    recorded = accepted(deployment, pause, answer)
    if pause.name == "approval":
        assert recorded["arguments"] == payload["editedArgs"]
    elif pause.name == "form":
        assert recorded == payload
    else:
        assert [each["selections"] for each in recorded["answers"]] == [["Yes"], ["Broken", "Late"]]


@pytest.mark.parametrize("approves", [True, False])
def test_an_agent_of_the_released_package_gets_its_answer(approves: bool) -> None:
    schema = {"type": "object", "properties": {"approved": {"type": "boolean"}}, "required": ["approved"]}
    stopped = Interrupt(id="int-1", reason="tool_call", message="Pay?", tool_call_id="tc-1", response_schema=schema)
    outcome = RunFinishedInterruptOutcome(interrupts=[stopped])
    event = wire(RunFinishedEvent(thread_id="thread-1", run_id="run-1", outcome=outcome))
    call = wire(ToolCall(id="tc-1", function=FunctionCall(name="pay", arguments='{"order": "A-1009"}')))
    (interrupt,) = open_interrupts(event)
    deployment = InProcessDeployment()
    fields = pause_fields(
        interrupt, thread_id="thread-1", run_id="run-1", ttl_seconds=60, at=deployment.clock.now(), tool_call=call
    )
    pause = deployment.client().pause(**fields, scope="acme")
    deployment.answer(pause, {"decision": "approve" if approves else "reject"})
    written = resume_entry(interrupt, deployment.client().outcome(pause.pause_token, scope="acme"))
    entry = ResumeEntry.model_validate(written)
    assert_known(entry)
    assert (entry.interrupt_id, entry.status, entry.payload) == ("int-1", "resolved", {"approved": approves})
    assert wire(entry) == written
    Draft202012Validator(schema).validate(entry.payload)


@pytest.mark.parametrize("error", [PauseExpired(), PauseRevoked(), PauseSuperseded()], ids=str)
def test_an_end_without_an_answer_is_a_cancelled_entry_of_the_released_package(error: Any) -> None:
    interrupt = wire(Interrupt(id="int-1", reason="tool_call", tool_call_id="tc-1"))
    entry = ResumeEntry.model_validate(resume_entry(interrupt, error))
    assert_known(entry)
    assert (entry.status, entry.payload) == ("cancelled", None)


# --- A2A --------------------------------------------------------------------------------------------------------------


def status_of(written: dict[str, Any]) -> TaskStatus:
    """Parse a status as the released package does; a name that the protocol does not have raises an error."""
    status: TaskStatus = ParseDict(written, TaskStatus())
    assert MessageToDict(status) == written
    return status


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked.name)
def test_a_user_of_the_released_package_answers_each_question(asked: Any) -> None:
    deployment, pause = minted(asked)
    written = waiting_status(pause, task_id="task-1", context_id="context-1", at=1_790_000_000)
    status = status_of(written)
    assert status.state == TaskState.TASK_STATE_INPUT_REQUIRED
    assert status.message.role == Role.ROLE_AGENT

    data = ParseDict(flat(pause), Value())
    message = Message(
        message_id="m", task_id="task-1", context_id="context-1", role=Role.ROLE_USER, parts=[Part(data=data)]
    )
    answer = message_response(MessageToDict(message), pause, task_id="task-1")
    recorded = accepted(deployment, pause, answer)
    if pause.name == "approval":
        # Protobuf carries numbers as doubles; a whole one comes back whole.
        assert recorded["arguments"] == {"order": "A-1009", "count": 2}
        assert isinstance(recorded["arguments"]["count"], int)
    elif pause.name == "form":
        assert recorded == {"floor": 3}
    else:
        assert [each["selections"] for each in recorded["answers"]] == [["Yes"], ["Broken", "Late"]]


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (PauseExpired(), TaskState.TASK_STATE_FAILED),
        (PauseRevoked(), TaskState.TASK_STATE_CANCELED),
        (PauseSuperseded(), TaskState.TASK_STATE_INPUT_REQUIRED),
        (approve(), TaskState.TASK_STATE_WORKING),
        ({"decision": "reject"}, TaskState.TASK_STATE_REJECTED),
    ],
    ids=str,
)
def test_every_end_is_a_state_of_the_released_package(outcome: Any, state: int) -> None:
    if isinstance(outcome, dict):
        outcome = {"name": "approval", "interrupt_id": "", "response": outcome}
    written = ended_status(outcome, task_id="task-1", context_id="context-1", at=1_790_000_000)
    assert status_of(written).state == state


def test_another_persons_answer_and_a_completed_question_are_states_of_the_released_package() -> None:
    deployment, pause = minted(FLOOR)
    waiting = waiting_status(pause, task_id="t", context_id="c", at=0, user_answers=False)
    assert status_of(waiting).state == TaskState.TASK_STATE_AUTH_REQUIRED
    deployment.answer(pause, {"floor": 3})
    outcome = deployment.client().outcome(pause.pause_token, scope="acme")
    written = ended_status(outcome, task_id="t", context_id="c", at=0, answer_is_result=True)
    status = ParseDict(written, TaskStatus())
    assert status.state == TaskState.TASK_STATE_COMPLETED
    assert MessageToDict(status.message.parts[1].data) == {"floor": 3}


def test_a_task_of_the_released_package_gets_its_message() -> None:
    asking = Message(message_id="m-1", role=Role.ROLE_AGENT, parts=[Part(text="Which city?")])
    status = TaskStatus(state=TaskState.TASK_STATE_INPUT_REQUIRED, message=asking)
    task = MessageToDict(Task(id="task-1", context_id="context-1", status=status))
    deployment = InProcessDeployment()
    pause = deployment.client().pause(**task_pause_fields(task, run_id="run-1", ttl_seconds=60), scope="acme")
    deployment.answer(pause, {"answer": "Zürich"})
    written = answering_message(task, deployment.client().outcome(pause.pause_token, scope="acme"))
    message: Message = ParseDict(written, Message())
    assert (message.role, message.task_id, message.parts[0].text) == (Role.ROLE_USER, "task-1", "Zürich")
    assert MessageToDict(message) == written
