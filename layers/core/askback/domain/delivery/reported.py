"""How a pause ended, read from every form in which a program of its own gets to know it.

A program gets the client's result, the reply of `POST /outcomes`, the outcome that a waiter receives, or an error that
says that there is no answer. An open pause is none of them: `NotAnswered` is raised, so that waiting never looks like
an end.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from askback.domain.errors import (
    HumanInteractionError,
    InvalidRequest,
    NotAnswered,
    PauseErased,
    PauseExpired,
    PauseRevoked,
    PauseSuperseded,
)
from askback.domain.json_text import Json

ANSWERED, EXPIRED, REVOKED, SUPERSEDED, ERASED = "answered", "expired", "revoked", "superseded", "erased"

_ENDS = {PauseExpired: EXPIRED, PauseRevoked: REVOKED, PauseSuperseded: SUPERSEDED, PauseErased: ERASED}
_ANSWERED_FIELDS = ("name", "interrupt_id", "response")


class Answered(Protocol):
    """The client's result of an answered pause."""

    @property
    def jti(self) -> str:
        """The pause."""
        ...

    @property
    def name(self) -> str:
        """The interaction."""
        ...

    @property
    def interrupt_id(self) -> str:
        """The interrupt that the pause was made for."""
        ...

    @property
    def response(self) -> Json:
        """The answer."""
        ...

    @property
    def answered_by(self) -> str:
        """Who answered."""
        ...

    @property
    def assurance(self) -> str:
        """How well the answerer is known."""
        ...

    @property
    def by_policy(self) -> bool:
        """Whether it is a default answer."""
        ...

    @property
    def still_open(self) -> bool:
        """Whether it is only a vote."""
        ...


Outcome = Answered | Mapping[str, Any] | HumanInteractionError
"""A result of the client, a reply or a waiter's outcome as JSON, or the error that the client raised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """The end of one pause: `end` is `answered`, `expired`, `revoked`, `superseded` or `erased`.

    Only an answered one has the other fields; an error does not even say which pause it was.
    """

    end: str
    jti: str = ""
    name: str = ""
    interrupt_id: str = ""
    response: Json = field(repr=False, default=None)
    answered_by: str = ""
    assurance: str = ""
    by_policy: bool = False


def reported(outcome: Outcome) -> Reported:
    """Return how a pause ended.

    Raises:
        NotAnswered: the pause is open, or it is only the receipt of a vote.
        InvalidRequest: an answered outcome lacks a field, or it has an end that is not known here.
        HumanInteractionError: the given error, if it does not say that the pause has ended.
    """
    if isinstance(outcome, HumanInteractionError):
        for error, end in _ENDS.items():
            if isinstance(outcome, error):
                return Reported(end=end)
        raise outcome
    if isinstance(outcome, Mapping):
        return _of_json(outcome)
    if outcome.still_open:
        raise NotAnswered
    return Reported(
        end=ANSWERED,
        jti=outcome.jti,
        name=outcome.name,
        interrupt_id=outcome.interrupt_id,
        response=outcome.response,
        answered_by=outcome.answered_by,
        assurance=outcome.assurance,
        by_policy=outcome.by_policy,
    )


def _of_json(outcome: Mapping[str, Any]) -> Reported:
    if outcome.get("status") == "issued":
        raise NotAnswered
    # A reply of a route has no `outcome`: what is no answer is a problem document there.
    end = outcome.get("outcome", ANSWERED)
    jti = str(outcome.get("jti", outcome.get("delivery_id", "")))
    if end in _ENDS.values():
        return Reported(
            end=end, jti=jti, name=str(outcome.get("name", "")), interrupt_id=str(outcome.get("interrupt_id", ""))
        )
    if end != ANSWERED:
        # `questioned` is none: a person has asked back, and the pause is open.
        raise NotAnswered
    for name in _ANSWERED_FIELDS:
        if name not in outcome:
            raise InvalidRequest.of_field(f"outcome.{name}", "must be there")
    return Reported(
        end=ANSWERED,
        jti=jti,
        name=str(outcome["name"]),
        interrupt_id=str(outcome["interrupt_id"]),
        response=outcome["response"],
        answered_by=str(outcome.get("answered_by", "")),
        assurance=str(outcome.get("assurance", "")),
        by_policy=outcome.get("by_policy") is True,
    )
