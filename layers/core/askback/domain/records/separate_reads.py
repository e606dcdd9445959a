"""Reads all records of a pause over ports that cannot read them in one round trip."""

from askback.domain.pause.claims import PauseClaims
from askback.domain.ports import CheckpointPort, IssuanceLedger, PausedState
from askback.domain.records.payloads import payload_key
from askback.domain.records.turns import turn_key


class SeparateReads:
    """A `PausedStateReader` over any checkpoint port and any ledger: three reads, one after the other."""

    def __init__(self, *, checkpoints: CheckpointPort, ledger: IssuanceLedger) -> None:
        self._checkpoints = checkpoints
        self._ledger = ledger

    async def read(self, claims: PauseClaims) -> PausedState:
        """Return the recorded request, the recorded turn and the ledger row."""
        place = claims.record_place
        return PausedState(
            request=await self._checkpoints.read(**place, key=payload_key(claims)),
            turn=await self._checkpoints.read(**place, key=turn_key(claims)),
            row=await self._ledger.find(claims.jti),
        )
