"""Turns accepted answers into the command that continues the graph.

The command always maps interrupt ids to answers; it never carries a bare value. LangGraph reads a bare `{}` as a resume
without answers, refuses a bare None, gives any other bare value to the only open interrupt, and reads a mapping whose
keys look like ids as a mapping of answers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from langgraph.types import Command

from askback.domain.errors import (
    InterruptNotOpen,
    InvalidRequest,
    NotAnswered,
    PauseExpired,
    PauseRevoked,
    PauseSuperseded,
)
from askback.domain.json_text import Json
from askback.langgraph.open_interrupts import GraphState, require_saved


class Answered(Protocol):
    """An accepted answer: a `ResumeOutcome`, or the client's result of the same form."""

    @property
    def tool_call_id(self) -> str:
        """LangGraph's id of the interrupt."""
        ...

    @property
    def thread_id(self) -> str:
        """The graph's thread."""
        ...

    @property
    def response(self) -> Json:
        """The answer."""
        ...

    @property
    def still_open(self) -> bool:
        """Whether this is only a vote, and the pause needs more of them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    interrupt_id: str
    thread_id: str | None
    response: Json


def resume_command(state: GraphState, *outcomes: Answered | Mapping[str, Any]) -> Command[Any]:
    """Return the command that gives each answer to its own interrupt, exactly as it was accepted.

    An outcome may also be the reply of `POST /resume` or `POST /outcomes`, or the outcome that a waiter receives. Other
    interrupts of the graph stay open. `state` must be the latest state of the thread: an answered interrupt is not open
    any more, so the same outcome sent twice continues the graph once.

    Raises:
        TurnMissing: the saver has no checkpoint for the thread (424).
        InterruptNotOpen: an outcome belongs to an interrupt that is not open in this graph (409).
        PauseExpired: the pause of an outcome expired without an answer; a timeout is not an answer.
        NotAnswered: an outcome is only the receipt of a vote; the pause needs more votes.
        PauseRevoked: an operator, or the program that asked, revoked the pause of an outcome.
        PauseSuperseded: a newer question has replaced the pause of an outcome.
        InvalidRequest: there is no outcome, an outcome has no answer, or two outcomes answer the same interrupt.
    """
    thread_id = str(require_saved(state)["thread_id"])
    open_ids = {interrupt.id for interrupt in state.interrupts}
    answers: dict[str, Json] = {}
    for answer in map(_answer, outcomes):
        if answer.thread_id not in (None, thread_id) or answer.interrupt_id not in open_ids:
            raise InterruptNotOpen
        if answer.interrupt_id in answers:
            raise InvalidRequest.of_field("outcomes", "answer the same interrupt twice")
        answers[answer.interrupt_id] = answer.response
    if not answers:
        raise InvalidRequest.of_field("outcomes", "must have at least one outcome")
    return Command(resume=answers)


def thread_config(outcome: Answered | Mapping[str, Any]) -> dict[str, Any]:
    """Return the graph's config for the thread of an outcome; raises InvalidRequest when the outcome has no thread."""
    thread_id = _answer(outcome).thread_id
    if thread_id is None:
        raise InvalidRequest.of_field("outcome.thread_id", "must be there")
    return {"configurable": {"thread_id": thread_id}}


def _answer(outcome: Answered | Mapping[str, Any]) -> _Answer:
    if not isinstance(outcome, Mapping):
        if outcome.still_open:
            raise NotAnswered
        return _Answer(interrupt_id=outcome.tool_call_id, thread_id=outcome.thread_id, response=outcome.response)
    if outcome.get("outcome") == "expired":
        raise PauseExpired
    if outcome.get("outcome") == "revoked":
        raise PauseRevoked
    if outcome.get("status") == "issued":
        raise NotAnswered
    if outcome.get("outcome") == "superseded":
        raise PauseSuperseded(superseded_by=str(outcome.get("superseded_by", "")))
    for name in ("tool_call_id", "response"):
        if name not in outcome:
            raise InvalidRequest.of_field(f"outcome.{name}", "must be there")
    return _Answer(
        interrupt_id=outcome["tool_call_id"], thread_id=outcome.get("thread_id"), response=outcome["response"]
    )
