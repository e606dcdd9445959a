"""The handler that finds the question in a round of tool calls and pauses the run."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from askback.domain.agent.capability import HumanInteractionCapability
from askback.domain.agent.turn import AgentTurn
from askback.domain.errors import HumanInteractionError
from askback.domain.pause.binding import PauseBinding

BindingResolver = Callable[[Any], PauseBinding | None]
"""Returns the binding of the current run, or None if this run cannot pause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpaused:
    """The round continues without a pause. `reason` is None if no call asked a person.

    Otherwise the pause was refused: `reason` is a text for the model, and the result of the call `call_id`.
    """

    reason: str | None = None
    call_id: str = ""


def pause_handler(
    capability: HumanInteractionCapability, resolve_binding: BindingResolver
) -> Callable[[AgentTurn], Awaitable[Unpaused]]:
    """Return a handler that pauses a round at its first call that asks a person.

    Only the first such call is minted: a second one would leave an open pause for a question that the run has not
    asked. If the pause is refused, the handler returns the reason as a text for the model that wrote the call. After a
    successful mint, `InvocationPaused` propagates; so does every other exception.
    """

    async def handle(turn: AgentTurn) -> Unpaused:
        call = next((request for request in turn.requests if capability.handles(request.name)), None)
        if call is None:
            return Unpaused()
        binding = resolve_binding(turn.run)
        if binding is None:
            return Unpaused(
                reason="This run cannot wait for a person, so the question was not asked.", call_id=call.call_id
            )
        try:
            await capability.pause(call, turn=turn, binding=binding)
        except HumanInteractionError as error:
            return Unpaused(reason=_for_the_model(error), call_id=call.call_id)
        raise RuntimeError("`pause` returned; it must raise")

    return handle


def _for_the_model(error: HumanInteractionError) -> str:
    wrong = "".join(f" {item.field}: {item.message}." for item in error.errors)
    return f"The question was not asked: {error.detail}.{wrong}"
