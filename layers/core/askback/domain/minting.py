"""Minting a pause: what must hold before anything is written, and the order in which it is written.

Bodies come before the ledger row, and the row before the token leaves. A crash at any point leaves at worst records
that nobody points at; it never leaves a token that points at nothing.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from askback.domain import identity
from askback.domain.binding import PauseBinding
from askback.domain.checkpoints import (
    PausePayloadStore,
    hashed_text,
    payload_key,
    request_hash,
    require_payload_key_inputs,
)
from askback.domain.claims import ASK_USER, PauseClaims
from askback.domain.errors import InvalidRequest, PauseConflict
from askback.domain.json_text import require_json
from askback.domain.ledger import LedgerRow, PauseStatus
from askback.domain.limits import (
    PROMPT_MAX_BYTES,
    THREAD_ID_MAX_BYTES,
    TOOL_CALL_ID_MAX_BYTES,
    TURN_MAX_BYTES,
    require_identifier,
    require_name,
    require_ttl,
)
from askback.domain.ports import CheckpointPort, IssuanceLedger
from askback.domain.registry import InteractionRegistry, PausePlace
from askback.domain.scope import Scope
from askback.domain.tokens import PauseTokens, PauseTokenService
from askback.domain.turns import TurnCheckpoint, TurnCheckpointStore


@dataclass(frozen=True, slots=True, kw_only=True)
class MintCommand:
    """One question to ask: what, from where, for how long (seconds), and the messages to go on from, if there are any.

    `interrupt_id` of None is derived from the call, or drawn when there is no call either. `at` is epoch seconds.
    """

    name: str
    payload: Mapping[str, Any]
    binding: PauseBinding
    ttl_seconds: int
    at: int
    tool_call_id: str = ""
    interrupt_id: str | None = None
    messages: Sequence[Mapping[str, Any]] | None = None
    prompt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MintedPause:
    """A pause as it is recorded, and its tokens.

    `recorded` and `resumable` say what is known to be written: the request, and the turn. A repeated mint gives the
    first one's claims and its status at this moment.
    """

    claims: PauseClaims
    status: PauseStatus
    payload: Mapping[str, Any]
    tokens: PauseTokens
    recorded: bool
    resumable: bool


class PauseMint:
    """Validates, records and issues pauses."""

    def __init__(
        self,
        *,
        registry: InteractionRegistry,
        tokens: PauseTokenService,
        payloads: PausePayloadStore,
        turns: TurnCheckpointStore,
        checkpoints: CheckpointPort | None,
        ledger: IssuanceLedger,
        new_interrupt_id: Callable[[], str],
    ) -> None:
        self._registry = registry
        self._tokens = tokens
        self._payloads = payloads
        self._turns = turns
        self._checkpoints = checkpoints
        self._ledger = ledger
        self._new_interrupt_id = new_interrupt_id

    async def mint(self, command: MintCommand) -> MintedPause:
        """Record the pause and return it with its tokens; the same question in the same place gives the same pause.

        Raises:
            InvalidRequest: a field is wrong or over its limit, there is no scope, or no checkpoint can be found.
            UnknownInteraction: nothing is registered under the name.
            PayloadBindingError: the pause could never be consumed.
            PauseConflict: another request or turn is recorded for the same thread, checkpoint and call.
            InteractionConfigurationError: there is no usable key.
            StoreUnavailable: the row is not known to be written; send the same request again.
        """
        registration = self._registry.named(require_name(command.name))
        require_payload_key_inputs(command.name, tool_call_id=command.tool_call_id)
        scope = _checked_scope(command)
        place = await self._place(command, scope)
        payload = registration.read_new_payload(command.payload, place)
        claims = self._claims(command, scope, place, request_hash(hashed_text(payload)))
        turn = _turn(command, claims)
        # Signed before anything is written: a deployment without a usable key must leave nothing behind.
        tokens = await self._tokens.issue(claims)
        recorded, resumable = await asyncio.gather(
            self._payloads.record(claims, payload), self._record_turn(claims, turn)
        )
        row = await self._ledger.issue(
            LedgerRow(claims=claims, status=PauseStatus.ISSUED, pin=command.binding.pin, turn_recorded=resumable)
        )
        if row.claims != claims:
            tokens = await self._reissue(row.claims, claims)
        return MintedPause(
            claims=row.claims,
            status=row.status,
            payload=payload.model_dump(mode="json") if isinstance(payload, BaseModel) else payload,
            tokens=tokens,
            recorded=recorded,
            resumable=resumable,
        )

    async def _record_turn(self, claims: PauseClaims, turn: TurnCheckpoint | None) -> bool:
        return turn is not None and await self._turns.record(claims, turn)

    async def _place(self, command: MintCommand, scope: Scope) -> PausePlace:
        binding = command.binding
        thread_id = binding.thread_id
        if thread_id is None:
            thread_id = scope.thread_id(session_id=binding.session_id, run_id=binding.run_id)
        require_identifier(thread_id, field="thread_id", max_bytes=THREAD_ID_MAX_BYTES)
        checkpoint_id = binding.checkpoint_id
        if checkpoint_id is None and self._checkpoints is not None:
            checkpoint_id = await self._checkpoints.checkpoint_for(thread_id, has_turn=command.messages is not None)
        if checkpoint_id is None:
            raise InvalidRequest.of_field("checkpoint_id", "must be given when there are no messages to keep a turn of")
        require_identifier(checkpoint_id, field="checkpoint_id")
        return PausePlace(thread_id=thread_id, checkpoint_id=checkpoint_id, tool_call_id=command.tool_call_id)

    def _claims(self, command: MintCommand, scope: Scope, place: PausePlace, payload_hash: str) -> PauseClaims:
        binding = command.binding
        claims = PauseClaims(
            run_id=binding.run_id,
            session_id=binding.session_id,
            scope_hash=scope.digest(),
            thread_id=place.thread_id,
            checkpoint_id=place.checkpoint_id,
            tool_call_id=place.tool_call_id,
            request_hash=payload_hash,
            exp=command.at + command.ttl_seconds,
            jti="",
            name=command.name,
            interrupt_id=self._interrupt_id(command, place),
            issued_at=command.at,
        )
        jti = identity.pause_id(thread_id=place.thread_id, checkpoint_id=place.checkpoint_id, key=payload_key(claims))
        return claims.under(jti)

    def _interrupt_id(self, command: MintCommand, place: PausePlace) -> str:
        if command.name == ASK_USER:
            return ""
        if command.interrupt_id is not None:
            return command.interrupt_id
        if not place.tool_call_id:
            return self._new_interrupt_id()
        return identity.interrupt_id(
            thread_id=place.thread_id,
            checkpoint_id=place.checkpoint_id,
            name=command.name,
            tool_call_id=place.tool_call_id,
        )

    async def _reissue(self, earlier: PauseClaims, claims: PauseClaims) -> PauseTokens:
        # A retry comes later than the mint it repeats; nothing but its times may differ.
        if earlier.at_times_of(claims) != claims:
            raise PauseConflict("another pause is recorded for this thread, checkpoint and call; use a new call")
        return await self._tokens.issue(earlier)


def _checked_scope(command: MintCommand) -> Scope:
    binding = command.binding
    if binding.scope is None:
        raise InvalidRequest.of_field("scope", "must be given; a pause without a scope could be answered by anyone")
    require_identifier(binding.run_id, field="run_id")
    require_identifier(binding.session_id, field="session_id", empty=True)
    require_identifier(command.tool_call_id, field="tool_call_id", max_bytes=TOOL_CALL_ID_MAX_BYTES, empty=True)
    if command.interrupt_id is not None:
        require_identifier(command.interrupt_id, field="interrupt_id")
    require_ttl(command.ttl_seconds)
    return binding.scope


def _turn(command: MintCommand, claims: PauseClaims) -> TurnCheckpoint | None:
    if command.messages is None:
        return None
    require_json(list(command.messages), at="messages")
    for index, message in enumerate(command.messages):
        if not isinstance(message, Mapping):
            raise InvalidRequest.of_field(f"messages[{index}]", "must be an object")
    require_json(command.prompt, at="prompt")
    if len(command.prompt) > PROMPT_MAX_BYTES:
        raise InvalidRequest.of_field("prompt", f"must be at most {PROMPT_MAX_BYTES} characters")
    turn = TurnCheckpoint(
        run_id=claims.run_id,
        session_id=claims.session_id,
        thread_id=claims.thread_id,
        checkpoint_id=claims.checkpoint_id,
        scope_hash=claims.scope_hash,
        tool_call_id=claims.tool_call_id,
        interrupt_id=claims.interrupt_id,
        name=claims.name,
        prompt=command.prompt,
        messages=tuple(command.messages),
    )
    if len(turn.encode()) > TURN_MAX_BYTES:
        raise InvalidRequest.of_field("messages", f"must be at most {TURN_MAX_BYTES} bytes when encoded")
    return turn
