"""Pause tokens: issuing them, telling that they are ours, whose they are, and using one up.

Three things that are often one are kept apart here: `authenticate` needs no store, `bind` needs no store either, and
`consume` is the only thing that changes anything.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from askback.domain.errors import (
    CallMismatch,
    PauseExpired,
    RunMismatch,
    ScopeMismatch,
    SessionMismatch,
    TokenRejected,
)
from askback.domain.limits import TOKEN_MAX_BYTES
from askback.domain.pause.claims import Audience, AuthenticClaims, LiveClaims, PauseClaims
from askback.domain.pause.ledger import FIRST_REDELIVERY_SECONDS, AcceptedAnswer, Receipt
from askback.domain.pause.scope import Scope
from askback.domain.ports import IssuanceLedger, TokenCodec


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PauseTokens:
    """The tokens of one pause: the pause token for the backend, and answer tokens for people.

    `answer` names no person; `links` has one more answer token for each recipient, made for that person alone. Not
    shown by `repr`, which ends in logs.
    """

    pause: str
    answer: str
    links: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Redeemer:
    """From where a token is redeemed.

    `scope` is None only for the holder of an answer link. An axis that is None is not stated and not compared; the
    scope is always compared when there is one.
    """

    scope: Scope | None
    session_id: str | None = None
    run_id: str | None = None
    tool_call_id: str | None = None


class ScopeBinder:
    """Compares a token with the place it is redeemed from, axis by axis."""

    def bind(self, claims: PauseClaims, redeemer: Redeemer, *, allow_cross_scope: bool) -> bool:
        """Return whether this is a permitted redemption across scopes.

        Raises:
            ScopeMismatch, SessionMismatch, RunMismatch, CallMismatch: the first axis that differs, in this order.
        """
        cross_scope = redeemer.scope is not None and not redeemer.scope.matches(claims.scope_hash)
        if cross_scope and not allow_cross_scope:
            raise ScopeMismatch
        for stated, issued, mismatch in (
            (redeemer.session_id, claims.session_id, SessionMismatch),
            (redeemer.run_id, claims.run_id, RunMismatch),
            (redeemer.tool_call_id, claims.tool_call_id, CallMismatch),
        ):
            if stated is not None and stated != issued:
                raise mismatch
        return cross_scope


class PauseTokenService:
    """Issues, authenticates, binds and consumes pause tokens."""

    def __init__(
        self, *, codec: TokenCodec, ledger: IssuanceLedger, known: Callable[[PauseClaims], None] = lambda _: None
    ) -> None:
        """`known` is called with each pause that is issued or authenticated, as soon as its claims are known."""
        self._codec = codec
        self._ledger = ledger
        self._known = known
        self._binder = ScopeBinder()

    async def current_key_id(self) -> str:
        """Return the id of the key that signs a new pause; raises InteractionConfigurationError when there is none."""
        return await self._codec.current_key_id()

    async def has_key(self, key_id: str) -> bool:
        """Tell whether tokens signed with this key still verify, so that more of them can be issued."""
        return await self._codec.has_key(key_id)

    async def issue(self, claims: PauseClaims, *, key_id: str, recipients: Sequence[str] = ()) -> PauseTokens:
        """Return the tokens of a pause, signed with the named key.

        Raises:
            LookupError: the ring has no such key.
            InteractionConfigurationError: there is no usable ring.
        """
        self._known(claims)
        pause = claims.for_audience(Audience.RESUME)
        answer = claims.for_audience(Audience.ANSWER)
        return PauseTokens(
            pause=await self._codec.sign(pause.to_mapping(), key_id=key_id),
            answer=await self._codec.sign(answer.to_mapping(), key_id=key_id),
            links={
                recipient: await self._codec.sign(claims.for_recipient(recipient).to_mapping(), key_id=key_id)
                for recipient in recipients
            },
        )

    async def authenticate(self, envelope: str, *, at: int) -> LiveClaims:
        """Return the claims of a token that is ours and not expired at `at` (epoch seconds); nothing stateful.

        In this order: authenticity, then the shape of the claims, then expiry. So what an outsider writes into a token
        is never looked at, and "expired" is said of authentic tokens alone.

        Raises:
            TokenRejected: not signed by us, malformed, or from a future beyond the clock leeway.
            PauseExpired: `at` is `exp` or later; there is no leeway on expiry.
        """
        claims = await self.authenticate_live_or_ended(envelope, at=at)
        if at >= claims.exp:
            raise PauseExpired
        return LiveClaims(claims)

    async def authenticate_live_or_ended(self, envelope: str, *, at: int) -> AuthenticClaims:
        """Return the claims of a token that is ours, expired or not: for reading how its pause ended.

        Raises:
            TokenRejected: as `authenticate`.
        """
        if len(envelope) > TOKEN_MAX_BYTES:
            raise TokenRejected
        signed = await self._codec.verify(envelope)
        claims = PauseClaims.from_mapping(signed.claims, legacy=signed.legacy)
        self._known(claims)
        if claims.issued_after(at):
            raise TokenRejected
        return AuthenticClaims(claims)

    def bind(self, claims: AuthenticClaims, redeemer: Redeemer, *, allow_cross_scope: bool) -> bool:
        """Return whether the redemption crosses scopes, permitted; raises the axis that differs."""
        return self._binder.bind(claims, redeemer, allow_cross_scope=allow_cross_scope)

    async def consume(self, claims: LiveClaims, answer: AcceptedAnswer, *, waiting: bool) -> Receipt:
        """Use the token up by accepting the answer, in one conditional write.

        With `waiting` the same write begins the first delivery to the run that waits.

        Raises:
            AlreadyAnswered, PauseExpired, PauseRevoked, UnknownPause: the pause takes no answer.
            StoreUnavailable: nothing was consumed, or a repeated request will find out that it was.
        """
        redeliver_at = answer.answered_at + FIRST_REDELIVERY_SECONDS if waiting else None
        return await self._ledger.claim(claims, answer, redeliver_at=redeliver_at)
