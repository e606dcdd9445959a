"""The resume: it checks an answer and consumes the token, in eight steps that must stay in this order.

1. authenticity of the token
2. shape of its claims
3. expiry; after it, only the accepted answer may be sent again
4. the registration, then the binding (scope, session, run, call); a permitted cross-scope redemption is audited
5. the row, compared with the token's claims on every read; the recorded request: loaded, compared with the token's
   hash, then checked against its schema; the row says who may answer; a person who saw another request gets
   `question-changed`
6. the answer, against its schema and then against the question
7. the paused turn, decoded and compared with the token and with its hash in the row
8. the claim, which can succeed only once: last

Steps 1 to 7 leave the token redeemable, so a person can correct an answer and send it again. Between 7 and 8, an answer
is refused if it could not be delivered: the run no longer waits, or the outcome is too large for it. After step 8 the
answer is durable: an error of the delivery is not an error of the request.
"""

from dataclasses import replace
from typing import TypeGuard

from askback.domain.delivery.delivery import Attempt, Delivery
from askback.domain.delivery.outcome_text import outcome_text
from askback.domain.errors import (
    AlreadyAnswered,
    AnswerInvalid,
    FieldError,
    PauseExpired,
    WaiterGone,
)
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.json_text import Json, sha256_hex
from askback.domain.pause.assurance import AnsweredVia, Assurance, assurance_of
from askback.domain.pause.claims import Audience, AuthenticClaims, LiveClaims
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import AcceptedAnswer, LedgerRow, PauseStatus, Receipt, settle_refused_claim
from askback.domain.pause.quorum import VOTE_MAX_BYTES, Vote, escaped_size, votes_said
from askback.domain.pause.scope import Scope
from askback.domain.pause.waiters import Waiter
from askback.domain.ports import AuditTrail, PausedState, PausedStateReader
from askback.domain.records.payloads import PausePayloadStore
from askback.domain.records.turns import TurnCheckpointStore
from askback.domain.resume.admission import Admission, Admitted, redeemed_scope_hash
from askback.domain.resume.outcome import (
    DeliveryState,
    EndedPause,
    PausedQuestion,
    Reader,
    ResumeCommand,
    ResumeOutcome,
    resume_outcome,
)
from askback.domain.tokens.service import PauseTokenService
from askback.domain.written_numbers import written_text

__all__ = ["DeliveryState", "PausedQuestion", "ResumeCommand", "ResumeOutcome", "ResumeService"]


class ResumeService:
    """Does the eight steps; every interaction takes the same path."""

    def __init__(
        self,
        *,
        registry: InteractionRegistry,
        tokens: PauseTokenService,
        payloads: PausePayloadStore,
        turns: TurnCheckpointStore,
        states: PausedStateReader,
        audit: AuditTrail,
        delivery: Delivery,
    ) -> None:
        self.admission = Admission(registry=registry, tokens=tokens, payloads=payloads, states=states, audit=audit)
        """Steps 1 to 5, which every request of a person takes."""
        self._registry = registry
        self._tokens = tokens
        self._payloads = payloads
        self._turns = turns
        self._delivery = delivery

    async def resume(self, command: ResumeCommand, require_turn: bool = False) -> ResumeOutcome:
        """Accept an answer once and return the outcome that the run continues with.

        The route sets `require_turn`, not the request. A route that continues the run refuses a pause without a
        recorded turn. A route that only accepts the answer does not refuse it: tokens of the legacy engine have no
        turn.

        Raises:
            HumanInteractionError: one of its subclasses. Only step 8 consumes the token.
        """
        # 1-5
        admitted = await self.admission.admit(command)
        claims, live, state = admitted.claims, admitted.live, admitted.state
        # 6
        response = admitted.registration.read_response(command.response, admitted.question)
        # 7
        # If the row says that a turn was recorded, every route needs it: without it the run cannot continue.
        promised = state.row is not None and state.row.turn_recorded
        turn_hash = "" if state.row is None else state.row.turn_hash
        turn = await self._turns.recover(claims, state.turn, required=require_turn or promised, turn_hash=turn_hash)
        answer = _answer(command, admitted, written_text(response, sort_keys=True))
        if live is None:
            receipt = _receipt_again(state.row, answer)
        else:
            voting = state.row is not None and state.row.quorum is not None
            vote = _vote(admitted, answer, response, command) if voting else None
            waiter = await self._require_delivery_possible(live, state.row, answer, vote)
            # 8
            if state.row is not None and vote is not None:
                receipt = await self._tokens.vote(live, state.row, vote, answer, waiter=waiter)
            else:
                receipt = await self._tokens.consume(live, answer, waiter=waiter, seen=state.row)
        attempt = await self._after(receipt, command)
        return resume_outcome(
            claims,
            replace(receipt, row=attempt.row),
            payload=admitted.recorded.payload,
            response=response,
            turn=turn,
            cross_scope=admitted.cross_scope,
            settled=attempt.row.status is not receipt.row.status,
            failure=attempt.failure,
        )

    async def _require_delivery_possible(
        self, claims: LiveClaims, row: LedgerRow | None, answer: AcceptedAnswer, vote: Vote | None
    ) -> Waiter | None:
        """Refuse an answer that is too late or too large, before the token is consumed.

        Returns the waiter that still waits: the claim accepts an answer only for this waiter. An answered pause is not
        checked again.

        Raises:
            WaiterGone: the run does not wait any more.
            RequestTooLarge: the outcome is larger than the limit of the waiter.
        """
        if row is None or row.waiter is None or row.status is not PauseStatus.ISSUED:
            return None if row is None else row.waiter
        row.waiter.require_room(
            outcome_text(
                row.claims,
                answer,
                answered_for=row.delegated_for(answer.answered_by),
                response_text=answer.response_text or "",
                turn_recorded=row.turn_recorded,
                votes=votes_said((*row.votes, vote), row.answerers, void=row.void_votes) if vote else (),
            )
        )
        if await self._delivery.still_waits(row):
            return row.waiter
        # The run is also closed by an answer that was claimed and delivered since the row was read. The claim then
        # decides about this answer. A retried mint may have replaced the waiter.
        now = (await self.admission.read(claims)).row
        if now is None or now.status is not PauseStatus.ISSUED:
            return row.waiter
        if now.waiter == row.waiter or not await self._delivery.still_waits(now):
            raise WaiterGone
        return now.waiter

    async def _after(self, receipt: Receipt, command: ResumeCommand) -> Attempt:
        """Deliver the accepted answer.

        A replay delivers only if the row is due again, because the first delivery may still be running.
        """
        new, row = not receipt.replayed, receipt.row
        if row.quorum is not None:
            # The receipt has the vote of one person. The row has the answer, once a vote has ended the pause.
            if row.status is PauseStatus.ISSUED:
                if new:
                    await self._delivery.announce(PauseEventType.VOTED, row, at=command.at)
                return Attempt(row=row)
            # After a lost reply, another vote may have ended the pause: only its request announces and delivers that.
            new = new and row.answer is not None and row.answer.attempt_id == receipt.answer.attempt_id
        else:
            # The receipt has the text, so a large answer is not read from the bucket again.
            row = replace(row, answer=receipt.answer)
        if new:
            await self._delivery.announce(PauseEventType.ANSWERED, row, at=command.at)
            return await self._delivery.first_attempt(row, at=command.at)
        if row.status is PauseStatus.ANSWERED and row.due_at is not None and row.due_at <= command.at:
            return await self._delivery.retry(row, at=command.at)
        return Attempt(row=row)

    async def question(self, token: str, *, at: int) -> PausedQuestion | EndedPause:
        """Return the question, after steps 1 to 5 without the binding: a token of either kind is enough.

        It consumes nothing, so it can be called many times. With an expired token it returns only pauses that were
        answered, revoked or superseded. After the end, a link without a recipient shows how and when the pause ended,
        and no more. A recipient's link that is not expired leads on to a newer question for the same person.
        """
        claims = await self._tokens.authenticate_live_or_ended(token, at=at)
        state = await self.admission.read(claims)
        if claims.audience is Audience.ANSWER and not claims.recipient and _ended_otherwise(state.row):
            return EndedPause(row=state.row)
        known_as = assurance_of(AnsweredVia.LINK, personal=bool(claims.recipient))
        shown = await self._shown(claims, state, Reader(name=claims.recipient, known_as=known_as), at=at)
        if state.row is None or not claims.recipient or not self._tokens.live(claims, at=at):
            return shown
        return replace(shown, next_token=await self._tokens.token_of_newer(state.row, claims.recipient))

    async def still_asked(self, token: str, *, request_hash: str, at: int) -> LedgerRow | None:
        """Return the row if the pause can still be answered and its question has this hash; else None.

        For a reader who has the question already: it reads the row once, and neither the question nor the turn.

        Raises:
            TokenRejected, LinkRevoked, StoreUnavailable, RowUnreadable: as `question` does.
        """
        claims, row = await self._tokens.authenticate_with_row(token, at=at)
        if row is None:
            return None
        row.require_of(claims)
        row.require_link(claims)
        is_open = row.status is PauseStatus.ISSUED and at < min(claims.exp, row.expires_at)
        return row if is_open and row.known_hash == request_hash else None

    async def question_by_id(self, jti: str, reader: Reader, *, scope: Scope, at: int) -> PausedQuestion:
        """Return the question to a person who has signed in and has no token; it consumes nothing.

        Raises:
            UnknownPause: the scope of the person has no such pause.
            AnswererNotAllowed: the question is for other people.
            PauseExpired: its time is over.
        """
        claims = await self._tokens.of_pause(jti, scope=scope)
        state = await self.admission.read(claims)
        if state.row is not None:
            # Whose question it is, and not how well the person is known: a stronger sign-in can follow.
            state.row.answerers.require(reader.name, Assurance.STEPPED_UP)
        return await self._shown(claims, state, reader, at=at)

    async def _shown(self, claims: AuthenticClaims, state: PausedState, reader: Reader, *, at: int) -> PausedQuestion:
        registration = self._registry.named(claims.name)
        expires_at = claims.exp if state.row is None else state.row.expires_at
        if at >= expires_at and not _ended_otherwise(state.row):
            raise PauseExpired(expired_at=expires_at)
        recorded = await self._payloads.verify(claims, state.request)
        registration.read_recorded_payload(recorded.payload)
        return PausedQuestion(
            jti=claims.jti,
            name=claims.name,
            payload=recorded.payload,
            about=recorded.about,
            request_hash=claims.request_hash if state.row is None else state.row.known_hash,
            run_id=claims.run_id,
            expires_at=expires_at,
            presentation=registration.presentation,
            answer_schema=registration.answer_schema(),
            reader=reader,
            takes_links=registration.allow_link,
            row=state.row,
        )


def _ended_otherwise(row: LedgerRow | None) -> TypeGuard[LedgerRow]:
    """Return whether a pause was answered, revoked or superseded, so that it did not end by its expiry."""
    if row is None:
        return False
    return row.answer is not None or row.status in (PauseStatus.REVOKED, PauseStatus.SUPERSEDED)


def _receipt_again(row: LedgerRow | None, answer: AcceptedAnswer) -> Receipt:
    """Return the first receipt of the accepted answer; after the expiry, every other answer is expired."""
    try:
        return settle_refused_claim(row, answer)
    except AlreadyAnswered:
        raise PauseExpired from None


def _vote(admitted: Admitted, answer: AcceptedAnswer, response: Json, command: ResumeCommand) -> Vote:
    registration, row = admitted.registration, admitted.state.row
    text = answer.response_text or ""
    if escaped_size(text) > VOTE_MAX_BYTES:
        wrong = FieldError("response", f"must be at most {VOTE_MAX_BYTES} bytes in a pause with several votes")
        raise AnswerInvalid("the answer is too large for a vote", errors=(wrong,))
    approves = registration.approves(response)
    return Vote(
        by=answer.answered_by,
        approves=approves,
        runs=sha256_hex(written_text(registration.runs(response), sort_keys=True)) if approves else "",
        response_text=text,
        response_hash=answer.response_hash,
        at=answer.answered_at,
        attempt_id=answer.attempt_id,
        via=command.answered_via,
        assurance=answer.assurance or Assurance.STATED,
        # The pause has come to this person before, and it comes to a person once.
        delegated_for="" if row is None else row.delegated_for(answer.answered_by),
    )


def _answer(command: ResumeCommand, admitted: Admitted, response_text: str) -> AcceptedAnswer:
    return AcceptedAnswer(
        response_text=response_text,
        response_hash=sha256_hex(response_text),
        answered_by=admitted.answered_by,
        answered_via=command.answered_via,
        assurance=admitted.assurance,
        answered_at=command.at,
        attempt_id=command.attempt_id,
        redeemed_scope_hash=redeemed_scope_hash(command, admitted.claims),
    )
