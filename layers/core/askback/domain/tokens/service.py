"""The service that issues, authenticates, binds and consumes the tokens of a pause.

These are separate steps: only `consume` writes. `authenticate` reads the ledger for an answer token, which has only the
id of its pause; a pause token has everything in itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from askback.domain.errors import (
    PauseExpired,
    QuestionChanged,
    RowUnreadable,
    StoreUnavailable,
    TokenRejected,
    UnknownPause,
)
from askback.domain.limits import TOKEN_MAX_BYTES
from askback.domain.pause.answerers import PEOPLE_MAX
from askback.domain.pause.claims import Audience, AuthenticClaims, LiveClaims, PauseClaims
from askback.domain.pause.ledger import (
    FIRST_REDELIVERY_SECONDS,
    AcceptedAnswer,
    LedgerRow,
    PauseStatus,
    Receipt,
    settle_refused_claim,
    vote_as_answer,
)
from askback.domain.pause.person_names import same_person
from askback.domain.pause.quorum import ROUNDS_MAX, Vote, counted
from askback.domain.pause.scope import Scope
from askback.domain.pause.waiters import Waiter
from askback.domain.ports import IssuanceLedger, TokenCodec
from askback.domain.tokens.answer_token import AnswerTokenClaims
from askback.domain.tokens.scope_binder import Redeemer, ScopeBinder

VOTE_TRIES = PEOPLE_MAX * ROUNDS_MAX + 50
"""How often a vote is counted anew because another write came first: more often than a pause can have votes."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AnswerTokens:
    """The answer tokens of one pause, for people.

    `answer` has no recipient. `links` has one more answer token for each recipient, made for that person only. `repr`
    does not show the tokens, because its text can get into logs.
    """

    answer: str
    links: Mapping[str, str] = field(default_factory=dict)

    def without(self, recipients: Sequence[str]) -> "AnswerTokens":
        """Return these tokens without those of the recipients."""
        return replace(self, links={each: token for each, token in self.links.items() if each not in recipients})


class PauseTokenService:
    """Issues, authenticates, binds and consumes pause tokens."""

    def __init__(
        self, *, codec: TokenCodec, ledger: IssuanceLedger, known: Callable[[PauseClaims], None] = lambda _: None
    ) -> None:
        """The service calls `known` with the claims of each pause as soon as it has issued or authenticated them."""
        self._codec = codec
        self._ledger = ledger
        self._known = known
        self._binder = ScopeBinder()

    async def current_key_id(self) -> str:
        """Return the id of the key that signs new pauses; raises InteractionConfigurationError without such a key."""
        return await self._codec.current_key_id()

    async def has_key(self, key_id: str) -> bool:
        """Return whether the ring still has this key: then its tokens verify, and more of them can be issued."""
        return await self._codec.has_key(key_id)

    async def issue_pause_token(self, claims: PauseClaims, *, key_id: str) -> str:
        """Return the pause token, for the backend; it is signed with the key `key_id`.

        Raises:
            LookupError: the ring has no such key.
            InteractionConfigurationError: there is no usable ring.
        """
        self._known(claims)
        return await self._codec.sign(claims.for_audience(Audience.RESUME).to_mapping(), key_id=key_id)

    async def issue_answer_tokens(
        self, claims: PauseClaims, *, key_id: str, recipients: Sequence[str] = ()
    ) -> AnswerTokens:
        """Return the answer tokens, for people; raises as `issue_pause_token` does.

        `recipients` are those of the row, all of them in its order: a recipient's token has the place in it.
        """
        self._known(claims)
        answer = AnswerTokenClaims(jti=claims.jti, exp=claims.exp)
        return AnswerTokens(
            answer=await self._codec.sign(answer.to_mapping(), key_id=key_id),
            links={
                recipient: await self._codec.sign(replace(answer, number=number).to_mapping(), key_id=key_id)
                for number, recipient in enumerate(recipients, start=1)
            },
        )

    async def authenticate(self, envelope: str, *, at: int) -> LiveClaims:
        """Return the claims of an authentic token that is not expired at `at` (epoch seconds).

        The order is: authenticity, then the form of the claims, then expiry. So the code does not read the claims of a
        forged token, and only authentic tokens get `expired`.

        Raises:
            TokenRejected: the signature or the form is wrong, or `iat` is in the future by more than the clock leeway.
            PauseExpired: `at` is `exp` or later; there is no leeway for expiry.
        """
        live = self.live(await self.authenticate_live_or_ended(envelope, at=at), at=at)
        if live is None:
            raise PauseExpired
        return live

    def live(self, claims: AuthenticClaims, *, at: int) -> LiveClaims | None:
        """Return the claims as live ones, or None at `exp` and later; there is no leeway on expiry."""
        return LiveClaims(claims) if at < claims.exp else None

    async def authenticate_live_or_ended(self, envelope: str, *, at: int) -> AuthenticClaims:
        """Return the claims of an authentic token, expired or not, to read how its pause ended.

        Raises:
            TokenRejected: as in `authenticate`, or an answer token has no row.
            StoreUnavailable, RowUnreadable: the row of an answer token cannot be read.
        """
        return (await self._authenticated(envelope, at=at))[0]

    async def authenticate_with_row(self, envelope: str, *, at: int) -> tuple[AuthenticClaims, LedgerRow | None]:
        """Return the claims as `authenticate_live_or_ended` does, and the row, with one read for either kind of token.

        The row is not compared with the claims yet. It is None for a pause of the legacy engine.
        """
        claims, row = await self._authenticated(envelope, at=at)
        return claims, row or await self._ledger.find(claims.jti)

    async def _authenticated(self, envelope: str, *, at: int) -> tuple[AuthenticClaims, LedgerRow | None]:
        if len(envelope) > TOKEN_MAX_BYTES:
            raise TokenRejected
        signed = await self._codec.verify(envelope)
        short = None if signed.legacy else AnswerTokenClaims.from_mapping(signed.claims)
        row = None
        if short is None:
            claims = PauseClaims.from_mapping(signed.claims, legacy=signed.legacy)
        else:
            row = await self._ledger.find(short.jti)
            claims = short.of_row(row)
        self._known(claims)
        if claims.issued_after(at):
            raise TokenRejected
        return AuthenticClaims(claims), row

    async def of_pause(self, jti: str, *, scope: Scope) -> AuthenticClaims:
        """Return the claims of a pause that a person in this scope named, who has signed in and has no token.

        Raises:
            UnknownPause: the scope has no such pause; that another scope has it is not said.
            StoreUnavailable, RowUnreadable: the row cannot be read.
        """
        row = await self._ledger.find(jti)
        if row is None or row.claims.legacy or not scope.matches(row.claims.scope_hash):
            raise UnknownPause
        self._known(row.claims)
        return AuthenticClaims(row.claims.for_audience(Audience.ANSWER))

    async def token_of_newer(self, row: LedgerRow, recipient: str) -> str:
        """Return the recipient's answer token for the pause that has replaced this one.

        It is empty if the newer pause does not ask this person, if their link of it is revoked, or if its key is gone.

        Raises:
            StoreUnavailable, RowUnreadable: the row of the newer pause cannot be read.
        """
        newer = None if row.superseded is None else await self._ledger.find(row.superseded.by)
        if newer is None or newer.supersedes != row.claims.jti:
            return ""
        people = newer.answerers.recipients
        same = next((each for each in people if same_person(each, recipient)), "")
        if not same or same in newer.revoked_links:
            return ""
        token = AnswerTokenClaims(jti=newer.claims.jti, exp=newer.claims.exp, number=people.index(same) + 1)
        try:
            return await self._codec.sign(token.to_mapping(), key_id=newer.key_id)
        except LookupError:
            return ""

    def bind(self, claims: AuthenticClaims, redeemer: Redeemer, *, allow_cross_scope: bool) -> bool:
        """Return whether this is a permitted cross-scope redemption; raises as `ScopeBinder.bind` does."""
        return self._binder.bind(claims, redeemer, allow_cross_scope=allow_cross_scope)

    async def vote(
        self, claims: LiveClaims, row: LedgerRow, vote: Vote, answer: AcceptedAnswer, *, waiter: Waiter | None
    ) -> Receipt:
        """Record a vote on a pause with a quorum; the vote that ends it uses the token up, in the same write.

        `answer` is the vote as the accepted answer that it becomes if it ends the pause, and `waiter` is as in
        `consume`. When other votes come at the same time, the vote is counted anew on each.

        Raises:
            AlreadyVoted, AlreadyAnswered, PauseExpired, PauseRevoked, UnknownPause: the pause does not take this vote.
            LinkRevoked, AnswererNotAllowed: the person may not vote any more.
            QuestionChanged: the asker has replied to a question back since the row was read.
            StoreUnavailable: the vote was not recorded, or its reply was lost; the same request again gets the result.
        """
        known_hash = row.known_hash
        for _ in range(VOTE_TRIES):
            if row.status is not PauseStatus.ISSUED:
                return settle_refused_claim(row, answer)
            row.require_open(at=answer.answered_at)
            row.require_link(claims)
            row.answerers.require(vote.by, vote.assurance)
            if row.quorum is None:
                raise RowUnreadable(reason="the quorum of the pause is gone")
            counts = counted(row.quorum, row.answerers, row.votes, vote, void=row.void_votes)
            if counts.vote in row.votes:
                return Receipt(answer=vote_as_answer(counts.vote, answer), replayed=counts.replayed, row=row)
            ends = counts.approved is not None
            if ends and (row.waiter is None) != (waiter is None):
                raise _waiter_changed()
            written = await self._ledger.vote(
                row,
                claims,
                counts,
                replace(answer, assurance=counts.weakest) if ends else None,
                redeliver_at=answer.answered_at + FIRST_REDELIVERY_SECONDS if ends and row.waiter else None,
                waiter=waiter if ends else None,
            )
            if written.written:
                accepted = replace(written.row.answer or answer, response_text=answer.response_text)
                return Receipt(answer=accepted, replayed=False, row=written.row)
            if ends and written.row.waiter != waiter:
                raise _waiter_changed()
            row = written.row
            if row.status is PauseStatus.ISSUED and row.known_hash != known_hash:
                raise QuestionChanged
        raise StoreUnavailable(reason="other votes changed the pause at every try")

    async def consume(
        self, claims: LiveClaims, answer: AcceptedAnswer, *, waiter: Waiter | None, seen: LedgerRow | None = None
    ) -> Receipt:
        """Use the token up by accepting the answer, in one conditional write.

        With a `waiter` the same write begins the first delivery to it. It must be the row's waiter still: another one
        was not asked whether it waits. The people must be those of the row that was `seen`: the answerer was one of
        them.

        Raises:
            AlreadyAnswered, PauseExpired, PauseRevoked, UnknownPause: the pause accepts no answer.
            TokenRejected: the row in the way is that of another token.
            StoreUnavailable: the token was not consumed, or its reply was lost; the same request again gets the result.
        """
        redeliver_at = None if waiter is None else answer.answered_at + FIRST_REDELIVERY_SECONDS
        receipt = await self._ledger.claim(claims, answer, redeliver_at=redeliver_at, waiter=waiter, seen=seen)
        # The row was compared before. For a legacy token there may have been none: this one was written since.
        receipt.row.require_of(claims)
        return receipt


def _waiter_changed() -> StoreUnavailable:
    return StoreUnavailable(reason="the waiter of the pause changed between the read and the vote")
