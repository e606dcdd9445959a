"""Every refusal of askback, one class for each thing that can be said to a caller, and one table of them all.

Rules of this file: a class carries its stable `code`, its HTTP `status`, whether sending the same request again can
help (`retryable`), and who must act (`acts`). `REFUSALS` at the end is the published table: the edge, the client and
the test of docs/http-api.md read it. No error carries a token, a task token or an answer, because errors reach logs and
screens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Self

from askback.domain.timestamps import epoch_seconds, rfc3339

NAMES_SHOWN = 20
"""How many of the registered names a refusal lists."""


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field of a body; `field` is a path such as `response.answers[0].selections`."""

    field: str
    message: str


class Actor(StrEnum):
    """Who must act after a refusal."""

    CALLER = "caller"
    """The program that sent the request: it must change the request, or wait."""
    PERSON = "person"
    """The person who answers: they can correct the answer and send it again."""
    AGENT = "agent"
    """The agent that asked: it must ask anew, if it still wants to know."""
    OPERATOR = "operator"
    """The operator of the deployment: the log says what to repair."""
    NOBODY = "nobody"
    """The refusal is the end of the matter."""


class HumanInteractionError(Exception):
    """Anything that askback refuses; never raised itself, always by one of the classes below.

    `reason` is for the log and is never sent to a caller. `errors` names the fields that are wrong.
    """

    code: ClassVar[str]
    status: ClassVar[int]
    acts: ClassVar[Actor]
    retryable: ClassVar[bool] = False
    errors: tuple[FieldError, ...] = ()
    reason: str = ""
    did_nothing: bool = False
    """Whether the call behind this is known to have had no effect; set by adapters that know."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail

    @classmethod
    def from_problem(cls, document: Mapping[str, Any]) -> Self:
        """Return the error that a problem document was made from.

        It keeps the document's words, so that a newer deployment's text is not replaced by an older client's. Facts
        that are missing or of a wrong type are left at their defaults.
        """
        error = cls.__new__(cls)
        HumanInteractionError.__init__(error, str(document.get("detail", "")))
        error.read_members(document)
        return error

    def members(self) -> dict[str, Any]:
        """Return what a problem document says of this refusal beyond its code, status and detail."""
        if not self.errors:
            return {}
        return {"errors": [{"field": item.field, "message": item.message} for item in self.errors]}

    def read_members(self, document: Mapping[str, Any]) -> None:
        """Take from a problem document what `members` puts there."""
        listed = document.get("errors")
        found = tuple(
            FieldError(str(item.get("field")), str(item.get("message")))
            for item in (listed if isinstance(listed, list) else [])
            if isinstance(item, Mapping)
        )
        if found:
            self.errors = found


class _WithFields(HumanInteractionError):
    def __init__(self, detail: str, *, errors: Sequence[FieldError] = ()) -> None:
        super().__init__(detail)
        if errors:
            self.errors = tuple(errors)

    def __str__(self) -> str:
        """Return the detail and each field's fault: `detail; response.answers[0]: must be ...`."""
        faults = (f"{error.field}: {error.message}" for error in self.errors)
        # The detail of a fault of one field is that fault already.
        return "; ".join((self.detail, *(fault for fault in faults if fault != self.detail)))


class _FixedText(HumanInteractionError):
    text: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(self.text)


# --- The request cannot be read, or its sender is not known -----------------------------------------------------------


class InvalidRequest(_WithFields):
    """The request is not what the route takes: not JSON, a wrong type, a limit exceeded."""

    code = "bad-request"
    status = 400
    acts = Actor.CALLER

    @classmethod
    def of_field(cls, field: str, message: str) -> Self:
        """Return the error for one named field."""
        return cls(f"{field}: {message}", errors=(FieldError(field, message),))


class RequestTooLarge(InvalidRequest):
    """The request is over a size limit; it was refused before anything was parsed or verified."""

    status = 413


class Unauthenticated(HumanInteractionError):
    """The route needs a caller that the gateway has authenticated, and the event names none."""

    code = "unauthenticated"
    status = 401
    acts = Actor.CALLER


class UnknownRoute(HumanInteractionError):
    """There is no such route on this function."""

    code = "unknown-route"
    status = 404
    acts = Actor.CALLER


# --- The token, and the place that it is used from --------------------------------------------------------------------


class TokenRejected(_FixedText):
    """The token is not one of ours. Malformed and forged look the same, so that nothing can be learnt by trying."""

    code = "token-rejected"
    status = 401
    acts = Actor.CALLER
    text = "the token was not accepted; use the token exactly as it was issued"


class BindingMismatch(HumanInteractionError):
    """An authentic token, used from a place that it was not issued for."""

    status = 403
    acts = Actor.CALLER
    axis: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(f"the token belongs to another {self.axis}")


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
    status = 403
    acts = Actor.CALLER


# --- The pause cannot be made, or is not in a state for this ----------------------------------------------------------


class UnknownPause(_FixedText):
    """No pause is recorded under the id or the authentic token (removed after its retention, or never landed)."""

    code = "unknown-pause"
    status = 404
    acts = Actor.CALLER
    text = "no such pause is recorded; the agent must ask again"


class PayloadBindingError(HumanInteractionError):
    """The request cannot be bound to the token: it has no key, or what is recorded is not what was signed."""

    code = "payload-mismatch"
    status = 409
    acts = Actor.OPERATOR


class PauseConflict(HumanInteractionError):
    """Something else is recorded for the same thread, checkpoint and call. The agent must use a new call."""

    code = "pause-conflict"
    status = 409
    acts = Actor.AGENT


class QuestionChanged(_FixedText):
    """The answer is to another question than the recorded one. The person must read that one first."""

    code = "question-changed"
    status = 409
    acts = Actor.PERSON
    text = "the question is not the one that was shown; read it again and answer that"


class NotAnswered(_FixedText):
    """The pause is still open, so there is no outcome to read yet. Ask again later."""

    code = "not-answered"
    status = 409
    acts = Actor.CALLER
    retryable = True
    text = "the pause is still open and has no answer yet"


class NotRedrivable(HumanInteractionError):
    """There is no failed delivery to repeat. The operator must look at the pause first."""

    code = "not-redrivable"
    status = 409
    acts = Actor.OPERATOR

    def __init__(self, pause_status: str) -> None:
        super().__init__(f"the pause is {pause_status}; only an undeliverable one can be delivered again")


class InterruptNotOpen(_FixedText):
    """The graph does not wait at the interrupt that was answered: it went on, or belongs to another thread."""

    code = "interrupt-not-open"
    status = 409
    acts = Actor.NOBODY
    text = "the graph is not waiting at the interrupt that was answered"


class AlreadyAnswered(HumanInteractionError):
    """Another answer was accepted first; `answered_at` (epoch seconds) says when."""

    code = "already-answered"
    status = 409
    acts = Actor.NOBODY
    answered_at: int = 0

    def __init__(self, *, answered_at: int) -> None:
        super().__init__("this question was already answered; the first accepted answer stands")
        self.answered_at = answered_at

    def members(self) -> dict[str, Any]:
        """Return when the accepted answer was given."""
        return {"answered_at": rfc3339(self.answered_at)}

    def read_members(self, document: Mapping[str, Any]) -> None:
        """Read when the accepted answer was given; raises TypeError or ValueError when that is no time."""
        self.answered_at = epoch_seconds(document.get("answered_at"))


class PauseExpired(_FixedText):
    """The time to answer ended without an answer. The agent must ask again."""

    code = "expired"
    status = 410
    acts = Actor.AGENT
    text = "the time to answer is over; the agent must ask again"


class PauseRevoked(_FixedText):
    """An operator revoked the pause."""

    code = "revoked"
    status = 410
    acts = Actor.AGENT
    text = "the question was revoked and takes no answer any more"


class WaiterGone(_FixedText):
    """The run that asked is no longer waiting for the answer."""

    code = "waiter-gone"
    status = 410
    acts = Actor.AGENT
    text = "the run that asked is no longer waiting"


# --- The answer, and what is asked ------------------------------------------------------------------------------------


class AnswerInvalid(_WithFields):
    """The answer does not fit the question. The person can correct it and send it again with the same token."""

    code = "answer-invalid"
    status = 422
    acts = Actor.PERSON


class UnknownInteraction(HumanInteractionError):
    """This deployment does not know an interaction of that name. The operator must register it.

    The text names what the deployment knows, up to `NAMES_SHOWN` names.
    """

    code = "unknown-interaction"
    status = 422
    acts = Actor.OPERATOR

    def __init__(self, name: str, known: Sequence[str] = ()) -> None:
        text = f"no interaction named {name!r} is registered in this deployment"
        if known:
            more = f" and {len(known) - NAMES_SHOWN} more" if len(known) > NAMES_SHOWN else ""
            text += f"; it knows {', '.join(known[:NAMES_SHOWN])}{more}"
        super().__init__(text)


# --- What the pause recorded ------------------------------------------------------------------------------------------


class PausedStateError(HumanInteractionError):
    """What the pause recorded cannot be used to go on; the token stays redeemable while an operator looks."""

    status = 424
    acts = Actor.OPERATOR


class PayloadMissing(PausedStateError):
    """The recorded request is gone from the store."""

    code = "payload-missing"


class PayloadUnreadable(PausedStateError):
    """The recorded request is no JSON object, or the registered schema no longer reads it."""

    code = "payload-unreadable"


class OutcomeUnreadable(PausedStateError):
    """The accepted answer is recorded, but its body is gone or damaged."""

    code = "outcome-unreadable"


class RowUnreadable(PausedStateError):
    """The ledger row of the pause is damaged, or of a version that knows more; `reason` says which row."""

    code = "row-unreadable"

    def __init__(self, *, reason: str = "") -> None:
        super().__init__("what is recorded of the pause cannot be read; an operator must look at the log")
        self.reason = reason


class TurnMissing(PausedStateError):
    """No paused turn is recorded, and the route has to give one back."""

    code = "turn-missing"


class TurnUnreadable(PausedStateError):
    """The recorded turn cannot be decoded by this build, or its bytes are not those that were written."""

    code = "turn-unreadable"


class TurnMismatch(PausedStateError):
    """The recorded turn names another run, session, thread, checkpoint, scope or call than the token."""

    code = "turn-mismatch"


# --- The deployment ---------------------------------------------------------------------------------------------------


class InteractionConfigurationError(HumanInteractionError):
    """The deployment is set up wrongly; the operator must act. The log has the `reason`."""

    code = "misconfigured"
    status = 500
    acts = Actor.OPERATOR

    def __init__(self, detail: str, *, reason: str = "") -> None:
        super().__init__(detail)
        self.reason = reason


class StoreUnavailable(HumanInteractionError):
    """A store did not answer (throttled, conflict, timeout). Nothing was consumed: send the same request again."""

    code = "store-unavailable"
    status = 503
    acts = Actor.CALLER
    retryable = True

    def __init__(self, *, reason: str = "") -> None:
        super().__init__("a store is temporarily unavailable; send the same request again")
        self.reason = reason


REFUSALS: tuple[type[HumanInteractionError], ...] = (
    InvalidRequest,
    RequestTooLarge,
    Unauthenticated,
    UnknownRoute,
    TokenRejected,
    ScopeMismatch,
    SessionMismatch,
    RunMismatch,
    CallMismatch,
    AnswererNotAllowed,
    UnknownPause,
    PayloadBindingError,
    PauseConflict,
    QuestionChanged,
    NotAnswered,
    NotRedrivable,
    InterruptNotOpen,
    AlreadyAnswered,
    PauseExpired,
    PauseRevoked,
    WaiterGone,
    AnswerInvalid,
    UnknownInteraction,
    PayloadMissing,
    PayloadUnreadable,
    OutcomeUnreadable,
    RowUnreadable,
    TurnMissing,
    TurnUnreadable,
    TurnMismatch,
    InteractionConfigurationError,
    StoreUnavailable,
)
"""The published table. Two classes may share a code when their statuses differ."""
