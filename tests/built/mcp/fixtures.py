"""The tools that the official conformance suite calls by name, served by the protocol of the mcp function.

The suite says what each does; nothing of it is in a deployment. The tools of the deployment ask for nothing in rounds,
and a person ends their tasks. So they alone could not show what the protocol says about rounds and tasks.
"""

import hashlib
import hmac
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from askback.domain.timestamps import rfc3339
from askback.edge.mcp.catalogue import TASKS, Catalogue, Result, Tool, ToolCall
from askback.edge.mcp.messages import INVALID_PARAMS, MISSING_CLIENT_CAPABILITY, ProtocolError

KEY = b"the key of the fixtures' request states"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
_META = "io.modelcontextprotocol/"

Call = ToolCall[Any]


class Nothing(BaseModel):
    """No arguments."""


class Named(BaseModel):
    """The argument of `greet`."""

    name: str = "World"


class Slow(BaseModel):
    """The arguments of `slow_compute`."""

    seconds: float = 0
    label: str = ""


class File(BaseModel):
    """The argument of `confirm_delete`."""

    filename: str = Field(default="")


def said(text: str, **members: Any) -> Result:
    """Return a result of one text."""
    return {"content": [{"type": "text", "text": text}], **members}


def asking(key: str, message: str, /, **properties: str) -> dict[str, Any]:
    """Return one request for the client: a form with these fields, each a type."""
    fields = {field: {"type": kind} for field, kind in properties.items()}
    schema = {"type": "object", "properties": fields, "required": list(fields)}
    return {key: {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}}


def sampling(name: str, text: str, most: int) -> dict[str, Any]:
    """Return one request for the client: a text of its model."""
    messages = [{"role": "user", "content": {"type": "text", "text": text}}]
    return {name: {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": most}}}


ROOTS = {"client_roots": {"method": "roots/list", "params": {}}}
NEEDS = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}


def rounds(requests: Mapping[str, Any], *, state: str | None = None) -> Result:
    """Return the result that asks the client, with a state that it cannot change."""
    sealed = {} if state is None else {"requestState": f"{state}.{_seal(state)}"}
    return {"resultType": "input_required", "inputRequests": dict(requests), **sealed}


def opened(call: Call) -> str:
    """Return the state that the client has brought back; empty in a first round."""
    given = call.message.params.get("requestState", "")
    if not given:
        return ""
    state, _, seal = str(given).partition(".")
    if not hmac.compare_digest(seal, _seal(state)):
        raise ProtocolError(INVALID_PARAMS, "the request state is not one of this server")
    return state


def replies(call: Call) -> dict[str, Any]:
    """Return what the client has sent for the requests of the round before, without what is no object."""
    given = call.message.params.get("inputResponses")
    return {name: reply for name, reply in (given or {}).items() if isinstance(reply, dict)}


def _seal(state: str) -> str:
    return hmac.new(KEY, state.encode(), hashlib.sha256).hexdigest()


def until(*names: str, requests: Mapping[str, Any], state: str | None = None) -> Callable[[Call], Result]:
    """Return a tool that asks until all of these have come."""

    def act(call: Call) -> Result:
        seen, given = opened(call), replies(call)
        if all(name in given for name in names) and (state is None or seen == state):
            return said(f"state-ok: {given}")
        return rounds(requests, state=state)

    return act


def multi_round(call: Call) -> Result:
    """Ask for a name, then for a colour."""
    given, state = replies(call), opened(call)
    if state == "two" and "step2" in given:
        return said("both were given")
    if state == "one" and "step1" in given:
        return rounds(asking("step2", "Step 2: What is your favorite color?", color="string"), state="two")
    return rounds(asking("step1", "Step 1: What is your name?", name="string"), state="one")


def declared_only(call: Call) -> Result:
    """Ask only for what the client has declared."""
    requests = {**asking("user", "Name?", name="string"), **sampling("text", "Hello?", 10), **ROOTS}
    declared = call.message.capabilities
    return rounds({name: each for name, each in requests.items() if NEEDS[each["method"]] in declared})


def need(call: Call, capability: dict[str, Any]) -> None:
    """Refuse a client that has not declared a capability."""
    name, inner = next(iter(capability.items()))
    has = call.takes_task if inner else name in call.message.capabilities
    if not has:
        raise ProtocolError(MISSING_CLIENT_CAPABILITY, "not declared", data={"requiredCapabilities": capability})


@dataclass(kw_only=True)
class FixtureTask:
    """A task that ends by itself at `ends`, or when all of its requests are answered."""

    ends: float = 0.0
    outcome: Result = field(default_factory=lambda: {"result": said("done")})
    requests: dict[str, Any] = field(default_factory=dict)
    cancelled: bool = False
    created: float = field(default_factory=time.time)

    def shown(self, task_id: str) -> Result:
        """Return the task as `tasks/get` shows it."""
        failed = "error" in self.outcome
        ended = not self.requests and time.time() >= self.ends
        status = "cancelled" if self.cancelled else "input_required" if self.requests else "working"
        if ended and not self.cancelled:
            status = "failed" if failed else "completed"
        return {
            "taskId": task_id,
            "status": status,
            "createdAt": rfc3339(int(self.created)),
            "lastUpdatedAt": rfc3339(int(self.created)),
            "ttlMs": 3_600_000,
            "pollIntervalMs": 100,
            **({"inputRequests": self.requests} if status == "input_required" else {}),
            **(self.outcome if status in ("completed", "failed") else {}),
        }


class FixtureTasks:
    """The tasks of the fixtures, in memory."""

    def __init__(self) -> None:
        self._tasks: dict[str, FixtureTask] = {}

    def begin(self, task: FixtureTask) -> Result:
        """Keep a task, and return what creates it for the client."""
        task_id = uuid.uuid4().hex
        self._tasks[task_id] = task
        shown = task.shown(task_id)
        plain = {name: value for name, value in shown.items() if name not in ("inputRequests", "result", "error")}
        return {"resultType": "task", **plain, "status": "working"}

    async def task(self, task_id: str, context: Any) -> Result:
        """Return the task."""
        return self._named(task_id).shown(task_id)

    async def cancel(self, task_id: str, context: Any) -> None:
        """Cancel the task, unless it has ended."""
        task = self._named(task_id)
        task.cancelled = task.shown(task_id)["status"] in ("working", "input_required") or task.cancelled

    async def update(self, task_id: str, given: Mapping[str, Any], context: Any) -> None:
        """Take the replies to the requests that are open."""
        task = self._named(task_id)
        task.requests = {name: request for name, request in task.requests.items() if name not in given}

    def _named(self, task_id: str) -> FixtureTask:
        if task_id not in self._tasks:
            raise ProtocolError(INVALID_PARAMS, "there is no such task")
        return self._tasks[task_id]


def fixture_catalogue() -> Catalogue[Any]:
    """Return the catalogue of all tools that the suite calls and that a server without streams can have."""
    tasks = FixtureTasks()
    sampled: dict[str, Any] = {"sampling": {}}

    def slow(call: Call) -> Result:
        seconds = float(call.arguments.get("seconds", 0))
        if not call.takes_task:
            return said("computed")
        return tasks.begin(FixtureTask(ends=time.time() + seconds, outcome={"result": said("computed")}))

    def required(task: Callable[[], FixtureTask]) -> Callable[[Call], Result]:
        def act(call: Call) -> Result:
            need(call, {"extensions": {TASKS: {}}})
            return tasks.begin(task())

        return act

    def then_a_task(call: Call) -> Result:
        given = replies(call).get("user_name")
        if given is None:
            return rounds(asking("user_name", "What is your name?", name="string"))
        text = f"Hello, {given['content']['name']}!"
        return required(lambda: FixtureTask(outcome={"result": said(text)}))(call)

    def lacking(call: Call) -> Result:
        need(call, sampled)
        return said("declared")

    failing = {"result": said("it failed", isError=True)}
    broken = {"error": {"code": -32603, "message": "it broke"}}
    both = {**asking("first", "First?", name="string"), **asking("second", "Second?", confirm="boolean")}
    sure = asking("confirm", "Delete it?", confirm="boolean")
    name = asking("user_name", "What is your name?", name="string")
    every = {**name, **sampling("greeting", "Generate a greeting", 50), **ROOTS}
    confirm = asking("confirm", "Please confirm", ok="boolean")
    image = {"type": "image", "data": PNG, "mimeType": "image/png"}
    audio = {"type": "audio", "data": WAV, "mimeType": "audio/wav"}
    mixed = {
        "uri": "test://mixed-content-resource",
        "mimeType": "application/json",
        "text": '{"test":"data","value":123}',
    }
    plain = {
        "uri": "test://embedded-resource",
        "mimeType": "text/plain",
        "text": "This is an embedded resource content.",
    }
    several = {
        "content": [
            {"type": "text", "text": "Multiple content types test:"},
            image,
            {"type": "resource", "resource": mixed},
        ]
    }
    mrtr = "test_input_required_result"
    acts: dict[str, tuple[type[BaseModel], Callable[[Call], Result]]] = {
        "test_simple_text": (Nothing, lambda _: said("This is a simple text response for testing.")),
        "test_image_content": (Nothing, lambda _: {"content": [image]}),
        "test_audio_content": (Nothing, lambda _: {"content": [audio]}),
        "test_embedded_resource": (Nothing, lambda _: {"content": [{"type": "resource", "resource": plain}]}),
        "test_multiple_content_types": (Nothing, lambda _: several),
        "test_error_handling": (
            Nothing,
            lambda _: said("This tool intentionally returns an error for testing", isError=True),
        ),
        "test_missing_capability": (Nothing, lacking),
        "test_streaming_elicitation": (Nothing, lambda _: rounds(name)),
        "test_logging_tool": (Nothing, lambda _: said("nothing is logged to the client")),
        f"{mrtr}_elicitation": (Nothing, until("user_name", requests=name)),
        f"{mrtr}_sampling": (
            Nothing,
            until("capital_question", requests=sampling("capital_question", "What is the capital of France?", 100)),
        ),
        f"{mrtr}_list_roots": (Nothing, until("client_roots", requests=ROOTS)),
        f"{mrtr}_request_state": (Nothing, until("confirm", requests=confirm, state="one")),
        f"{mrtr}_multiple_inputs": (Nothing, until(*every, requests=every, state="all")),
        f"{mrtr}_multi_round": (Nothing, multi_round),
        f"{mrtr}_tampered_state": (Nothing, until("confirm", requests=confirm, state="one")),
        f"{mrtr}_capabilities": (Nothing, declared_only),
        "greet": (Named, lambda call: said(f"Hello, {call.arguments.get('name', 'World')}!")),
        "slow_compute": (Slow, slow),
        "failing_job": (Nothing, required(lambda: FixtureTask(ends=time.time() + 0.5, outcome=failing))),
        "protocol_error_job": (Nothing, required(lambda: FixtureTask(outcome=broken))),
        "confirm_delete": (File, required(lambda: FixtureTask(requests=dict(sure)))),
        "multi_input": (Nothing, required(lambda: FixtureTask(requests=dict(both)))),
        "test_tool_with_task": (Nothing, then_a_task),
    }
    return Catalogue(
        name="askback-fixtures",
        version="1",
        instructions="For the conformance suite.",
        tools=tuple(_tool(name, arguments, act) for name, (arguments, act) in acts.items()),
        tasks=tasks,
    )


def _tool(name: str, arguments: type[BaseModel], act: Callable[[Call], Result]) -> Tool[Any]:
    async def acted(call: Call) -> Result:
        return act(call)

    return Tool(name=name, title=name, description=f"The fixture {name}.", arguments=arguments, act=acted)
