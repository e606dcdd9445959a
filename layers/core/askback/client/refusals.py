"""Problem documents, read back into the errors that they were made from.

A caller outside catches the same classes as one in process. An error keeps the words that it was given where it was
raised, so that a newer deployment's text is not replaced by an older client's.
"""

from collections.abc import Mapping
from typing import Any

from askback.client.results import epoch_seconds
from askback.client.transport import CallFailed, Reply, Unforeseen, UnknownProblem
from askback.domain import errors
from askback.domain.errors import (
    FieldError,
    HumanInteractionError,
    InterruptNotOpen,
    NotRedrivable,
    QuestionChanged,
    UnknownRoute,
)

REFUSALS: tuple[type[HumanInteractionError], ...] = (
    errors.InvalidRequest,
    errors.TokenRejected,
    errors.Unauthenticated,
    errors.ScopeMismatch,
    errors.SessionMismatch,
    errors.RunMismatch,
    errors.CallMismatch,
    errors.AnswererNotAllowed,
    errors.UnknownPause,
    UnknownRoute,
    errors.PayloadBindingError,
    errors.PauseConflict,
    NotRedrivable,
    QuestionChanged,
    InterruptNotOpen,
    errors.AlreadyAnswered,
    errors.NotAnswered,
    errors.PauseExpired,
    errors.PauseRevoked,
    errors.WaiterGone,
    errors.AnswerInvalid,
    errors.UnknownInteraction,
    errors.PayloadMissing,
    errors.PayloadUnreadable,
    errors.OutcomeUnreadable,
    errors.TurnMissing,
    errors.TurnUnreadable,
    errors.TurnMismatch,
    errors.InteractionConfigurationError,
    errors.StoreUnavailable,
)
"""One class for each code of the published table; a body over its limit shares a code and is told by its status."""

INTERNAL = "internal"
"""The code of a failure that the deployment has no class for either."""

_BY_CODE = {refusal.code: refusal for refusal in REFUSALS}
_TOO_LARGE = 413
_MAY_PASS = frozenset({429, 500, 502, 503, 504})
"""What a gateway or Lambda says when it is busy, or when the function died under the request."""


def error_in(reply: Reply) -> HumanInteractionError | CallFailed | None:
    """Return the error that a reply tells of, or None when it tells of success."""
    if reply.status < 400:
        return None
    document = reply.document
    code, detail = document.get("code"), document.get("detail")
    if not (isinstance(code, str) and isinstance(detail, str)):
        # Not askback's: its text may repeat what was sent.
        return UnknownProblem(
            f"refused with status {reply.status}, and not by askback",
            status=reply.status,
            retryable=reply.status in _MAY_PASS,
        )
    if code in _BY_CODE:
        return _refusal(_BY_CODE[code], detail, reply)
    kind = Unforeseen if code == INTERNAL else UnknownProblem
    return kind(detail, code=code, status=reply.status, retryable=document.get("retryable") is True)


def _refusal(refusal: type[HumanInteractionError], detail: str, reply: Reply) -> HumanInteractionError:
    if refusal is errors.InvalidRequest and reply.status == _TOO_LARGE:
        refusal = errors.RequestTooLarge
    # Past the class's own constructor, which would choose the words anew.
    error = refusal.__new__(refusal)
    HumanInteractionError.__init__(error, detail)
    if isinstance(error, errors.InvalidRequest | errors.AnswerInvalid):
        error.errors = _fields(reply.document)
    elif isinstance(error, errors.AlreadyAnswered):
        error.answered_at = epoch_seconds(reply.document.get("answered_at"))
    elif isinstance(error, errors.InteractionConfigurationError | errors.StoreUnavailable):
        error.reason = ""
    return error


def _fields(document: Mapping[str, Any]) -> tuple[FieldError, ...]:
    listed = document.get("errors")
    return tuple(
        FieldError(str(item.get("field")), str(item.get("message")))
        for item in (listed if isinstance(listed, list) else [])
        if isinstance(item, Mapping)
    )
