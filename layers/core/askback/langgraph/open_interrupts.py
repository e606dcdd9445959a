"""The open interrupts of a graph, each with the mint request of its pause.

The pause's `tool_call_id` is LangGraph's id of the interrupt. LangGraph makes a new id for every interrupt, also for
the second one of a node, and every outcome contains it. So there is no table of ids; askback's own interrupt id follows
from it. The graph's state stays in its saver: these pauses carry no messages.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from askback.domain.errors import TurnMissing
from askback.domain.mint.command import MintCommand
from askback.domain.pause.binding import PauseBinding
from askback.domain.pause.scope import Scope
from askback.langgraph.questions import Asking, named_question


class GraphState(Protocol):
    """The part of a graph's `StateSnapshot` that is read here. Fetch it by thread alone, without a checkpoint id.

    A snapshot fetched by checkpoint id also lists interrupts that were answered later.
    """

    @property
    def config(self) -> Any:
        """The thread and the checkpoint."""
        ...

    @property
    def created_at(self) -> str | None:
        """When the checkpoint was saved; None when the saver has no checkpoint for the thread."""
        ...

    @property
    def interrupts(self) -> Any:
        """The open interrupts, each with an `id` and a `value`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenInterrupt:
    """One open interrupt of a graph; `id` is LangGraph's."""

    id: str
    thread_id: str
    checkpoint_id: str
    name: str
    payload: Mapping[str, Any]

    def mint_fields(self) -> dict[str, Any]:
        """Return the fields of a mint request for this interrupt; the caller adds scope, run and ttl."""
        return {
            "name": self.name,
            "payload": dict(self.payload),
            "tool_call_id": self.id,
            "thread_id": self.thread_id,
            "checkpoint_id": self.checkpoint_id,
        }

    def mint_command(
        self, *, scope: Scope, run_id: str, ttl_seconds: int, at: int, session_id: str = ""
    ) -> MintCommand:
        """Return the command that mints this interrupt's pause in process; `at` is in epoch seconds."""
        return MintCommand(
            name=self.name,
            payload=self.payload,
            binding=PauseBinding(
                scope=scope,
                run_id=run_id,
                session_id=session_id,
                thread_id=self.thread_id,
                checkpoint_id=self.checkpoint_id,
            ),
            ttl_seconds=ttl_seconds,
            at=at,
            tool_call_id=self.id,
        )


def open_interrupts(state: GraphState, *, asking: Asking = named_question) -> tuple[OpenInterrupt, ...]:
    """Return the open interrupts of a graph; an empty tuple when it does not wait.

    Minting an interrupt again gives the same pause. So mint all of them whenever a run stops: interrupts that were open
    before keep their pauses, and new ones get a pause.

    Raises:
        TurnMissing: the saver has no checkpoint for the thread.
        InvalidRequest: an interrupt's value is not a question.
    """
    where = require_saved(state)
    asked = [(interrupt.id, asking(interrupt.value)) for interrupt in state.interrupts]
    return tuple(
        OpenInterrupt(
            id=interrupt_id,
            thread_id=str(where["thread_id"]),
            checkpoint_id=where["checkpoint_id"],
            name=question.name,
            payload=question.payload,
        )
        for interrupt_id, question in asked
    )


def require_saved(state: GraphState) -> Mapping[str, Any]:
    """Return the thread and the checkpoint of a state; raises TurnMissing when there is no checkpoint."""
    if state.created_at is None:
        raise TurnMissing("the saver has no checkpoint for this thread; the graph must be run again")
    where: Mapping[str, Any] = state.config["configurable"]
    return where
