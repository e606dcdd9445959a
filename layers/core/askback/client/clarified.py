"""The results of the calls about questions back; times are epoch seconds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from askback.domain.timestamps import epoch_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionBack:
    """A recorded question of a person to the program that asked; `replayed` says that it was recorded before."""

    jti: str
    number: int
    asked_at: int
    replayed: bool

    @classmethod
    def from_reply(cls, reply: Mapping[str, Any]) -> "QuestionBack":
        """Read the receipt of a question back; raises LookupError, TypeError or ValueError if the form is wrong."""
        return cls(
            jti=reply["jti"],
            number=reply["number"],
            asked_at=epoch_seconds(reply["asked_at"]),
            replayed=reply["replayed"] is True,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Clarification:
    """A question back with its number from 1, and its reply, or None.

    `by` is None for the holder of a link that names no person. `question` and `reply` are None after the content of the
    pause was erased.
    """

    number: int
    by: str | None
    question: str | None = field(repr=False)
    asked_at: int
    reply: str | None = field(repr=False)
    replied_at: int | None

    @classmethod
    def from_reply(cls, said: Mapping[str, Any]) -> "Clarification":
        """Read one question back; raises LookupError, TypeError or ValueError if the form is wrong."""
        replied_at = said["replied_at"]
        return cls(
            number=said["number"],
            by=said["by"],
            question=said["question"],
            asked_at=epoch_seconds(said["asked_at"]),
            reply=said["reply"],
            replied_at=None if replied_at is None else epoch_seconds(replied_at),
        )


def clarifications_of(reply: Mapping[str, Any]) -> tuple[Clarification, ...]:
    """Return the questions back of a reply, in their order; deployments of before have none."""
    return tuple(map(Clarification.from_reply, reply.get("clarifications", ())))
