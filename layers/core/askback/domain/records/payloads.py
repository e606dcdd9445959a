"""Where a paused request lives, how it is hashed, and how it is recorded and recovered.

The two metadata keys are frozen byte for byte: tokens that were already issued point at them.
"""

import hmac
from typing import Any

from askback.domain.errors import (
    InteractionConfigurationError,
    PayloadBindingError,
    PayloadMissing,
    PayloadUnreadable,
    StoreUnavailable,
)
from askback.domain.json_text import read_json, sha256_hex
from askback.domain.pause.claims import ASK_USER, PauseClaims
from askback.domain.ports import CheckpointPort, StoredText
from askback.domain.recorded_text import RecordedText, hashed_text


def payload_key(claims: PauseClaims) -> str:
    """Return the metadata key of a pause, from its claims alone.

    Raises:
        PayloadBindingError: the claims name no call (`ask_user`) or no interrupt (any other name), so there is no key.
    """
    return _key(claims.name, tool_call_id=claims.tool_call_id, interrupt_id=claims.interrupt_id)


def require_payload_key_inputs(name: str, *, tool_call_id: str) -> None:
    """Check the half of a key that can be known before a token exists.

    A pause that could never be consumed must leave no issued row behind. The interrupt id is minted with the claims, so
    it cannot be checked here.

    Raises:
        PayloadBindingError: `ask_user` without a tool call id.
    """
    _key(name, tool_call_id=tool_call_id, interrupt_id="minted with the claims")


def _key(name: str, *, tool_call_id: str, interrupt_id: str) -> str:
    prefix, part = ("ask_user_request", tool_call_id) if name == ASK_USER else ("interrupt_payload", interrupt_id)
    if not part:
        raise PayloadBindingError(f"an interaction named {name!r} needs a {_PART[prefix]} to be recorded under")
    return f"{prefix}:{part}"


_PART = {"ask_user_request": "tool_call_id", "interrupt_payload": "interrupt_id"}


class PausePayloadStore:
    """Records the request a person is asked, and gives it back only when it is what the token was signed for."""

    def __init__(self, checkpoints: CheckpointPort | None) -> None:
        self._checkpoints = checkpoints

    async def record(self, claims: PauseClaims, request: RecordedText, *, task_id: str = "") -> bool:
        """Write the text of `request` as it stands, best effort; returns whether it is known to be written.

        No port, or a store that failed, gives False and the pause goes on. A request that is not the one the claims
        were made for, or another one already recorded under the key, is never swallowed.

        Raises:
            PayloadBindingError: the claims have no key, or their hash is not this request's.
            PauseConflict: another request is recorded under the key.
        """
        key = payload_key(claims)
        if not _same(request.sha256, claims.request_hash):
            raise PayloadBindingError("the request is not the one these claims were made for")
        if self._checkpoints is None:
            return False
        try:
            await self._checkpoints.write(
                thread_id=claims.thread_id,
                checkpoint_id=claims.checkpoint_id,
                key=key,
                text=request.text,
                expires_at=claims.exp,
                task_id=task_id,
            )
        except (StoreUnavailable, InteractionConfigurationError):
            return False
        return True

    async def load(self, claims: PauseClaims) -> dict[str, Any]:
        """Return the recorded request, checked against the token's hash.

        Raises:
            InteractionConfigurationError: no checkpoint port is wired, so nothing could ever be recovered.
            PayloadMissing: nothing is recorded under the key.
            PayloadUnreadable, PayloadBindingError: as `verify`.
        """
        if self._checkpoints is None:
            raise InteractionConfigurationError("no checkpoint store is wired; the recorded request cannot be loaded")
        stored = await self._checkpoints.read(
            thread_id=claims.thread_id, checkpoint_id=claims.checkpoint_id, key=payload_key(claims)
        )
        return await self.verify(claims, stored)

    async def verify(self, claims: PauseClaims, stored: StoredText | None) -> dict[str, Any]:
        """Return the request in `stored` when it is the one the token was signed for.

        The recorded text itself is hashed first. Only if that differs is the parsed value hashed in its canonical form,
        for a store that normalises what it is given, and for the legacy engine, which stored mappings unsorted.

        Raises:
            PayloadMissing, PayloadUnreadable: it is gone, or is not a JSON object.
            PayloadBindingError: neither form has the token's hash.
        """
        if stored is None:
            raise PayloadMissing("the recorded request is gone; the agent must ask again")
        try:
            text = await stored.read()
            payload = read_json(text)
        except LookupError:
            raise PayloadMissing("the body of the recorded request is gone; the agent must ask again") from None
        except ValueError as error:
            raise PayloadUnreadable(f"the recorded request cannot be read: {error}") from None
        if not isinstance(payload, dict):
            raise PayloadUnreadable("the recorded request is not a JSON object")
        if not (
            _same(sha256_hex(text), claims.request_hash) or _same(sha256_hex(hashed_text(payload)), claims.request_hash)
        ):
            raise PayloadBindingError("the recorded request is not the one the token was signed for")
        return payload


def _same(left: str, right: str) -> bool:
    return hmac.compare_digest(left, right)
