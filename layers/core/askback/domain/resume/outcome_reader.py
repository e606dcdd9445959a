"""Reading how a pause ended, for a backend that was not there when the answer was accepted.

A person answers through a link, and the run that asked is not waiting anywhere that could be told: it comes back and
asks. Nothing is consumed, and an expired token will do, because an answer accepted in the last second must not be out
of reach in the next.
"""

from askback.domain.errors import (
    NotAnswered,
    OutcomeUnreadable,
    PauseExpired,
    PauseRevoked,
    TokenRejected,
    UnknownPause,
)
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.json_text import Json, read_json
from askback.domain.pause.claims import Audience
from askback.domain.pause.ledger import AcceptedAnswer, LedgerRow, PauseStatus, Receipt
from askback.domain.ports import IssuanceLedger, PausedStateReader
from askback.domain.records.payloads import PausePayloadStore
from askback.domain.records.turns import TurnCheckpointStore
from askback.domain.resume.outcome import ResumeOutcome, resume_outcome
from askback.domain.tokens.service import PauseTokenService, Redeemer


class OutcomeReader:
    """Gives a backend the accepted answer and the turn to go on from, as often as it asks."""

    def __init__(
        self,
        *,
        registry: InteractionRegistry,
        tokens: PauseTokenService,
        payloads: PausePayloadStore,
        turns: TurnCheckpointStore,
        states: PausedStateReader,
        ledger: IssuanceLedger,
    ) -> None:
        self._registry = registry
        self._tokens = tokens
        self._payloads = payloads
        self._turns = turns
        self._states = states
        self._ledger = ledger

    async def read(self, pause_token: str, redeemer: Redeemer, *, at: int) -> ResumeOutcome:
        """Return the outcome of an answered pause.

        Raises:
            NotAnswered: it is still open.
            PauseExpired, PauseRevoked, UnknownPause: it ended without an answer, or is not recorded.
            HumanInteractionError: the token or what was recorded is refused as in a resume.
        """
        claims = await self._tokens.authenticate_live_or_ended(pause_token, at=at)
        if claims.audience is not Audience.RESUME:
            raise TokenRejected
        registration = self._registry.named(claims.name)
        cross_scope = self._tokens.bind(claims, redeemer, allow_cross_scope=registration.allow_cross_scope)
        state = await self._states.read(claims)
        row, answer = _answered(state.row)
        payload = await self._payloads.verify(claims, state.request)
        turn = await self._turns.recover(claims, state.turn, required=row.turn_recorded)
        return resume_outcome(
            claims,
            Receipt(answer=answer, replayed=True, row=row),
            payload=payload,
            response=await self._response(row),
            turn=turn,
            cross_scope=cross_scope,
        )

    async def _response(self, row: LedgerRow) -> Json:
        try:
            return read_json(await self._ledger.response_text_of(row))
        except (LookupError, ValueError) as error:
            raise OutcomeUnreadable(f"the accepted answer cannot be read: {error}") from None


def _answered(row: LedgerRow | None) -> tuple[LedgerRow, AcceptedAnswer]:
    if row is None:
        raise UnknownPause
    if row.answer is not None:
        return row, row.answer
    if row.status is PauseStatus.REVOKED:
        raise PauseRevoked
    # An open pause past its time ends at the next sweep, perhaps with its default answer: not yet, rather than expired.
    if row.status is PauseStatus.ISSUED:
        raise NotAnswered
    raise PauseExpired
