"""A token for a named interrupt of a graph, and the way back to its payload, over a saver.

Nothing here knows `ask_user`: the key under which a payload is recorded follows from the claims alone.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from askback.domain.agent.turn import InterruptEvent
from askback.domain.errors import InvalidRequest, PayloadMissing
from askback.domain.interactions.registry import PausePlace
from askback.domain.mint.command import MintCommand, checked_scope
from askback.domain.pause.binding import PauseBinding
from askback.domain.pause.claims import PauseClaims
from askback.domain.records.payloads import PausePayloadStore
from askback.langgraph.saver_checkpoints import LangGraphCheckpoints, Saver
from askback.langgraph.saver_pauses import SaverPauses


async def mint_interrupt_token(pauses: SaverPauses, command: MintCommand) -> InterruptEvent | None:
    """Return the event of a pause that was minted, or None when its payload is invalid or it has no checkpoint.

    The payload is validated again, since a marker that strayed into a graph's state must never get a token. Without a
    `checkpoint_id` the pause is bound to the latest checkpoint of its thread. The payload is recorded as well as the
    saver can.

    Raises:
        HumanInteractionError: the command itself is wrong (no scope, an id over its limit, an unknown interaction),
            there is no usable key, or the ledger did not answer.
    """
    scope, binding = checked_scope(command), command.binding
    thread_id = binding.thread_id or scope.thread_id(session_id=binding.session_id, run_id=binding.run_id)
    checkpoint_id = binding.checkpoint_id
    if checkpoint_id is None:
        checkpoint_id = await pauses.checkpoints.checkpoint_for(thread_id, has_turn=False)
    if checkpoint_id is None:
        return None
    bound = replace(binding, thread_id=thread_id, checkpoint_id=checkpoint_id)
    if not _fits(pauses, command, bound):
        return None
    minted = await pauses.mint.mint(replace(command, binding=bound))
    return InterruptEvent(
        name=minted.claims.name,
        pause_token=minted.tokens.resume,
        payload=minted.payload,
        expires_at=minted.claims.exp,
        interrupt_id=minted.claims.interrupt_id,
        run_id=minted.claims.run_id,
        session_id=minted.claims.session_id,
    )


async def load_original_payload(saver: Saver, claims: PauseClaims) -> Mapping[str, Any] | None:
    """Return the payload that a token was minted for, or None when it or its checkpoint is gone: answer 424 then.

    Raises:
        PayloadUnreadable: what is recorded is not a JSON object.
        PayloadBindingError: what is recorded is not what the token was signed for.
        StoreUnavailable: the saver did not answer.
    """
    try:
        return await PausePayloadStore(LangGraphCheckpoints(saver)).load(claims)
    except PayloadMissing:
        return None


def _fits(pauses: SaverPauses, command: MintCommand, bound: PauseBinding) -> bool:
    place = PausePlace(
        thread_id=bound.thread_id or "", checkpoint_id=bound.checkpoint_id or "", tool_call_id=command.tool_call_id
    )
    try:
        pauses.registry.named(command.name).read_new_payload(command.payload, place)
    except InvalidRequest:
        return False
    return True
