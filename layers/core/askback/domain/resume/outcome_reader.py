"""Reads how a pause ended, for a backend that did not receive the answer itself.

This is for a person who answers through a link and a run without a waiter: the backend asks for the outcome later. The
reader consumes nothing, and it accepts an expired token: an answer of the last second must stay readable.
"""

from askback.domain.errors import (
    NotAnswered,
    OutcomeUnreadable,
    PauseExpired,
    TokenRejected,
    UnknownPause,
)
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.json_text import Json, read_json
from askback.domain.pause.claims import Audience, PauseClaims
from askback.domain.pause.ledger import AcceptedAnswer, LedgerRow, PauseStatus, Receipt
from askback.domain.ports import IssuanceLedger, PausedStateReader
from askback.domain.records.payloads import PausePayloadStore
from askback.domain.records.turns import TurnCheckpointStore
from askback.domain.resume.outcome import ResumeOutcome, resume_outcome
from askback.domain.tokens.scope_binder import Redeemer
from askback.domain.tokens.service import PauseTokenService


class OutcomeReader:
    """Returns the accepted answer and the turn to continue from; a backend can ask many times."""

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
            NotAnswered: the pause is still open.
            PauseExpired, PauseRevoked, PauseSuperseded: the pause ended without an answer.
            UnknownPause: the pause is not recorded.
            TokenRejected: the token is no pause token, or the row is not that of the token.
            HumanInteractionError: the token or a record is refused, as in a resume.
        """
        claims = await self._tokens.authenticate_live_or_ended(pause_token, at=at)
        if claims.audience is not Audience.RESUME:
            raise TokenRejected
        registration = self._registry.named(claims.name)
        cross_scope = self._tokens.bind(claims, redeemer, allow_cross_scope=registration.allow_cross_scope)
        return await self._outcome(claims, cross_scope=cross_scope, with_turn=True)

    async def read_without_turn(self, claims: PauseClaims) -> ResumeOutcome:
        """Return the outcome of an answered pause to a caller without a token, whom a check of the row has admitted.

        It has no turn, and a recorded one is not read. Raises as `read` does.
        """
        return await self._outcome(claims, cross_scope=False, with_turn=False)

    async def _outcome(self, claims: PauseClaims, *, cross_scope: bool, with_turn: bool) -> ResumeOutcome:
        state = (await self._states.read(claims)).of(claims)
        row, answer = _answered(state.row)
        payload = (await self._payloads.verify(claims, state.request)).payload
        turn = None
        if with_turn:
            turn = await self._turns.recover(claims, state.turn, required=row.turn_recorded, turn_hash=row.turn_hash)
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
            return read_json(await self._ledger.response_text_of(row), digits=True)
        except (LookupError, ValueError) as error:
            raise OutcomeUnreadable(f"the accepted answer cannot be read: {error}") from None


def _answered(row: LedgerRow | None) -> tuple[LedgerRow, AcceptedAnswer]:
    if row is None:
        raise UnknownPause
    if row.answer is not None:
        return row, row.answer
    row.require_kept()
    # After its time, an open pause may still get its default answer from the next sweep. So it is not yet expired.
    if row.status is PauseStatus.ISSUED:
        raise NotAnswered
    raise PauseExpired
