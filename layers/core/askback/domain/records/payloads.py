"""The recorded request of a pause: its key, its hash, and how it is written and loaded.

The texts of the two metadata keys must not change: issued tokens refer to them.
"""

import hmac
from dataclasses import dataclass
from typing import Any

from askback.domain.errors import (
    InteractionConfigurationError,
    PauseConflict,
    PayloadBindingError,
    PayloadMissing,
    PayloadUnreadable,
    StoreUnavailable,
)
from askback.domain.json_text import read_json, sha256_hex
from askback.domain.pause.claims import ASK_USER, PauseClaims
from askback.domain.ports import CheckpointPort, StoredText
from askback.domain.recorded_text import RecordedText, hashed_text
from askback.domain.records.about import About, split_request


def payload_key(claims: PauseClaims) -> str:
    """Return the metadata key of a pause; it depends on the claims only.

    Raises:
        PayloadBindingError: the claims have no call (`ask_user`) or no interrupt (any other name), so there is no key.
    """
    return _key(claims.name, tool_call_id=claims.tool_call_id, interrupt_id=claims.interrupt_id)


def require_payload_key_inputs(name: str, *, tool_call_id: str) -> None:
    """Check the parts of the key that are known before the token exists.

    A pause that cannot be consumed must not leave an issued row. The interrupt id is made with the claims, so this
    function cannot check it.

    Raises:
        PayloadBindingError: `ask_user` without a tool call id.
    """
    _key(name, tool_call_id=tool_call_id, interrupt_id="minted with the claims")


def _key(name: str, *, tool_call_id: str, interrupt_id: str) -> str:
    prefix, part = ("ask_user_request", tool_call_id) if name == ASK_USER else ("interrupt_payload", interrupt_id)
    if not part:
        raise PayloadBindingError(f"the interaction {name!r} needs a {_PART[prefix]}; it is part of the record's key")
    return f"{prefix}:{part}"


_PART = {"ask_user_request": "tool_call_id", "interrupt_payload": "interrupt_id"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRequest:
    """A recorded request: the payload, as its interaction reads it, and what the agent said about the question."""

    payload: dict[str, Any]
    about: About


class PausePayloadStore:
    """Records requests, and returns a recorded request only if its hash is the one in the token."""

    def __init__(self, checkpoints: CheckpointPort | None) -> None:
        self._checkpoints = checkpoints

    async def record(self, claims: PauseClaims, request: RecordedText, *, task_id: str = "") -> bool:
        """Write the text of `request` without change; return whether it was certainly written.

        Without a port, or if the store fails, it returns False and the mint continues. It does not ignore a request
        with another hash than the claims, or another request under the same key: these raise.

        Raises:
            PayloadBindingError: the claims have no key, or another hash than this request.
            PauseConflict: another request is recorded under the key.
            StoreUnavailable: something is recorded under the key, and cannot be read.
        """
        key = payload_key(claims)
        if not _same(request.sha256, claims.request_hash):
            raise PayloadBindingError("the hash of the request is not the hash in the claims")
        if self._checkpoints is None:
            return False
        try:
            await self._checkpoints.write(
                **claims.record_place,
                key=key,
                text=request.text,
                expires_at=claims.exp,
                task_id=task_id,
            )
        except (StoreUnavailable, InteractionConfigurationError):
            return False
        except PauseConflict:
            # The same question in another order is no conflict: an earlier version recorded the names sorted, and some
            # programs have no order.
            if not await self._has_same(claims):
                raise
        return True

    async def _has_same(self, claims: PauseClaims) -> bool:
        try:
            await self.load(claims)
        except (PayloadMissing, PayloadUnreadable, PayloadBindingError):
            return False
        return True

    async def load(self, claims: PauseClaims) -> RecordedRequest:
        """Return the recorded request, after `verify` has compared it with the token's hash.

        Raises:
            InteractionConfigurationError: there is no checkpoint port, so no request can be loaded.
            PayloadMissing: nothing is recorded under the key.
            PayloadUnreadable, PayloadBindingError: as in `verify`.
        """
        if self._checkpoints is None:
            raise InteractionConfigurationError("no checkpoint store is wired; the recorded request cannot be loaded")
        stored = await self._checkpoints.read(**claims.record_place, key=payload_key(claims))
        return await self.verify(claims, stored)

    async def verify(self, claims: PauseClaims, stored: StoredText | None) -> RecordedRequest:
        """Return the request in `stored` if its hash is the one in the token.

        First the recorded text is hashed. If that hash differs, the canonical form of the parsed value is hashed: some
        stores normalise JSON, and mappings are recorded in the order of their caller.

        Raises:
            PayloadMissing, PayloadUnreadable: the request is missing, or is not a JSON object.
            PayloadBindingError: neither form has the token's hash.
        """
        if stored is None:
            raise PayloadMissing("the recorded request is gone; the agent must ask again")
        try:
            text = await stored.read()
            recorded = read_json(text)
        except LookupError:
            raise PayloadMissing("the body of the recorded request is gone; the agent must ask again") from None
        except ValueError as error:
            raise PayloadUnreadable(f"the recorded request cannot be read: {error}") from None
        if not isinstance(recorded, dict):
            raise PayloadUnreadable("the recorded request is not a JSON object")
        if not (
            _same(sha256_hex(text), claims.request_hash)
            or _same(sha256_hex(hashed_text(recorded)), claims.request_hash)
        ):
            raise PayloadBindingError("the recorded request is not the one the token was signed for")
        payload, about = split_request(recorded)
        return RecordedRequest(payload=payload, about=about)


def _same(left: str, right: str) -> bool:
    return hmac.compare_digest(left, right)
