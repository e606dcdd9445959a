"""Issues the answer links of an open pause again, for a program that brings them to people itself.

Tokens are not stored. They are issued from the ledger row, with the row's key: the same tokens as in every message of
the notifier. Nothing is written.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from askback.domain.errors import (
    AlreadyAnswered,
    InteractionConfigurationError,
    InvalidRequest,
    PauseExpired,
    PauseRevoked,
    UnknownPause,
)
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.person_names import person_key
from askback.domain.ports import IssuanceLedger
from askback.domain.tokens.service import AnswerTokens, PauseTokenService


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedLinks:
    """An open pause and its answer tokens; `shared` says whether the one without a recipient was asked for."""

    row: LedgerRow
    tokens: AnswerTokens
    shared: bool


class AnswerLinks:
    """Issues answer tokens of open pauses. `known` is called with the claims of each pause whose row was read."""

    def __init__(
        self,
        *,
        ledger: IssuanceLedger,
        tokens: PauseTokenService,
        known: Callable[[PauseClaims], None] = lambda _: None,
    ) -> None:
        self._ledger = ledger
        self._tokens = tokens
        self._known = known

    async def of(self, jti: str, *, at: int, recipients: Sequence[str] | None = None) -> IssuedLinks:
        """Return the answer tokens of a pause that is open at `at` (epoch seconds).

        With `recipients`, only the tokens of these people are issued, and not the one without a recipient.

        Raises:
            UnknownPause, AlreadyAnswered, PauseExpired, PauseRevoked: there is no open pause.
            InvalidRequest: a name is not one of the pause's recipients.
            InteractionConfigurationError: the key of the pause was removed, or there is no usable ring.
            StoreUnavailable, RowUnreadable: the row cannot be read.
        """
        row = await self._ledger.find(jti)
        if row is None:
            raise UnknownPause
        self._known(row.claims)
        _require_open(row, at=at)
        wanted = row.answerers.recipients if recipients is None else _named(recipients, row.answerers.recipients)
        tokens = await answer_tokens_of(row, self._tokens)
        links = {recipient: tokens.links[recipient] for recipient in wanted}
        return IssuedLinks(row=row, tokens=replace(tokens, links=links), shared=recipients is None)


async def answer_tokens_of(row: LedgerRow, tokens: PauseTokenService) -> AnswerTokens:
    """Return the answer tokens of a row, signed with its key; raises InteractionConfigurationError without this key."""
    recipients = row.answerers.recipients
    try:
        return await tokens.issue_answer_tokens(row.claims, key_id=row.key_id, recipients=recipients)
    except LookupError:
        raise InteractionConfigurationError(
            "the key of this pause was removed, so its links are not valid; mint the question again",
            reason="key retired",
        ) from None


def _named(people: Sequence[str], recipients: Sequence[str]) -> tuple[str, ...]:
    """Return the recipients with these names, each once; another spelling of a name is the same person."""
    by_key = {person_key(recipient): recipient for recipient in recipients}
    for index, person in enumerate(people):
        if person_key(person) not in by_key:
            raise InvalidRequest.of_field(f"recipients[{index}]", "is not a recipient of this pause")
    return tuple(dict.fromkeys(by_key[person_key(person)] for person in people))


def _require_open(row: LedgerRow, *, at: int) -> None:
    if row.answer is not None:
        raise AlreadyAnswered(answered_at=row.answer.answered_at)
    if row.status is PauseStatus.REVOKED:
        raise PauseRevoked
    if row.status is not PauseStatus.ISSUED or row.claims.exp <= at:
        raise PauseExpired
