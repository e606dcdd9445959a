"""Calling a deployment from outside: what can be asked, how an answer comes back, and what is no answer of askback's.

The port that the client's transports stand behind. A refusal of the published table is one of `askback.domain.errors`,
over either transport and in process alike; what else can go wrong on the way is a `CallFailed`. No error carries a
token or an answer, and none repeats a text that askback did not write.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


class Action(StrEnum):
    """What can be asked of a deployment."""

    PAUSE = "pause"
    RESUME = "resume"
    ANSWER = "answer"
    QUESTION = "question"
    OUTCOME = "outcome"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back: a status as over HTTP, and the object or the problem document.

    `retry_after_seconds` is what the deployment asked to be waited before another attempt, 0 when it asked nothing.
    """

    status: int
    document: Mapping[str, Any] = field(repr=False)
    retry_after_seconds: float = 0


class Transport(Protocol):
    """A way to one deployment. It makes one attempt for each call: whether to make another is the client's to say."""

    def send(self, action: Action, body: Mapping[str, Any]) -> Reply:
        """Send the body and return what came back, whatever its status.

        Raises:
            NoReply: nothing came back in time; whether the call had an effect is not known.
        """
        ...


class CallFailed(Exception):
    """The call ended neither in a result nor in a refusal of the published table.

    `status` is the HTTP status, or 0 without one. `retryable` says whether the same call may go through later.
    """

    def __init__(self, detail: str, *, code: str = "", status: int = 0, retryable: bool = False) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code
        self.status = status
        self.retryable = retryable


class NoReply(CallFailed):
    """Nothing came back in time. What the call asked for may have happened all the same."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the deployment did not reply: {reason}", code="no-reply", retryable=True)


class Unforeseen(CallFailed):
    """The deployment failed in a way that it has no name for. Its operator must look at the log."""


class UnknownProblem(CallFailed):
    """A refusal that this version has no class for: a newer deployment's code, or none when a gateway refused."""


class UnreadableReply(CallFailed):
    """A success whose body is not what the call returns. Most often the address is not a deployment's."""
