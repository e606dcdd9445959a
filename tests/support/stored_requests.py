"""Loading a request from whatever text a store holds for it."""

import asyncio
from typing import Any

from askback.domain.pause.claims import PauseClaims
from askback.domain.records.payloads import PausePayloadStore, payload_key
from askback.testing.memory_ports import InMemoryCheckpoints


def load_stored(claims: PauseClaims, text: str) -> dict[str, Any]:
    """Return what the claims' request is read as when the store holds `text`."""
    checkpoints = InMemoryCheckpoints()
    checkpoints.texts[(claims.thread_id, claims.checkpoint_id, payload_key(claims))] = text
    return asyncio.run(PausePayloadStore(checkpoints).load(claims)).payload
