"""The capability that an agent's loop uses to pause its run."""

from collections.abc import Callable

from askback.domain.agent.turn import AgentTurn, InvocationPaused, PendingInterrupt, ReservedCall, captured_messages
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.mint.command import MintCommand
from askback.domain.mint.pause_mint import PauseMint
from askback.domain.pause.binding import PauseBinding
from askback.domain.pause.claims import ASK_USER


class HumanInteractionCapability:
    """Lets a run ask a person: it mints the pause for a reserved call, then raises to stop the run.

    `clock` returns epoch seconds. `ttl_seconds` is the time to answer each question.
    """

    def __init__(
        self, *, registry: InteractionRegistry, mint: PauseMint, clock: Callable[[], int], ttl_seconds: int
    ) -> None:
        self._registry = registry
        self._mint = mint
        self._clock = clock
        self._ttl_seconds = ttl_seconds

    def handles(self, name: str) -> bool:
        """Return whether a call with this name is a question to a person."""
        return name in self._registry

    async def pause(self, call: ReservedCall, *, turn: AgentTurn, binding: PauseBinding) -> None:
        """Mint the pause for `call` and stop the run; always raises.

        Raises:
            InvocationPaused: the pause was issued; the exception has the pending interrupt.
            HumanInteractionError: the pause was not issued, and no person can answer it.
        """
        minted = await self._mint.mint(
            MintCommand(
                name=call.name,
                payload=call.arguments,
                binding=binding,
                ttl_seconds=self._ttl_seconds,
                at=self._clock(),
                tool_call_id=call.call_id,
                messages=(*captured_messages(turn.transcript, turn.text, turn.requests), *turn.results),
                prompt=turn.prompt,
            )
        )
        claims = minted.claims
        raise InvocationPaused(
            PendingInterrupt(
                jti=claims.jti,
                name=claims.name,
                kind="ask_user" if claims.name == ASK_USER else "interrupt",
                payload=minted.payload,
                pause_token=minted.tokens.pause,
                answer_token=minted.tokens.answer,
                tool_call_id=claims.tool_call_id,
                interrupt_id=claims.interrupt_id,
                run_id=claims.run_id,
                session_id=claims.session_id,
                expires_at=minted.expires_at,
                resumable=minted.resumable,
            )
        )
