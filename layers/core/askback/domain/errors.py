"""The refusals of askback: one class for each code and status, and the table of all of them.

Rules of this file: a class has its stable `code`, its HTTP `status`, whether the same request can succeed later
(`retryable`), and who must act (`acts`). `REFUSALS` at the end is the published table: the edge, the client and the
test of docs/http-api.md read it. No error contains a token, a task token or an answer, because errors get into logs and
onto screens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field as dataclass_field
from enum import StrEnum
from typing import Any, ClassVar, Self

from askback.domain.timestamps import epoch_seconds, rfc3339

NAMES_SHOWN = 20
"""The most registered names that a refusal lists."""
ERRORS_SHOWN = 20
"""The most wrong fields that a refusal lists."""


@dataclass(frozen=True, slots=True)
class FieldError:
    """The error of one field of a body; `field` is a path such as `response.answers[0].selections`.

    `bare_field` and `bare_message` say the same without anything that a caller or an agent has chosen: a key is `*` in
    the path, and labels and limits are not in the message. Empty means that the full form has nothing of that kind.
    Who makes an error with such a text must give the bare one: a direct caller gets only that.
    """

    field: str
    message: str
    bare_field: str = dataclass_field(default="", compare=False)
    bare_message: str = dataclass_field(default="", compare=False)

    @property
    def bare(self) -> "FieldError":
        """The same error without anything of the payload."""
        return FieldError(self.bare_field or self.field, self.bare_message or self.message)


class Actor(StrEnum):
    """Who must act after a refusal."""

    CALLER = "caller"
    """The program that sent the request: it must change the request, or wait."""
    PERSON = "person"
    """The person who answers: they can correct the answer and send it again."""
    AGENT = "agent"
    """The agent that asked: it must ask again if it still needs an answer."""
    OPERATOR = "operator"
    """The operator of the deployment: the log has the cause."""
    NONE = "none"
    """No action is needed."""


class CodedError(Exception):
    """An error with a stable code, which an event function logs and raises again.

    `reason` is for the log and is never sent to a caller. Without one, the log has the error's text.
    """

    code: ClassVar[str]
    reason: str = ""


class HumanInteractionError(CodedError):
    """The base class of all refusals; only the classes below are raised.

    `errors` has the wrong fields, `ERRORS_SHOWN` at most;
    `more_errors` counts the others.
    """

    status: ClassVar[int]
    acts: ClassVar[Actor]
    retryable: ClassVar[bool] = False
    errors: tuple[FieldError, ...] = ()
    more_errors: int = 0
    bare_detail: str = ""
    """The detail without anything of the payload; empty when the detail has nothing of it."""
    did_nothing: bool = False
    """Whether the call that failed certainly had no effect; an adapter that knows this sets it."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail

    @classmethod
    def from_problem(cls, document: Mapping[str, Any]) -> Self:
        """Return the error of a problem document.

        It keeps the document's text, because the deployment can be newer than the client. Members that are missing or
        have a wrong type keep their defaults.
        """
        error = cls.__new__(cls)
        HumanInteractionError.__init__(error, str(document.get("detail", "")))
        error.read_members(document)
        return error

    def members(self) -> dict[str, Any]:
        """Return the members of the problem document besides code, status and detail."""
        if not self.errors:
            return {}
        return {"errors": [{"field": item.field, "message": item.message} for item in self.errors]}

    def read_members(self, document: Mapping[str, Any]) -> None:
        """Read the members that `members` writes from a problem document."""
        listed = document.get("errors")
        found = tuple(
            FieldError(str(item.get("field")), str(item.get("message")))
            for item in (listed if isinstance(listed, list) else [])
            if isinstance(item, Mapping)
        )
        if found:
            self.errors = found


class _WithFields(HumanInteractionError):
    def __init__(
        self, detail: str, *, errors: Sequence[FieldError] = (), more_errors: int = 0, bare_detail: str = ""
    ) -> None:
        super().__init__(detail)
        self.bare_detail = bare_detail
        if errors:
            self.errors = tuple(errors[:ERRORS_SHOWN])
            self.more_errors = more_errors + len(errors) - len(self.errors)

    def __str__(self) -> str:
        """Return the detail and the error of each field: `detail; response.answers[0]: must be ...`."""
        faults = (f"{error.field}: {error.message}" for error in self.errors)
        # If the detail is already the error of the one field, it is not repeated.
        return "; ".join((self.detail, *(fault for fault in faults if fault != self.detail)))


class _FixedText(HumanInteractionError):
    text: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(self.text)


# --- The request cannot be read, or its sender is not known -----------------------------------------------------------


class InvalidRequest(_WithFields):
    """The route does not accept the request: it is not JSON, has a wrong type, or exceeds a limit."""

    code = "bad-request"
    status = 400
    acts = Actor.CALLER

    @classmethod
    def of_field(cls, field: str, message: str, *, bare_field: str = "") -> Self:
        """Return the error of one field."""
        bare_detail = f"{bare_field}: {message}" if bare_field else ""
        return cls(f"{field}: {message}", errors=(FieldError(field, message, bare_field),), bare_detail=bare_detail)


class RequestTooLarge(InvalidRequest):
    """The request is over a size limit; it was refused before it was parsed or verified."""

    status = 413


class Unauthenticated(HumanInteractionError):
    """The route needs a caller that the gateway has authenticated, and the event has none."""

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
    """The token is not authentic. Malformed and forged tokens get the same reply, so attempts reveal nothing."""

    code = "token-rejected"
    status = 401
    acts = Actor.CALLER
    text = "the token was not accepted; use the token exactly as it was issued"


class BindingMismatch(HumanInteractionError):
    """The token is authentic, but was issued for another place."""

    status = 403
    acts = Actor.CALLER
    axis: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(f"the token belongs to another {self.axis}")


class ScopeMismatch(BindingMismatch):
    """The caller's tenant, sub tenant or namespace is not that of the pause."""

    code = "scope-mismatch"
    axis = "scope"


class SessionMismatch(BindingMismatch):
    """The caller's session is not that of the pause."""

    code = "session-mismatch"
    axis = "session"


class RunMismatch(BindingMismatch):
    """The caller's run is not that of the pause."""

    code = "run-mismatch"
    axis = "run"


class CallMismatch(BindingMismatch):
    """The caller's tool call is not that of the pause."""

    code = "call-mismatch"
    axis = "call"


class PrincipalNotAllowed(_FixedText):
    """The deployment says which scopes each principal may use, and this one may not use the scope of the request."""

    code = "principal-not-allowed"
    status = 403
    acts = Actor.CALLER
    text = "this principal may not use the scope; the deployment says which ones it may use"


class AnswererNotAllowed(HumanInteractionError):
    """This person, or the holder of a link without a sign-in, may not answer this pause."""

    code = "answerer-not-allowed"
    status = 403
    acts = Actor.CALLER


# --- The pause cannot be made, or is not in a state for this ----------------------------------------------------------


class UnknownPause(_FixedText):
    """No pause is recorded for the id or the authentic token: it was removed after its retention, or never written."""

    code = "unknown-pause"
    status = 404
    acts = Actor.CALLER
    text = "no such pause is recorded; the agent must ask again"


class PayloadBindingError(HumanInteractionError):
    """The request cannot be bound to the token: it has no key, or the recorded request has another hash."""

    code = "payload-mismatch"
    status = 409
    acts = Actor.OPERATOR


class TooManyOpen(HumanInteractionError):
    """The scope or a recipient has as many open pauses as the deployment allows; nothing was recorded.

    The same request succeeds when some of these pauses have ended. A person must act first, so the client does not
    repeat it by itself. API Gateway's own 429 has no code.
    """

    code = "too-many-open"
    status = 429
    acts = Actor.CALLER
    retryable = True


class PauseConflict(HumanInteractionError):
    """Another pause is recorded for the same thread, checkpoint and call. The agent must use a new call."""

    code = "pause-conflict"
    status = 409
    acts = Actor.AGENT


class QuestionChanged(_FixedText):
    """The person saw another question than the recorded one. The person must read the recorded one first."""

    code = "question-changed"
    status = 409
    acts = Actor.PERSON
    text = "the recorded question is not the one that was shown; read it again, then answer"


class NotAnswered(_FixedText):
    """The pause is still open and has no outcome yet. Ask again later.

    The client also raises it for a vote that was recorded and leaves the pause open; the text then says so.
    """

    code = "not-answered"
    status = 409
    acts = Actor.CALLER
    retryable = True
    text = "the pause is still open and has no answer yet"


class NotRedrivable(HumanInteractionError):
    """The pause is not undeliverable, so no delivery can be repeated. The operator must look at the pause first."""

    code = "not-redrivable"
    status = 409
    acts = Actor.OPERATOR

    def __init__(self, pause_status: str) -> None:
        super().__init__(f"the pause is {pause_status}; only an undeliverable one can be delivered again")


class InterruptNotOpen(_FixedText):
    """The graph does not wait at the answered interrupt: it has continued, or the interrupt is of another thread."""

    code = "interrupt-not-open"
    status = 409
    acts = Actor.NONE
    text = "the graph is not waiting at the interrupt that was answered"


class AlreadyAnswered(HumanInteractionError):
    """Another answer was accepted first; `answered_at` (epoch seconds) says when."""

    code = "already-answered"
    status = 409
    acts = Actor.NONE
    answered_at: int = 0

    def __init__(self, *, answered_at: int) -> None:
        super().__init__("this question was already answered; the first accepted answer stands")
        self.answered_at = answered_at

    def members(self) -> dict[str, Any]:
        """Return the time of the accepted answer."""
        return {"answered_at": rfc3339(self.answered_at)}

    def read_members(self, document: Mapping[str, Any]) -> None:
        """Read the time of the accepted answer; raises TypeError or ValueError if it is not a time."""
        self.answered_at = epoch_seconds(document.get("answered_at"))


class AlreadyVoted(HumanInteractionError):
    """The person has given another vote on this question; `voted_at` (epoch seconds) says when."""

    code = "already-voted"
    status = 409
    acts = Actor.NONE
    voted_at: int = 0

    def __init__(self, *, voted_at: int) -> None:
        super().__init__("this person has already voted; the first vote stands")
        self.voted_at = voted_at

    def members(self) -> dict[str, Any]:
        """Return the time of the vote."""
        return {"voted_at": rfc3339(self.voted_at)}

    def read_members(self, document: Mapping[str, Any]) -> None:
        """Read the time of the vote; raises TypeError or ValueError if it is not a time."""
        self.voted_at = epoch_seconds(document.get("voted_at"))


class DuplicatePause(_FixedText):
    """An earlier item of the same batch names this pause, so this answer was not tried."""

    code = "duplicate-pause"
    status = 409
    acts = Actor.CALLER
    text = "an earlier item of this batch names the same pause; this one was not tried"


class PauseExpired(_FixedText):
    """The time to answer ended without an answer; `expired_at` (epoch seconds) says when, if it is known.

    The agent must ask again.
    """

    code = "expired"
    status = 410
    acts = Actor.AGENT
    text = "the time to answer is over; the agent must ask again"
    expired_at: int | None = None

    def __init__(self, *, expired_at: int | None = None) -> None:
        super().__init__()
        self.expired_at = expired_at

    def members(self) -> dict[str, Any]:
        """Return the time of the expiry, if it is known."""
        return {} if self.expired_at is None else {"expired_at": rfc3339(self.expired_at)}

    def read_members(self, document: Mapping[str, Any]) -> None:
        """Read the time of the expiry; raises TypeError or ValueError if it is not a time."""
        if "expired_at" in document:
            self.expired_at = epoch_seconds(document["expired_at"])


class PauseRevoked(_FixedText):
    """An operator, or the program that asked, revoked the pause."""

    code = "revoked"
    status = 410
    acts = Actor.AGENT
    text = "the question was revoked; it can no longer be answered"


class PauseSuperseded(_FixedText):
    """The program that asked has replaced the question by a newer one; `superseded_by` is the id of its pause."""

    code = "superseded"
    status = 410
    acts = Actor.NONE
    text = "a newer question has replaced this one; it can no longer be answered"
    superseded_by: str = ""

    def __init__(self, *, superseded_by: str = "") -> None:
        super().__init__()
        self.superseded_by = superseded_by

    def members(self) -> dict[str, Any]:
        """Return the id of the newer pause."""
        return {"superseded_by": self.superseded_by}

    def read_members(self, document: Mapping[str, Any]) -> None:
        """Read the id of the newer pause."""
        self.superseded_by = str(document.get("superseded_by", ""))


class LinkRevoked(_FixedText):
    """An operator revoked the link of this recipient. The pause is still open for other people."""

    code = "link-revoked"
    status = 410
    acts = Actor.NONE
    text = "this link was revoked; it can no longer be used"


class PauseErased(_FixedText):
    """An operator erased the question, the answer and the turn of the pause; their hashes and times stay."""

    code = "erased"
    status = 410
    acts = Actor.NONE
    text = "the question and its answer were erased; what is left are their hashes and times"


class WaiterGone(_FixedText):
    """The run that asked is no longer waiting for the answer."""

    code = "waiter-gone"
    status = 410
    acts = Actor.AGENT
    text = "the run that asked is no longer waiting"


# --- The answer and the question --------------------------------------------------------------------------------------


class AnswerInvalid(_WithFields):
    """The answer does not fit the question. The person can correct it and send it again with the same token."""

    code = "answer-invalid"
    status = 422
    acts = Actor.PERSON


class UnknownInteraction(HumanInteractionError):
    """No interaction with this name is registered in the deployment. The operator must register it.

    The text lists the registered names, up to `NAMES_SHOWN` of them.
    """

    code = "unknown-interaction"
    status = 422
    acts = Actor.OPERATOR

    def __init__(self, name: str, known: Sequence[str] = ()) -> None:
        registered = ""
        if known:
            more = f" and {len(known) - NAMES_SHOWN} more" if len(known) > NAMES_SHOWN else ""
            registered = f"; it knows {', '.join(known[:NAMES_SHOWN])}{more}"
        super().__init__(f"no interaction named {name!r} is registered in this deployment{registered}")
        self.bare_detail = f"no interaction of this name is registered in this deployment{registered}"


# --- The records of the pause -----------------------------------------------------------------------------------------


class PausedStateError(HumanInteractionError):
    """The run cannot continue from the records; the token stays redeemable, so an operator can repair them."""

    status = 424
    acts = Actor.OPERATOR


class PayloadMissing(PausedStateError):
    """The recorded request is missing in the store."""

    code = "payload-missing"


class PayloadUnreadable(PausedStateError):
    """The recorded request is not a JSON object, or does not fit the registered schema any more."""

    code = "payload-unreadable"


class OutcomeUnreadable(PausedStateError):
    """The accepted answer is recorded, but its body is missing or damaged."""

    code = "outcome-unreadable"


class RowUnreadable(PausedStateError):
    """The ledger row of the pause is damaged, or of a version that knows more; `reason` says which row."""

    code = "row-unreadable"

    def __init__(self, *, reason: str = "") -> None:
        super().__init__("what is recorded of the pause cannot be read; an operator must look at the log")
        self.reason = reason


class TurnMissing(PausedStateError):
    """No paused turn is recorded, and the route must return one."""

    code = "turn-missing"


class TurnUnreadable(PausedStateError):
    """This build cannot decode the recorded turn, or its bytes have changed since the write."""

    code = "turn-unreadable"


class TurnMismatch(PausedStateError):
    """The recorded turn has another run, session, thread, checkpoint, scope or call than the token, or was changed."""

    code = "turn-mismatch"


# --- The deployment ---------------------------------------------------------------------------------------------------


class InteractionConfigurationError(HumanInteractionError):
    """The deployment is misconfigured; the operator must act. The log has the `reason`."""

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


class NotTried(_FixedText):
    """A batch ended before this item: its time was over, or too many of its tokens were rejected. Send it again."""

    code = "not-tried"
    status = 503
    acts = Actor.CALLER
    retryable = True
    text = "the batch ended before this item; send the item again"


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
    PrincipalNotAllowed,
    AnswererNotAllowed,
    UnknownPause,
    PayloadBindingError,
    TooManyOpen,
    PauseConflict,
    QuestionChanged,
    NotAnswered,
    NotRedrivable,
    InterruptNotOpen,
    AlreadyAnswered,
    AlreadyVoted,
    DuplicatePause,
    PauseExpired,
    PauseRevoked,
    PauseSuperseded,
    LinkRevoked,
    PauseErased,
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
    NotTried,
)
"""The published table. Two classes may share a code when their statuses differ."""
