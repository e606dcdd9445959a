"""Resuming: eight steps, in this order and no other.

1. authenticity of the token
2. shape of its claims
3. expiry
4. the registration, then the binding (scope, session, run, call); a permitted cross-scope redemption is audited
5. the paused request, loaded and checked against the token's hash, then against its own schema
6. the answer, against its own schema and then against the question
7. the paused turn, rebuilt from the store and compared with the token
8. the single-use claim: last, and exactly once

Everything before 8 can be retried by an honest person who mistyped, so it leaves the token redeemable.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from askback.domain.audit import CrossScopeRedemption
from askback.domain.checkpoints import PausePayloadStore, request_hash
from askback.domain.claims import Audience, AuthenticatedClaims
from askback.domain.errors import AnswererNotAllowed, TokenRejected, TurnMissing
from askback.domain.json_text import Json, canonical_text, read_json
from askback.domain.ledger import AcceptedAnswer, LedgerRow
from askback.domain.ports import AuditTrail, PausedStateReader
from askback.domain.registry import InteractionRegistration, InteractionRegistry
from askback.domain.tokens import PauseTokenService, Redeemer
from askback.domain.turns import TurnCheckpoint, TurnCheckpointStore


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeCommand:
    """One attempt to answer: the token, from where, the answer, by whom, when, and under which attempt id.

    `at` is in epoch seconds. `audiences` are the kinds of token the route takes. `attempt_id` is new for each attempt
    and lets a lost reply of our own claim be told from another's claim.
    """

    pause_token: str
    redeemer: Redeemer
    response: Json
    answered_by: str
    at: int
    attempt_id: str
    audiences: frozenset[Audience] = frozenset({Audience.RESUME})


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeOutcome:
    """What was asked, what was answered, and what to go on from.

    `turn` is None when none was recorded and the route did not require one. `replayed` is True when an earlier request
    had this same answer accepted; everything else is then as it was the first time.
    """

    jti: str
    name: str
    thread_id: str
    checkpoint_id: str
    payload: Mapping[str, Any]
    response: Json
    run_id: str
    session_id: str
    tool_call_id: str
    interrupt_id: str
    cross_scope: bool
    time_to_resolve_seconds: float
    answered_at: int
    answered_by: str
    replayed: bool
    turn: TurnCheckpoint | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PausedQuestion:
    """A recorded request, for display, with the hash that says which one was seen."""

    jti: str
    name: str
    payload: Mapping[str, Any]
    request_hash: str
    expires_at: int
    row: LedgerRow | None


class ResumeService:
    """Checks an answer in the eight steps and consumes the token; one path for every interaction."""

    def __init__(
        self,
        *,
        registry: InteractionRegistry,
        tokens: PauseTokenService,
        payloads: PausePayloadStore,
        turns: TurnCheckpointStore,
        states: PausedStateReader,
        audit: AuditTrail,
    ) -> None:
        self._registry = registry
        self._tokens = tokens
        self._payloads = payloads
        self._turns = turns
        self._states = states
        self._audit = audit

    async def resume(self, command: ResumeCommand, require_turn: bool = False) -> ResumeOutcome:
        """Accept an answer once and return what the run goes on with.

        `require_turn` is the route's demand, never the request's: a route that goes on with the run refuses when no
        turn was recorded; one that only takes the answer does not, or tokens of the legacy engine would stop resolving.

        Raises:
            HumanInteractionError: by the class that says what is wrong. Only after step 8 is anything consumed.
        """
        # 1-3
        claims = await self._authenticate(command)
        # 4
        registration = self._registry.named(claims.name)
        cross_scope = await self._bind(command, claims, registration)
        # 5
        state = await self._states.read(claims)
        payload = await self._payloads.verify(claims, state.request)
        request = registration.read_recorded_payload(payload)
        # 6
        response = registration.read_response(command.response, request)
        # 7
        turn = None
        if state.turn is not None:
            turn = await self._turns.rebuild(claims, state.turn)
        elif require_turn or (state.row is not None and state.row.turn_recorded):
            # A turn that was promised and is gone is refused on every route: the run behind it cannot go on.
            raise TurnMissing("no paused turn is recorded for this token; the agent must ask again")
        # 8
        text = canonical_text(response)
        receipt = await self._tokens.consume(
            claims,
            AcceptedAnswer(
                response=text,
                response_hash=request_hash(text),
                answered_by=command.answered_by,
                answered_at=command.at,
                attempt_id=command.attempt_id,
                redeemed_scope_hash=_scope_hash(command, claims),
            ),
        )
        accepted = receipt.answer
        issued_at = accepted.answered_at if claims.issued_at is None else claims.issued_at
        return ResumeOutcome(
            jti=claims.jti,
            name=claims.name,
            thread_id=claims.thread_id,
            checkpoint_id=claims.checkpoint_id,
            payload=payload,
            response=read_json(accepted.response),
            run_id=claims.run_id,
            session_id=claims.session_id,
            tool_call_id=claims.tool_call_id,
            interrupt_id=claims.interrupt_id,
            cross_scope=cross_scope,
            time_to_resolve_seconds=float(max(0, accepted.answered_at - issued_at)),
            answered_at=accepted.answered_at,
            answered_by=accepted.answered_by,
            replayed=receipt.replayed,
            turn=turn,
        )

    async def question(self, pause_token: str, *, at: int) -> PausedQuestion:
        """Return what is asked, by steps 1 to 5 without a binding: holding a token is enough to read the question.

        Nothing is consumed, however often it is called.
        """
        claims = await self._tokens.authenticate(pause_token, at=at)
        registration = self._registry.named(claims.name)
        state = await self._states.read(claims)
        payload = await self._payloads.verify(claims, state.request)
        registration.read_recorded_payload(payload)
        return PausedQuestion(
            jti=claims.jti,
            name=claims.name,
            payload=payload,
            request_hash=claims.request_hash,
            expires_at=claims.exp,
            row=state.row,
        )

    async def _authenticate(self, command: ResumeCommand) -> AuthenticatedClaims:
        claims = await self._tokens.authenticate(command.pause_token, at=command.at)
        if claims.audience not in command.audiences:
            raise TokenRejected
        return claims

    async def _bind(
        self, command: ResumeCommand, claims: AuthenticatedClaims, registration: InteractionRegistration
    ) -> bool:
        redeemer = command.redeemer
        if redeemer.scope is None and not registration.allow_link:
            raise AnswererNotAllowed("this question can only be answered by somebody who is signed in")
        cross_scope = self._tokens.bind(claims, redeemer, allow_cross_scope=registration.allow_cross_scope)
        if cross_scope:
            await self._audit.record(
                CrossScopeRedemption(
                    jti=claims.jti,
                    name=claims.name,
                    issued_scope_hash=claims.scope_hash,
                    redeemed_scope_hash=_scope_hash(command, claims),
                    redeemed_by=command.answered_by,
                    at=command.at,
                )
            )
        return cross_scope


def _scope_hash(command: ResumeCommand, claims: AuthenticatedClaims) -> str:
    scope = command.redeemer.scope
    return claims.scope_hash if scope is None else scope.digest()
