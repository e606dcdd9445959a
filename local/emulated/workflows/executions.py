"""Makes moto's executions start and stop like those of Step Functions, with the redrive count in the context object.

moto gives every execution without a name the name `None`, so there can be only one. After a stop, moto lets a task that
waits for its token wait until its timeout, which may be hours. When that task ends, it replaces ABORTED with its own
failure.
"""

from __future__ import annotations

import functools
import threading
import uuid
from collections.abc import Callable
from typing import Any, Final

from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.asl.eval.program_state import ProgramStopped
from moto.stepfunctions.parser.backend.execution import Execution
from moto.stepfunctions.parser.backend.execution_worker import ExecutionWorker
from moto.stepfunctions.parser.models import StepFunctionsParserBackend

_MARK: Final = "__executions__"
_install_lock = threading.Lock()


def install() -> None:
    """Patch moto in this process; a second call changes nothing."""
    with _install_lock:
        if hasattr(Execution, _MARK):
            return
        setattr(Execution, _MARK, True)
        for owner, name, rule in (
            (StepFunctionsParserBackend, "start_execution", _named),
            (Execution, "stop", _waking),
            (Environment, "set_error", _unless_stopped),
            (Environment, "set_timed_out", _unless_stopped),
            (ExecutionWorker, "_get_evaluation_environment", _counting_redrives),
        ):
            setattr(owner, name, rule(getattr(owner, name)))


def _named(start: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(start)
    def start_named(backend: Any, state_machine_arn: str, name: str | None = None, *details: Any) -> Any:
        return start(backend, state_machine_arn, name or str(uuid.uuid4()), *details)

    return start_named


def _waking(stop: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(stop)
    def stop_and_wake(execution: Any, *details: Any, **more: Any) -> None:
        stop(execution, *details, **more)
        for endpoint in list(execution.exec_worker.env.callback_pool_manager._pool.values()):  # noqa: SLF001
            endpoint.interrupt_all()

    return stop_and_wake


def _counting_redrives(environment_of: Callable[..., Environment]) -> Callable[..., Environment]:
    """Put `Execution.RedriveCount` into the context object. It is 0, because moto redrives nothing."""

    @functools.wraps(environment_of)
    def environment_with_count(worker: Any) -> Environment:
        environment = environment_of(worker)
        execution: Any = environment.states.context_object.context_object_data["Execution"]
        execution["RedriveCount"] = 0
        return environment

    return environment_with_count


def _unless_stopped(change: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(change)
    def change_unless_stopped(environment: Any, *details: Any, **more: Any) -> None:
        if not isinstance(environment.program_state(), ProgramStopped):
            change(environment, *details, **more)

    return change_unless_stopped
