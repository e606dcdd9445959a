"""What each service's refusal means to a delivery, as a real client meets it; none of them shows an address."""

import asyncio
import json
import logging
import traceback
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ConnectTimeoutError, EndpointConnectionError, NoCredentialsError

from askback.adapters.aws.clients import DELIVERY_CONFIG
from askback.adapters.delivery import AwsDelivery, NoBusForWaiters, NoEvents
from askback.adapters.event_bridge import EventBridgeEvents
from askback.domain.errors import HumanInteractionError, InteractionConfigurationError, StoreUnavailable
from askback.domain.pause.events import PauseEvent, PauseEventType
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.ports import DeliveryResult
from tests.support.aws_faults import Attempts, Calls, break_wire, reply
from tests.support.aws_stores import aws_environment
from tests.support.domain_values import an_acceptance, an_issued_row
from tests.support.memory_deployment import NOW
from tests.support.unreachable_aws import ENDPOINT, WIRE, client

SECRET = "AAAAKgAAAAIAAA+/x/y=="
OUTCOME = '{"response":"THE ANSWER"}'
SERVICES = {"step_functions": "stepfunctions", "lambda_durable": "lambda", "lambda": "lambda", "event": "events"}
OPERATIONS = {
    ("step_functions", "ask"): "SendTaskHeartbeat",
    ("step_functions", "deliver"): "SendTaskSuccess",
    ("step_functions", "fail"): "SendTaskFailure",
    ("lambda_durable", "ask"): "SendDurableExecutionCallbackHeartbeat",
    ("lambda_durable", "deliver"): "SendDurableExecutionCallbackSuccess",
    ("lambda_durable", "fail"): "SendDurableExecutionCallbackFailure",
    ("lambda", "deliver"): "Invoke",
    ("lambda", "fail"): "Invoke",
    ("event", "deliver"): "PutEvents",
    ("event", "fail"): "PutEvents",
}
CLOSED = {
    "step_functions": ["TaskTimedOut", "TaskDoesNotExist", "InvalidToken"],
    "lambda_durable": ["ResourceNotFoundException", "CallbackTimeoutException"],
}
CLOSING = [(kind, act, code) for kind, codes in CLOSED.items() for code in codes for act in ("ask", "deliver", "fail")]
PASSING = [
    ("ThrottlingException", 400),
    ("TooManyRequestsException", 429),
    ("ServiceException", 500),
    ("InternalException", 500),
    ("KmsThrottlingException", 400),
    ("NobodyKnowsThisError", 503),
]
OPERATOR = [("AccessDeniedException", 403), ("InvalidOutput", 400)]


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    with aws_environment():
        yield


def waiter_of(kind: str) -> Waiter:
    return Waiter(kind=WaiterKind(kind), address="" if kind == "event" else SECRET)


def outcome_of(kind: str, act: str, wired: Any) -> Any:
    """Return what one call of the port comes to, over one client."""
    port = AwsDelivery(
        step_functions=lambda: wired,
        functions=lambda: wired,
        events=EventBridgeEvents(client=lambda: wired, bus="pauses"),
    )
    waiter = waiter_of(kind)
    row = an_issued_row(status=PauseStatus.ANSWERED, answer=an_acceptance(), waiter=waiter)
    acts: dict[str, Callable[[], Coroutine[Any, Any, Any]]] = {
        "ask": lambda: port.still_waits(waiter),
        "deliver": lambda: port.deliver(waiter, row, OUTCOME),
        "fail": lambda: port.fail(waiter, row, OUTCOME),
    }
    return asyncio.run(acts[act]())


def refused_with(wired: Any, operation: str, *, code: str, status: int) -> None:
    """Let the service refuse with a message that repeats what it was sent."""
    # An announcement never had the secret that a message could repeat.
    words = "words" if operation == "PutEvents" else f"{SECRET} {OUTCOME}"
    body = json.dumps({"__type": f"com.amazonaws#{code}", "message": words, "Type": "User"})
    reply(wired, operation, status=status, body=body, headers={"x-amzn-errortype": code})


def failure_of(kind: str, act: str, fault: Callable[[Any, str], None]) -> HumanInteractionError:
    wired = client(SERVICES[kind])
    fault(wired, OPERATIONS[kind, act])
    with pytest.raises(HumanInteractionError) as raised:
        outcome_of(kind, act, wired)
    require_silent(raised.value)
    return raised.value


def require_silent(error: HumanInteractionError) -> None:
    said = "".join(traceback.format_exception(error)) + repr(vars(error))
    assert SECRET not in said
    assert "THE ANSWER" not in said


@pytest.mark.parametrize(("kind", "act", "code"), CLOSING)
def test_what_a_service_calls_a_run_that_waits_no_more_is_closed(kind: str, act: str, code: str) -> None:
    """A-21."""
    wired = client(SERVICES[kind])
    refused_with(wired, OPERATIONS[kind, act], code=code, status=400)
    assert outcome_of(kind, act, wired) is (False if act == "ask" else DeliveryResult.CLOSED)


@pytest.mark.parametrize(("kind", "act"), [key for key in OPERATIONS if key[0] in ("lambda", "event")])
def test_a_function_or_a_bus_that_is_not_there_is_never_a_run_that_has_ended(kind: str, act: str) -> None:
    error = failure_of(
        kind, act, lambda wired, operation: refused_with(wired, operation, code="ResourceNotFoundException", status=404)
    )
    assert type(error) is InteractionConfigurationError


@pytest.mark.parametrize(("code", "status"), PASSING)
@pytest.mark.parametrize(("kind", "act"), OPERATIONS)
def test_what_passes_by_itself_is_tried_again_later(kind: str, act: str, code: str, status: int) -> None:
    error = failure_of(kind, act, lambda wired, operation: refused_with(wired, operation, code=code, status=status))
    assert type(error) is StoreUnavailable
    assert code in error.reason
    # The service answered, so it is known what happened, unless it is the service that failed.
    assert error.did_nothing is (status < 500)


@pytest.mark.parametrize(("code", "status"), OPERATOR)
@pytest.mark.parametrize(("kind", "act"), OPERATIONS)
def test_what_an_operator_must_mend_says_which_kind_of_waiter(kind: str, act: str, code: str, status: int) -> None:
    error = failure_of(kind, act, lambda wired, operation: refused_with(wired, operation, code=code, status=status))
    assert isinstance(error, InteractionConfigurationError)
    assert code in error.reason
    assert ("event bus pauses" if kind == "event" else f"a {kind} waiter") in error.reason
    assert ENDPOINT in error.reason
    assert ENDPOINT not in error.detail


@pytest.mark.parametrize("broken", WIRE, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(("kind", "act"), OPERATIONS)
def test_a_service_that_cannot_be_reached_is_tried_again_later(kind: str, act: str, broken: Exception) -> None:
    error = failure_of(kind, act, lambda wired, operation: break_wire(wired, operation, broken))
    assert type(error) is StoreUnavailable
    # A reply that did not come may have been on its way.
    assert error.did_nothing is isinstance(broken, EndpointConnectionError | ConnectTimeoutError)


def test_a_function_without_credentials_needs_an_operator() -> None:
    error = failure_of("step_functions", "deliver", lambda w, operation: break_wire(w, operation, NoCredentialsError()))
    assert type(error) is InteractionConfigurationError


@pytest.mark.parametrize(("kind", "act"), [key for key in OPERATIONS if key[0] != "event"])
def test_a_delivery_is_sent_once_and_never_repeated_by_the_client(kind: str, act: str) -> None:
    """A second try of one that landed would find the run closed, and look as if it had ended without its answer."""
    make: Any = boto3.client
    wired = make(SERVICES[kind], config=DELIVERY_CONFIG, endpoint_url=ENDPOINT)
    attempts = Attempts.of(wired, OPERATIONS[kind, act])
    refused_with(wired, OPERATIONS[kind, act], code="ThrottlingException", status=500)
    with pytest.raises(StoreUnavailable):
        outcome_of(kind, act, wired)
    assert attempts.count == 1


@pytest.mark.parametrize("token", ["AAAAKgAAAAIAAA+/x/y==", json.loads('"AAAA+/x\\u003d\\u003d"'), "a+/=" * 512])
def test_a_task_token_arrives_byte_for_byte(token: str) -> None:
    """A-22."""
    wired = client("stepfunctions")
    calls = Calls.of(wired)
    for operation in ("SendTaskHeartbeat", "SendTaskSuccess", "SendTaskFailure"):
        reply(wired, operation, status=200, body="{}")
    port = AwsDelivery(step_functions=lambda: wired, functions=lambda: wired, events=NoEvents())
    waiter = Waiter(kind=WaiterKind.STEP_FUNCTIONS, address=token)
    asyncio.run(port.still_waits(waiter))
    asyncio.run(port.deliver(waiter, an_issued_row(), OUTCOME))
    asyncio.run(port.fail(waiter, an_issued_row(), OUTCOME))
    assert [sent for _, sent in calls.made] == [
        {"taskToken": token},
        {"taskToken": token, "output": OUTCOME},
        {"taskToken": token, "error": "Askback.PauseExpired", "cause": OUTCOME},
    ]


def test_an_entry_that_the_bus_did_not_take_is_never_a_silent_loss() -> None:
    wired = client("events")
    body = {"FailedEntryCount": 1, "Entries": [{"ErrorCode": "ThrottlingException", "ErrorMessage": "words"}]}
    reply(wired, "PutEvents", status=200, body=json.dumps(body))
    sink = EventBridgeEvents(client=lambda: wired, bus="pauses")
    with pytest.raises(StoreUnavailable) as raised:
        asyncio.run(sink.publish(PauseEvent(type=PauseEventType.ISSUED, row=an_issued_row(), at=NOW)))
    assert "ThrottlingException" in raised.value.reason


def test_without_a_bus_announcements_go_nowhere_and_a_delivery_by_event_is_refused() -> None:
    event = PauseEvent(type=PauseEventType.ANSWERED, row=an_issued_row(), at=NOW)
    asyncio.run(NoEvents().publish(event))
    with pytest.raises(InteractionConfigurationError, match="no event bus") as raised:
        asyncio.run(NoBusForWaiters().publish(event))
    assert "ASKBACK_EVENT_BUS" in raised.value.reason


@pytest.mark.parametrize(("kind", "act"), OPERATIONS)
def test_our_own_code_logs_nothing_of_a_delivery(kind: str, act: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        failure_of(kind, act, lambda wired, operation: refused_with(wired, operation, code="Throttling", status=400))
    assert SECRET not in caplog.text
