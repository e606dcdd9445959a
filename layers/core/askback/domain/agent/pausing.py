"""Finding the question in a round of tool calls."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from askback.domain.agent.capability import HumanInteractionCapability
from askback.domain.agent.turn import AgentTurn
from askback.domain.errors import HumanInteractionError
from askback.domain.pause.binding import PauseBinding

BindingResolver = Callable[[Any], PauseBinding | None]
"""Returns the binding of the run at hand, or None when this run cannot pause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpaused:
    """The round goes on. `reason` is None when nothing asked a person; otherwise it says, to the model, why not.

    `call_id` is the call that was declined, whose result the reason is.
    """

    reason: str | None = None
    call_id: str = ""


def pause_handler(
    capability: HumanInteractionCapability, resolve_binding: BindingResolver
) -> Callable[[AgentTurn], Awaitable[Unpaused]]:
    """Return a handler that pauses a round on its first call that asks a person.

    Only the first such call is minted: a second one of the same round would leave an outstanding pause for a question
    that was never asked. A pause that is refused is declined in words for the model that wrote the call; any other
    exception propagates, and `InvocationPaused` is how success leaves.
    """

    async def handle(turn: AgentTurn) -> Unpaused:
        call = next((request for request in turn.requests if capability.handles(request.name)), None)
        if call is None:
            return Unpaused()
        binding = resolve_binding(turn.run)
        if binding is None:
            return Unpaused(reason="This run cannot wait for a person, so nobody was asked.", call_id=call.call_id)
        try:
            await capability.pause(call, turn=turn, binding=binding)
        except HumanInteractionError as error:
            return Unpaused(reason=_for_the_model(error), call_id=call.call_id)
        raise RuntimeError("a pause neither unwound the run nor was refused")

    return handle


def _for_the_model(error: HumanInteractionError) -> str:
    wrong = "".join(f" {item.field}: {item.message}." for item in error.errors)
    return f"Nobody was asked: {error.detail}.{wrong}"
