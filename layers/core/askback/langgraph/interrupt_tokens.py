"""Mints a pause token for an interrupt of a graph, and loads the token's payload again from the saver.

There is no special case for `ask_user`: the key under which a payload is recorded follows from the claims alone.
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
    """Mint a pause and return its event, or None when the payload is invalid or the thread has no checkpoint.

    The payload is validated here again: a marker that got into the graph's state by mistake must never get a token.
    Without a `checkpoint_id` the pause is bound to the latest checkpoint of its thread.

    Raises:
        HumanInteractionError: the command itself is wrong (no scope, an id over its limit, an unknown interaction),
            there is no usable key, or the ledger is not available.
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
        pause_token=minted.tokens.pause,
        payload=minted.payload,
        expires_at=minted.expires_at,
        interrupt_id=minted.claims.interrupt_id,
        run_id=minted.claims.run_id,
        session_id=minted.claims.session_id,
    )


async def load_original_payload(saver: Saver, claims: PauseClaims) -> Mapping[str, Any] | None:
    """Return the recorded payload of a token; None when it or its checkpoint does not exist (the caller answers 424).

    Raises:
        PayloadUnreadable: the recorded text is not a JSON object.
        PayloadBindingError: the recorded payload does not match the hash in the token.
        StoreUnavailable: the saver is not available.
    """
    try:
        return (await PausePayloadStore(LangGraphCheckpoints(saver)).load(claims)).payload
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
