"""Delivers outcomes to waiters on AWS: Step Functions tasks, durable functions, functions and event consumers.

Each service has its own errors for a run that does not wait any more; here all of them are CLOSED. Every other error is
classified like any client error. No error and no log contains a task token or a callback id.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from askback.adapters.aws.errors import CLIENT_ERRORS, classify, error_code
from askback.domain.delivery.outcome_text import EXPIRED_ERROR, REVOKED_ERROR, SUPERSEDED_ERROR
from askback.domain.errors import InteractionConfigurationError
from askback.domain.pause.events import PauseEvent, PauseEventType
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.ports import DeliveryResult, EventSink

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_stepfunctions import SFNClient

_CLOSED = {
    WaiterKind.STEP_FUNCTIONS: frozenset({"TaskTimedOut", "TaskDoesNotExist", "InvalidToken"}),
    WaiterKind.LAMBDA_DURABLE: frozenset({"ResourceNotFoundException", "CallbackTimeoutException"}),
}
"""The services' errors for a run that does not wait: answered before, timed out, stopped, or never started."""
_FAILURES = {
    PauseStatus.REVOKED: (REVOKED_ERROR, PauseEventType.REVOKED),
    PauseStatus.SUPERSEDED: (SUPERSEDED_ERROR, PauseEventType.SUPERSEDED),
}
"""The error and the event of a pause that was taken back; every other one without an answer has expired."""


class AwsDelivery:
    """The delivery port; each client is made on first use, because most functions need only some of them."""

    def __init__(
        self, *, step_functions: "Callable[[], SFNClient]", functions: "Callable[[], LambdaClient]", events: EventSink
    ) -> None:
        self._step_functions = step_functions
        self._functions = functions
        self._events = events

    async def still_waits(self, waiter: Waiter) -> bool:
        """Return whether the run still waits. It sends a heartbeat, which also extends a task's heartbeat timeout."""
        if waiter.kind is WaiterKind.STEP_FUNCTIONS:
            result = self._send(waiter, "send_task_heartbeat", {"taskToken": waiter.address})
        elif waiter.kind is WaiterKind.LAMBDA_DURABLE:
            result = self._send(waiter, "send_durable_execution_callback_heartbeat", {"CallbackId": waiter.address})
        else:
            return True
        return result is DeliveryResult.TAKEN

    async def deliver(self, waiter: Waiter, row: LedgerRow, outcome: str) -> DeliveryResult:
        """Send the outcome to the run. An event contains no outcome; its consumer fetches it."""
        match waiter.kind:
            case WaiterKind.STEP_FUNCTIONS:
                request: Mapping[str, Any] = {"taskToken": waiter.address, "output": outcome}
                return self._send(waiter, "send_task_success", request)
            case WaiterKind.LAMBDA_DURABLE:
                request = {"CallbackId": waiter.address, "Result": outcome.encode()}
                return self._send(waiter, "send_durable_execution_callback_success", request)
            case WaiterKind.LAMBDA:
                return self._invoke(waiter, outcome)
            case WaiterKind.EVENT:
                return await self._publish(PauseEventType.ANSWERED, row)

    async def fail(self, waiter: Waiter, row: LedgerRow, outcome: str) -> DeliveryResult:
        """Send the run the outcome of a pause without an answer; a task or a callback gets it as a failure."""
        name, event = _FAILURES.get(row.status, (EXPIRED_ERROR, PauseEventType.EXPIRED))
        match waiter.kind:
            case WaiterKind.STEP_FUNCTIONS:
                request: Mapping[str, Any] = {"taskToken": waiter.address, "error": name, "cause": outcome}
                return self._send(waiter, "send_task_failure", request)
            case WaiterKind.LAMBDA_DURABLE:
                error = {"ErrorType": name, "ErrorMessage": outcome}
                request = {"CallbackId": waiter.address, "Error": error}
                return self._send(waiter, "send_durable_execution_callback_failure", request)
            case WaiterKind.LAMBDA:
                return self._invoke(waiter, outcome)
            case WaiterKind.EVENT:
                return await self._publish(event, row)

    def _invoke(self, waiter: Waiter, outcome: str) -> DeliveryResult:
        request = {"FunctionName": waiter.address, "InvocationType": "Event", "Payload": outcome.encode()}
        return self._send(waiter, "invoke", request)

    async def _publish(self, kind: PauseEventType, row: LedgerRow) -> DeliveryResult:
        await self._events.publish(PauseEvent(type=kind, row=row, at=row.ended_at))
        return DeliveryResult.TAKEN

    def _send(self, waiter: Waiter, operation: str, request: Mapping[str, Any]) -> DeliveryResult:
        client = self._step_functions() if waiter.kind is WaiterKind.STEP_FUNCTIONS else self._functions()
        try:
            getattr(client, operation)(**request)
        except CLIENT_ERRORS as error:
            if isinstance(error, ClientError) and error_code(error) in _CLOSED.get(waiter.kind, frozenset()):
                return DeliveryResult.CLOSED
            # `from None`: the text of the client's error may contain the token.
            raise classify(error, resource=f"a {waiter.kind.value} waiter", endpoint=client.meta.endpoint_url) from None
        return DeliveryResult.TAKEN


class NoEvents:
    """The event sink of a deployment without an event bus."""

    async def publish(self, event: PauseEvent) -> None:
        """Do nothing."""


class NoBusForWaiters:
    """The event sink for `event` waiters in a deployment without an event bus: such a pause cannot be delivered."""

    async def publish(self, event: PauseEvent) -> None:
        """Always raise InteractionConfigurationError."""
        raise InteractionConfigurationError("the deployment has no event bus", reason="ASKBACK_EVENT_BUS is not set")
