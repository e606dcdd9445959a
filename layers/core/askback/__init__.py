"""askback: pause an agent on a question, take a person's answer once, give the turn back.

    from askback import AskbackClient, HttpTransport, ask_user, question

The names below are all that other programs need. Each loads its module when it is first used, and never before: the
deployed functions import this package too, and their callers wait for what it loads.
"""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

_NAMES = {
    "askback.client.async_client": ("AsyncAskbackClient",),
    "askback.client.calls": ("StillOpen",),
    "askback.client.clarified": ("Clarification", "QuestionBack"),
    "askback.client.client": ("AskbackClient",),
    "askback.client.http_transport": ("HttpTransport",),
    "askback.client.lambda_transport": ("LambdaTransport",),
    "askback.client.questions": ("Asked", "approval", "approve", "ask_user", "choose", "form", "question", "reject"),
    "askback.client.results": (
        "AnswerReceipt",
        "Delegation",
        "IssuedPause",
        "PauseLinks",
        "PausedTurn",
        "QuorumState",
        "RecordedVote",
        "RecipientLink",
        "ResumedPause",
        "RevokedQuestion",
        "ShownQuestion",
    ),
    "askback.client.retries": ("BackOff", "Retries"),
    "askback.client.transport": (
        "CallFailed",
        "NoReply",
        "Transport",
        "Unforeseen",
        "UnknownProblem",
        "UnreadableReply",
    ),
    "askback.domain.errors": (
        "Actor",
        "AlreadyAnswered",
        "AlreadyVoted",
        "AnswerInvalid",
        "AnswererNotAllowed",
        "BindingMismatch",
        "CallMismatch",
        "DuplicatePause",
        "FieldError",
        "HumanInteractionError",
        "InteractionConfigurationError",
        "InterruptNotOpen",
        "InvalidRequest",
        "NotAnswered",
        "NotRedrivable",
        "NotTried",
        "OutcomeUnreadable",
        "PauseConflict",
        "PauseExpired",
        "LinkRevoked",
        "PauseErased",
        "PauseRevoked",
        "PauseSuperseded",
        "PausedStateError",
        "PayloadBindingError",
        "PayloadMissing",
        "PayloadUnreadable",
        "PrincipalNotAllowed",
        "QuestionChanged",
        "RequestTooLarge",
        "RowUnreadable",
        "RunMismatch",
        "ScopeMismatch",
        "SessionMismatch",
        "StoreUnavailable",
        "TokenRejected",
        "TooManyOpen",
        "TurnMismatch",
        "TurnMissing",
        "TurnUnreadable",
        "Unauthenticated",
        "UnknownInteraction",
        "UnknownPause",
        "UnknownRoute",
        "WaiterGone",
    ),
    "askback.domain.pause.scope": ("Scope",),
    "askback.domain.records.turns": ("TurnReference",),
}
"""Each public name, below the module that has it. The imports below say the same to type checkers."""

if TYPE_CHECKING:
    from askback.client.async_client import AsyncAskbackClient as AsyncAskbackClient
    from askback.client.calls import StillOpen as StillOpen
    from askback.client.clarified import Clarification as Clarification, QuestionBack as QuestionBack
    from askback.client.client import AskbackClient as AskbackClient
    from askback.client.http_transport import HttpTransport as HttpTransport
    from askback.client.lambda_transport import LambdaTransport as LambdaTransport
    from askback.client.questions import (
        Asked as Asked,
        approval as approval,
        approve as approve,
        ask_user as ask_user,
        choose as choose,
        form as form,
        question as question,
        reject as reject,
    )
    from askback.client.results import (
        AnswerReceipt as AnswerReceipt,
        Delegation as Delegation,
        IssuedPause as IssuedPause,
        PausedTurn as PausedTurn,
        PauseLinks as PauseLinks,
        QuorumState as QuorumState,
        RecipientLink as RecipientLink,
        RecordedVote as RecordedVote,
        ResumedPause as ResumedPause,
        RevokedQuestion as RevokedQuestion,
        ShownQuestion as ShownQuestion,
    )
    from askback.client.retries import BackOff as BackOff, Retries as Retries
    from askback.client.transport import (
        CallFailed as CallFailed,
        NoReply as NoReply,
        Transport as Transport,
        Unforeseen as Unforeseen,
        UnknownProblem as UnknownProblem,
        UnreadableReply as UnreadableReply,
    )
    from askback.domain.errors import (
        Actor as Actor,
        AlreadyAnswered as AlreadyAnswered,
        AlreadyVoted as AlreadyVoted,
        AnswererNotAllowed as AnswererNotAllowed,
        AnswerInvalid as AnswerInvalid,
        BindingMismatch as BindingMismatch,
        CallMismatch as CallMismatch,
        DuplicatePause as DuplicatePause,
        FieldError as FieldError,
        HumanInteractionError as HumanInteractionError,
        InteractionConfigurationError as InteractionConfigurationError,
        InterruptNotOpen as InterruptNotOpen,
        InvalidRequest as InvalidRequest,
        LinkRevoked as LinkRevoked,
        NotAnswered as NotAnswered,
        NotRedrivable as NotRedrivable,
        NotTried as NotTried,
        OutcomeUnreadable as OutcomeUnreadable,
        PauseConflict as PauseConflict,
        PausedStateError as PausedStateError,
        PauseErased as PauseErased,
        PauseExpired as PauseExpired,
        PauseRevoked as PauseRevoked,
        PauseSuperseded as PauseSuperseded,
        PayloadBindingError as PayloadBindingError,
        PayloadMissing as PayloadMissing,
        PayloadUnreadable as PayloadUnreadable,
        PrincipalNotAllowed as PrincipalNotAllowed,
        QuestionChanged as QuestionChanged,
        RequestTooLarge as RequestTooLarge,
        RowUnreadable as RowUnreadable,
        RunMismatch as RunMismatch,
        ScopeMismatch as ScopeMismatch,
        SessionMismatch as SessionMismatch,
        StoreUnavailable as StoreUnavailable,
        TokenRejected as TokenRejected,
        TooManyOpen as TooManyOpen,
        TurnMismatch as TurnMismatch,
        TurnMissing as TurnMissing,
        TurnUnreadable as TurnUnreadable,
        Unauthenticated as Unauthenticated,
        UnknownInteraction as UnknownInteraction,
        UnknownPause as UnknownPause,
        UnknownRoute as UnknownRoute,
        WaiterGone as WaiterGone,
    )
    from askback.domain.pause.scope import Scope as Scope
    from askback.domain.records.turns import TurnReference as TurnReference

else:
    _MODULES = {name: module for module, names in _NAMES.items() for name in names}
    __all__ = ["__version__", *_MODULES]  # noqa: PLE0604 - they are texts

    def __getattr__(name: str) -> object:
        """Load the module of a public name."""
        from importlib import import_module

        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_MODULES[name]), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
