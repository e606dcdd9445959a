"""The port of the client's transports: the actions, the reply, and the failures that are not refusals.

A refusal of the published table is a class of `askback.domain.errors`, with every transport. Every other failure is a
`CallFailed`. No error contains a token, an answer, or a text that askback did not write.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


class Action(StrEnum):
    """The actions of a deployment that the client calls."""

    PAUSE = "pause"
    RESUME = "resume"
    ANSWER = "answer"
    ANSWERS = "answers"
    QUESTION = "question"
    LINKS = "links"
    OUTCOME = "outcome"
    REVOKE = "revoke"
    ASK_BACK = "ask-back"
    CLARIFY = "clarify"
    DELEGATE = "delegate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply: its HTTP status, and the object or the problem document.

    `retry_after_seconds` is the wait that the deployment asks for before another attempt, or 0.
    """

    status: int
    document: Mapping[str, Any] = field(repr=False)
    retry_after_seconds: float = 0


class Transport(Protocol):
    """The connection to one deployment. It makes one attempt for each call; the client decides about repetitions."""

    def send(self, action: Action, body: Mapping[str, Any]) -> Reply:
        """Send the body and return the reply, with any status.

        Raises:
            NoReply: there was no reply in time; the call may have had its effect.
        """
        ...


class CallFailed(Exception):
    """The call failed without a refusal of the published table.

    `status` is the HTTP status, or 0 without one. `retryable` says whether the same call can succeed later.
    """

    def __init__(self, detail: str, *, code: str = "", status: int = 0, retryable: bool = False) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code
        self.status = status
        self.retryable = retryable


class NoReply(CallFailed):
    """There was no reply in time. The call may have had its effect."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the deployment did not reply: {reason}", code="no-reply", retryable=True)


class Unforeseen(CallFailed):
    """The deployment had an unexpected error. Its operator must look at the log."""


class UnknownProblem(CallFailed):
    """A refusal without a class in this version: it has a newer deployment's code, or no code if a gateway refused."""


class UnreadableReply(CallFailed):
    """A success whose body has another form than the call returns. Often the URL is not the URL of a deployment."""
