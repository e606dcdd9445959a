"""The executions of Step Functions whose tasks wait for pauses.

A pause knows the task that waits, and not its execution. So a mint that names its execution records which task of it
waits for which pause. When the execution has ended, its open pauses are found by these records.
"""

import re
from dataclasses import dataclass

from askback.domain.errors import InvalidRequest
from askback.domain.pause.ids import digest
from askback.domain.pause.waiters import Waiter, WaiterKind

EXECUTION_MAX_CHARACTERS = 2048
_FIELD = "waiter.execution"
_ARN = re.compile(r"arn:[a-z0-9-]+:states:[a-z0-9-]+:[0-9]{12}:execution:[^\s:]+:[^\s:]+")
"""A standard execution. The ARN of an express one has another form: it cannot wait for a task token."""
_TASK_DIGITS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingTask:
    """A task of an execution, as the hash of its task token, and the pause for which it waits.

    A task token is a secret, and the address of one task. So the hash is enough to see that a row's waiter is this
    task, and no program can state it for the waiter of another program.
    """

    jti: str
    task: str

    @classmethod
    def of(cls, jti: str, waiter: Waiter) -> "WaitingTask":
        """Return the task of a waiter; waiters of other kinds have hashes too, which no task has."""
        return cls(jti=jti, task=digest("waiting task", waiter.kind.value, waiter.address)[:_TASK_DIGITS])


def require_execution(arn: str, waiter: Waiter | None) -> str:
    """Return the ARN of the execution in which the waiter is a task.

    Raises:
        InvalidRequest: the waiter is no task of Step Functions, or the ARN is not that of a standard execution.
    """
    if waiter is None or waiter.kind is not WaiterKind.STEP_FUNCTIONS:
        raise InvalidRequest.of_field(_FIELD, "is only for a waiter of kind step_functions")
    if len(arn) > EXECUTION_MAX_CHARACTERS or not _ARN.fullmatch(arn):
        raise InvalidRequest.of_field(
            _FIELD, f"must be the ARN of a standard execution with at most {EXECUTION_MAX_CHARACTERS} characters"
        )
    return arn
