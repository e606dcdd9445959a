"""The waiter of a pause: the run that waits for the answer, and the limits of each kind of waiter.

The address of a waiter (a task token, a callback id) is a secret: a program that has it can continue the run. It is in
the ledger row only, never in a token, an event, a log or an error.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from askback.domain.errors import InvalidRequest, RequestTooLarge


class WaiterKind(StrEnum):
    """The service through which an answer reaches the run."""

    STEP_FUNCTIONS = "step_functions"
    LAMBDA_DURABLE = "lambda_durable"
    LAMBDA = "lambda"
    EVENT = "event"

    @property
    def tells_whether_it_waits(self) -> bool:
        """Whether the service can say if the run still waits; a function or a consumer of events cannot be asked."""
        return self in (WaiterKind.STEP_FUNCTIONS, WaiterKind.LAMBDA_DURABLE)

    @property
    def gets_the_answer(self) -> bool:
        """Whether the delivery has the answer; an event only says that there is one, and its consumer fetches it."""
        return self is not WaiterKind.EVENT


ADDRESS_MAX_CHARACTERS = {
    WaiterKind.STEP_FUNCTIONS: 2048,
    WaiterKind.LAMBDA_DURABLE: 1024,
    WaiterKind.LAMBDA: 256,
    WaiterKind.EVENT: 0,
}
"""The limits of the services for a task token and a callback id, and of a function's name or ARN.

An event needs no address.
"""

OUTCOME_MAX_BYTES = {
    WaiterKind.STEP_FUNCTIONS: 262_144,
    WaiterKind.LAMBDA_DURABLE: 1_048_576,
    WaiterKind.LAMBDA: 262_144,
    WaiterKind.EVENT: 1_048_576,
}
"""The largest outcome in UTF-8 bytes.

They are the limits of the output of SendTaskSuccess, of a callback's result and of an asynchronous invocation's
payload. An event contains no outcome; its limit is the largest reply of a resume.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiter:
    """The run that waits: its kind and its address, which `repr` does not show.

    Raises:
        InvalidRequest: a needed address is empty, or the address is over its limit.
    """

    kind: WaiterKind
    address: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        limit = ADDRESS_MAX_CHARACTERS[self.kind]
        if len(self.address) > limit or (limit and not self.address):
            raise InvalidRequest.of_field("waiter", f"a {self.kind.value} address must have 1 to {limit} characters")

    def require_room(self, outcome: str) -> None:
        """Refuse an outcome that is too large for this kind of waiter; call this before the claim.

        Raises:
            RequestTooLarge: the outcome is over the limit.
        """
        limit = OUTCOME_MAX_BYTES[self.kind]
        if len(outcome.encode()) > limit:
            raise RequestTooLarge(f"the outcome with this answer is larger than {limit} bytes, the limit of the run")
