"""Who waits for an answer, and what each kind of waiter can take.

A waiter's address (a task token, a callback id) is a secret: whoever holds it can go on with the run. It lives in the
ledger row only, never in a token, an event, a log or an error.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from askback.domain.errors import InvalidRequest, RequestTooLarge


class WaiterKind(StrEnum):
    """How an answer reaches the run."""

    STEP_FUNCTIONS = "step_functions"
    LAMBDA_DURABLE = "lambda_durable"
    LAMBDA = "lambda"
    EVENT = "event"

    @property
    def tells_whether_it_waits(self) -> bool:
        """Whether the service can say if the run still waits; a function or a consumer of events cannot be asked."""
        return self in (WaiterKind.STEP_FUNCTIONS, WaiterKind.LAMBDA_DURABLE)


ADDRESS_MAX_CHARACTERS = {
    WaiterKind.STEP_FUNCTIONS: 2048,
    WaiterKind.LAMBDA_DURABLE: 1024,
    WaiterKind.LAMBDA: 256,
    WaiterKind.EVENT: 0,
}
"""Task token and callback id as their services limit them; a function's name or ARN; an event needs no address."""

OUTCOME_MAX_BYTES = {
    WaiterKind.STEP_FUNCTIONS: 262_144,
    WaiterKind.LAMBDA_DURABLE: 1_048_576,
    WaiterKind.LAMBDA: 262_144,
    WaiterKind.EVENT: 1_048_576,
}
"""The largest outcome in UTF-8 bytes: SendTaskSuccess output, a callback's result, an asynchronous invocation's
payload.

An event carries no outcome at all; its entry stands for whatever a resume can return.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiter:
    """The run that waits: its kind and its address, which never shows in a repr.

    Raises:
        InvalidRequest: the address is empty where one is needed, or over its limit.
    """

    kind: WaiterKind
    address: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        limit = ADDRESS_MAX_CHARACTERS[self.kind]
        if len(self.address) > limit or (limit and not self.address):
            raise InvalidRequest.of_field("waiter", f"a {self.kind.value} address must have 1 to {limit} characters")

    def require_room(self, outcome: str) -> None:
        """Refuse an outcome that this waiter could never be given.

        Raises:
            RequestTooLarge: told before anything is consumed.
        """
        limit = OUTCOME_MAX_BYTES[self.kind]
        if len(outcome.encode()) > limit:
            raise RequestTooLarge(f"the answer makes an outcome of more than {limit} bytes, which the run cannot take")
