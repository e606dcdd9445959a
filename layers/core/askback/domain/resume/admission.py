"""Steps 1 to 5 of every request of a person about a pause: who it is, which pause, and what this person has seen.

An answer, a vote and a question back take the same steps, so none of them has a door that another one has not. The
numbers are those of `askback.domain.resume.eight_steps`. No step consumes anything.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel

from askback.domain.errors import AnswererNotAllowed, PauseExpired, QuestionChanged, TokenRejected
from askback.domain.interactions.registry import InteractionRegistration, InteractionRegistry
from askback.domain.pause.assurance import AnsweredVia, Assurance, assurance_of
from askback.domain.pause.audit import CrossScopeRedemption
from askback.domain.pause.claims import Audience, AuthenticClaims, LiveClaims, PauseClaims
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.person_names import is_among
from askback.domain.ports import AuditTrail, PausedState, PausedStateReader
from askback.domain.records.payloads import PausePayloadStore, RecordedRequest
from askback.domain.tokens.scope_binder import Redeemer
from askback.domain.tokens.service import PauseTokenService


def every_pause(_: PauseClaims) -> None:
    """Admit every pause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRequest:
    """One request of a person about a pause: the token, the place, the person and the time.

    `token` is a pause token or an answer token; `audiences` are the kinds that the route accepts. `at` is in epoch
    seconds. `stepped_up` says whether a JWT fulfils the condition for a stronger sign-in. `seen_request_hash` is the
    hash of the question that the person saw, or None if it is unknown. `jti` names the pause in place of a token, for a
    person who has signed in; the pause must be of the redeemer's scope. `admit` is called with the claims as soon as
    the pause is known, and raises for a pause that this request may not answer.
    """

    token: str
    redeemer: Redeemer
    answered_by: str
    at: int
    answered_via: AnsweredVia = AnsweredVia.DIRECT
    stepped_up: bool = False
    seen_request_hash: str | None = None
    audiences: frozenset[Audience] = frozenset({Audience.RESUME})
    jti: str = ""
    admit: Callable[[PauseClaims], None] = every_pause


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A request that has passed: the pause as it was read, and the person; `live` is None after the token's expiry."""

    claims: AuthenticClaims
    live: LiveClaims | None
    registration: InteractionRegistration
    cross_scope: bool
    state: PausedState
    recorded: RecordedRequest
    question: BaseModel
    answered_by: str
    assurance: Assurance


class Admission:
    """Takes a request through the steps."""

    def __init__(
        self,
        *,
        registry: InteractionRegistry,
        tokens: PauseTokenService,
        payloads: PausePayloadStore,
        states: PausedStateReader,
        audit: AuditTrail,
    ) -> None:
        self._registry = registry
        self._tokens = tokens
        self._payloads = payloads
        self._states = states
        self._audit = audit

    async def admit(self, request: PersonRequest) -> Admitted:
        """Return the pause and the person; raises HumanInteractionError, one of its subclasses."""
        # 1-3
        claims = await self._authenticate(request)
        request.admit(claims)
        answered_by, assurance = _answerer(request, claims)
        live = self._tokens.live(claims, at=request.at)
        if live is None:
            await self._require_answered_by(claims, answered_by)
        # 4
        registration = self._registry.named(claims.name)
        cross_scope = await self._bind(request, claims, registration)
        # 5
        state = await self.read(claims)
        if state.row is not None:
            if state.row.status is PauseStatus.ISSUED and request.at >= state.row.expires_at:
                raise PauseExpired(expired_at=state.row.expires_at)
            state.row.answerers.require(answered_by, assurance)
        recorded = await self._payloads.verify(claims, state.request)
        question = registration.read_recorded_payload(recorded.payload)
        require_seen(request, claims, state.row)
        return Admitted(
            claims=claims,
            live=live,
            registration=registration,
            cross_scope=cross_scope,
            state=state,
            recorded=recorded,
            question=question,
            answered_by=answered_by,
            assurance=assurance,
        )

    async def person(self, request: PersonRequest) -> tuple[AuthenticClaims, str]:
        """Return the pause and the person of a request after steps 1 to 3 alone, for what the person has done before.

        Whether the caller may name this pause is not checked again: `admit` has refused the request after that check.
        """
        claims = await self._authenticate(request)
        return claims, _answerer(request, claims)[0]

    async def read(self, claims: AuthenticClaims) -> PausedState:
        """Return the records of a pause.

        Raises:
            TokenRejected: the row is not that of the token.
            LinkRevoked: the token is a link that was revoked; it is void, also for a person who signs in with it.
        """
        state = (await self._states.read(claims)).of(claims)
        if state.row is not None:
            state.row.require_link(claims)
        return state

    async def _require_answered_by(self, claims: AuthenticClaims, answered_by: str) -> None:
        """After the expiry, admit only people whose answer or vote was accepted: the reply to it may have been lost.

        Raises:
            PauseExpired: the pause has no answer and no vote of this person.
        """
        row = (await self.read(claims)).row
        if row is None or row.answer is None or row.answer.by_policy:
            raise PauseExpired(expired_at=claims.exp)
        if not is_among(answered_by, (row.answer.answered_by, *(vote.by for vote in row.votes))):
            raise PauseExpired(expired_at=claims.exp)

    async def _authenticate(self, request: PersonRequest) -> AuthenticClaims:
        if request.jti and request.redeemer.scope is not None:
            return await self._tokens.of_pause(request.jti, scope=request.redeemer.scope)
        claims = await self._tokens.authenticate_live_or_ended(request.token, at=request.at)
        if claims.audience not in request.audiences:
            raise TokenRejected if self._tokens.live(claims, at=request.at) else PauseExpired
        return claims

    async def _bind(
        self, request: PersonRequest, claims: AuthenticClaims, registration: InteractionRegistration
    ) -> bool:
        redeemer = request.redeemer
        if redeemer.scope is None and not registration.allow_link:
            raise AnswererNotAllowed("only a person who has signed in can answer this question")
        cross_scope = self._tokens.bind(claims, redeemer, allow_cross_scope=registration.allow_cross_scope)
        if cross_scope:
            await self._audit.record(
                CrossScopeRedemption(
                    jti=claims.jti,
                    name=claims.name,
                    issued_scope_hash=claims.scope_hash,
                    redeemed_scope_hash=redeemed_scope_hash(request, claims),
                    redeemed_by=request.answered_by,
                    at=request.at,
                )
            )
        return cross_scope


def redeemed_scope_hash(request: PersonRequest, claims: AuthenticClaims) -> str:
    """Return the hash of the scope of the caller, or of the pause for a caller without one."""
    scope = request.redeemer.scope
    return claims.scope_hash if scope is None else scope.digest()


def require_seen(request: PersonRequest, claims: AuthenticClaims, row: LedgerRow | None) -> None:
    """Raise QuestionChanged for a person who saw another question.

    After a reply of the asker, a request must say what the person saw: otherwise it may be one from before the reply.
    """
    known = claims.request_hash if row is None else row.known_hash
    is_open = row is not None and row.status is PauseStatus.ISSUED
    may_be_unknown = known == claims.request_hash or not is_open
    if request.seen_request_hash != known and not (may_be_unknown and request.seen_request_hash is None):
        raise QuestionChanged


def _answerer(request: PersonRequest, claims: AuthenticClaims) -> tuple[str, Assurance]:
    """Return who answers, and how well that is known: the holder of a link is the person for whom it was made."""
    personal = request.answered_via is AnsweredVia.LINK and bool(claims.recipient)
    assurance = assurance_of(request.answered_via, personal=personal, stepped_up=request.stepped_up)
    return claims.recipient if personal else request.answered_by, assurance
