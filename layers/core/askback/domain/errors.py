"""Every refusal of the domain, one class for each thing that can be said to a caller.

Rules of this file: a class carries its stable `code` and whether sending the same request again can help (`retryable`);
the HTTP status stands in one table, in `askback.edge.serve`. A message says who must act. No error carries a token, a
task token or an answer, because errors reach logs and screens.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field of a body; `field` is a path such as `response.answers[0].selections`."""

    field: str
    message: str


class HumanInteractionError(Exception):
    """Anything that askback refuses; never raised itself, always by one of the classes below."""

    code: ClassVar[str]
    retryable: ClassVar[bool] = False
    did_nothing = False
    """Whether the call behind this is known to have had no effect; set by adapters that know."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class _WithFields(HumanInteractionError):
    def __init__(self, detail: str, *, errors: Sequence[FieldError] = ()) -> None:
        super().__init__(detail)
        self.errors = tuple(errors)


class _FixedText(HumanInteractionError):
    text: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(self.text)


class InvalidRequest(_WithFields):
    """The request is not what the route takes: not JSON, a wrong type, a limit exceeded. The caller must change it."""

    code = "bad-request"

    @classmethod
    def of_field(cls, field: str, message: str) -> "InvalidRequest":
        """Return the error for one named field."""
        return cls(f"{field}: {message}", errors=(FieldError(field, message),))


class RequestTooLarge(InvalidRequest):
    """The request is over a size limit, told before anything was parsed or verified."""


class Unauthenticated(HumanInteractionError):
    """The route needs a caller that the gateway has authenticated, and the event names none."""

    code = "unauthenticated"


class TokenRejected(_FixedText):
    """The token is not one of ours. Malformed and forged look the same, so that nothing can be learnt by trying."""

    code = "token-rejected"
    text = "the pause token was not accepted; use the token exactly as it was issued"


class BindingMismatch(HumanInteractionError):
    """An authentic token, used from a place it was not issued for."""

    axis: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(f"the pause token belongs to another {self.axis}")


class ScopeMismatch(BindingMismatch):
    """The caller's tenant, sub tenant or namespace is not the one that paused."""

    code = "scope-mismatch"
    axis = "scope"


class SessionMismatch(BindingMismatch):
    """The caller resumes another session than the one that paused."""

    code = "session-mismatch"
    axis = "session"


class RunMismatch(BindingMismatch):
    """The caller resumes another run than the one that paused."""

    code = "run-mismatch"
    axis = "run"


class CallMismatch(BindingMismatch):
    """The caller resumes another tool call than the one that paused."""

    code = "call-mismatch"
    axis = "call"


class AnswererNotAllowed(HumanInteractionError):
    """This person, or the holder of a mere link, may not answer this interaction."""

    code = "answerer-not-allowed"


class UnknownPause(_FixedText):
    """No pause is recorded under the id or the authentic token (removed after its retention, or never landed)."""

    code = "unknown-pause"
    text = "no such pause is recorded; the agent must ask again"


class UnknownRoute(HumanInteractionError):
    """There is no such route on this function."""

    code = "unknown-route"


class PayloadBindingError(HumanInteractionError):
    """The request cannot be bound to the token: it has no key, or what is recorded is not what was signed."""

    code = "payload-mismatch"


class PauseConflict(HumanInteractionError):
    """Something else is recorded for the same thread, checkpoint and call. The agent must use a new call."""

    code = "pause-conflict"


class QuestionChanged(HumanInteractionError):
    """The answer is to another question than the recorded one. The person must read that one first."""

    code = "question-changed"

    def __init__(self) -> None:
        super().__init__("the question is not the one that was shown; read it again and answer that")


class InterruptNotOpen(HumanInteractionError):
    """The graph does not wait at the interrupt that was answered: it went on, or belongs to another thread."""

    code = "interrupt-not-open"

    def __init__(self) -> None:
        super().__init__("the graph is not waiting at the interrupt that was answered")


class AlreadyAnswered(HumanInteractionError):
    """Another answer was accepted first; `answered_at` (epoch seconds) says when."""

    code = "already-answered"

    def __init__(self, *, answered_at: int) -> None:
        super().__init__("this question was already answered; the first accepted answer stands")
        self.answered_at = answered_at


class NotAnswered(_FixedText):
    """The pause is still open, so there is no outcome to read yet. Ask again later."""

    code = "not-answered"
    retryable = True
    text = "nobody has answered yet"


class NotRedrivable(HumanInteractionError):
    """There is no failed delivery to make once more. The operator must look at the pause first."""

    code = "not-redrivable"

    def __init__(self, status: str) -> None:
        super().__init__(f"the pause is {status}; only an undeliverable one is delivered once more")


class PauseExpired(_FixedText):
    """Nobody answered in time. The agent must ask again."""

    code = "expired"
    text = "the time to answer is over; the agent must ask again"


class PauseRevoked(_FixedText):
    """The question was withdrawn by an operator or by the agent."""

    code = "revoked"
    text = "the question was withdrawn and takes no answer any more"


class WaiterGone(_FixedText):
    """The run that asked is no longer waiting for the answer."""

    code = "waiter-gone"
    text = "the run that asked is no longer waiting"


class AnswerInvalid(_WithFields):
    """The answer does not fit the question. The person can correct it and send it again with the same token."""

    code = "answer-invalid"


class UnknownInteraction(HumanInteractionError):
    """This deployment does not know an interaction of that name. The operator must register it."""

    code = "unknown-interaction"

    def __init__(self, name: str) -> None:
        super().__init__(f"no interaction named {name!r} is registered in this deployment")


class PausedStateError(HumanInteractionError):
    """What the pause recorded cannot be used to go on; the token stays redeemable while an operator looks."""


class PayloadMissing(PausedStateError):
    """The recorded request is gone from the store."""

    code = "payload-missing"


class PayloadUnreadable(PausedStateError):
    """The recorded request is no JSON object, or the registered schema no longer reads it."""

    code = "payload-unreadable"


class OutcomeUnreadable(PausedStateError):
    """The accepted answer is recorded, but its body is gone or damaged."""

    code = "outcome-unreadable"


class TurnMissing(PausedStateError):
    """No paused turn is recorded, and the route has to give one back."""

    code = "turn-missing"


class TurnUnreadable(PausedStateError):
    """The recorded turn cannot be decoded by this build, or its bytes are not those that were written."""

    code = "turn-unreadable"


class TurnMismatch(PausedStateError):
    """The recorded turn names another run, session, thread, checkpoint, scope or call than the token."""

    code = "turn-mismatch"


class InteractionConfigurationError(HumanInteractionError):
    """The deployment is set up wrongly; the operator must act. `reason` is for the log and never sent to a caller."""

    code = "misconfigured"

    def __init__(self, detail: str, *, reason: str = "") -> None:
        super().__init__(detail)
        self.reason = reason


class StoreUnavailable(HumanInteractionError):
    """A store did not answer (throttled, conflict, timeout). Nothing was consumed: send the same request again."""

    code = "store-unavailable"
    retryable = True

    def __init__(self, *, reason: str = "") -> None:
        super().__init__("a store is temporarily unavailable; send the same request again")
        self.reason = reason
