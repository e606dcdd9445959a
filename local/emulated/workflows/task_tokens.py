"""Makes moto's task tokens behave like those of Step Functions: one answer, in time, and JSON.

moto differs from the service in seven ways, and each could hide a fault:

- it accepts several answers to one token, and answers that come too late;
- it uses one token for all attempts of a state;
- it refuses a heartbeat for a task without a heartbeat timeout;
- it drops the cause of a failure, and leaves the code of some errors empty;
- its tokens have no characters that need escaping in a URL.
"""

from __future__ import annotations

import base64
import functools
import json
import secrets
import threading
from collections.abc import Callable
from typing import Any, Final

from moto.core.responses import EmptyResult
from moto.stepfunctions.parser.api import ExecutionStatus, InvalidOutput, InvalidToken, TaskTimedOut
from moto.stepfunctions.parser.asl.component.state.exec.execute_state import ExecutionState
from moto.stepfunctions.parser.asl.eval.callback.callback import (
    CallbackEndpoint,
    CallbackOutcomeFailure,
    CallbackOutcomeSuccess,
)
from moto.stepfunctions.parser.asl.eval.states import ContextObject
from moto.stepfunctions.parser.models import StepFunctionsParserBackend
from moto.stepfunctions.responses import StepFunctionResponse

_MARK: Final = "__task_tokens__"
_CLOSED: Final = "closed_to_answers"
_GONE: Final = "Task Timed Out: 'Provided task does not exist anymore'"
_install_lock = threading.Lock()
# Held while a token is found, closed and answered, so that only one of several answers finds it open.
_lock = threading.RLock()


def install() -> None:
    """Patch moto in this process; a second call changes nothing."""
    with _install_lock:
        if hasattr(StepFunctionsParserBackend, _MARK):
            return
        setattr(StepFunctionsParserBackend, _MARK, True)
        for owner, name, replacement in (
            (StepFunctionsParserBackend, "send_task_success", _succeed),
            (StepFunctionsParserBackend, "send_task_failure", _fail),
            (StepFunctionsParserBackend, "send_task_heartbeat", _heartbeat),
            (StepFunctionResponse, "send_task_failure", _read_failure),
            (CallbackEndpoint, "interrupt_all", _closing_endpoint(CallbackEndpoint.interrupt_all)),
            (ExecutionState, "_evaluate_with_timeout", _renewing(ExecutionState._evaluate_with_timeout)),  # noqa: SLF001
            (ContextObject, "update_task_token", _drawing_like_aws(ContextObject.update_task_token)),
        ):
            setattr(owner, name, replacement)


def _succeed(backend: Any, task_token: str, outcome: str) -> None:
    try:
        json.loads(outcome)
    except ValueError:
        raise InvalidOutput("Invalid Output: 'The output is not valid JSON'", "InvalidOutput") from None
    _answer(backend, task_token, CallbackOutcomeSuccess(callback_id=task_token, output=outcome))


def _fail(backend: Any, task_token: str, error: str | None = None, cause: str | None = None) -> None:
    _answer(backend, task_token, CallbackOutcomeFailure(callback_id=task_token, error=error, cause=cause))


def _heartbeat(backend: Any, task_token: str) -> None:
    with _lock:
        # The result for a task without a heartbeat timeout does not matter: that task still waits.
        _open(backend, task_token).notify_heartbeat()


def _answer(backend: Any, task_token: str, outcome: Any) -> None:
    with _lock:
        endpoint = _open(backend, task_token)
        setattr(endpoint, _CLOSED, True)
        endpoint.notify(outcome)


def _open(backend: Any, task_token: str) -> CallbackEndpoint:
    for execution in backend._get_executions():  # noqa: SLF001
        # An execution that has just started has no environment and no task yet.
        environment = execution.exec_worker and execution.exec_worker.env
        endpoint = environment and environment.callback_pool_manager.get(task_token)
        if endpoint is None:
            continue
        if hasattr(endpoint, _CLOSED) or execution.exec_status is not ExecutionStatus.RUNNING:
            raise TaskTimedOut(_GONE, "TaskTimedOut")
        found: CallbackEndpoint = endpoint
        return found
    raise InvalidToken


def _read_failure(response: Any) -> EmptyResult:
    error, cause = (response._get_param(name) for name in ("error", "cause"))  # noqa: SLF001
    response.stepfunction_backend.send_task_failure(response._get_param("taskToken"), error=error, cause=cause)  # noqa: SLF001
    return EmptyResult()


def _closing_endpoint(interrupt_all: Callable[..., None]) -> Callable[..., None]:
    """Close the token when the task stops waiting: it was answered, it timed out, or its execution was stopped."""

    @functools.wraps(interrupt_all)
    def interrupt(endpoint: Any) -> None:
        with _lock:
            setattr(endpoint, _CLOSED, True)
        interrupt_all(endpoint)

    return interrupt


def _renewing(attempt: Callable[..., None]) -> Callable[..., None]:
    """Close the token of a failed attempt, and give the next attempt a new token."""

    @functools.wraps(attempt)
    def attempt_and_renew(state: Any, environment: Any) -> None:
        try:
            attempt(state, environment)
        except Exception:
            context = environment.states.context_object
            if task := context.context_object_data.get("Task"):
                with _lock:
                    setattr(environment.callback_pool_manager.get(task["Token"]), _CLOSED, True)
                environment.callback_pool_manager.add(context.update_task_token())
            raise

    return attempt_and_renew


def _drawing_like_aws(update_task_token: Callable[..., str]) -> Callable[..., str]:
    """Return tokens that are base64 of some hundred bytes and always contain `+` and `/`, which a URL must escape."""

    @functools.wraps(update_task_token)
    def update(context: Any) -> str:
        update_task_token(context)
        token = "AAAAKgAAAAIAAA+/" + base64.b64encode(secrets.token_bytes(400)).decode()
        context.context_object_data["Task"]["Token"] = token
        return token

    return update
