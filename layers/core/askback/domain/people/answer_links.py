"""Issues the answer links of an open pause again, for a program that brings them to people itself.

Tokens are not stored. They are issued from the ledger row, with the row's key: the same tokens as in every message of
the notifier. Nothing is written.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from askback.domain.errors import InteractionConfigurationError, InvalidRequest, UnknownPause
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ledger import LedgerRow
from askback.domain.pause.principal_scopes import Admit, every_row
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

    async def of(
        self,
        jti: str,
        *,
        at: int,
        recipients: Sequence[str] | None = None,
        admit: Admit = every_row,
    ) -> IssuedLinks:
        """Return the answer tokens of a pause that is open at `at` (epoch seconds).

        `admit` raises for a row that the caller may not use. With `recipients`, only the tokens of these people are
        issued, and not the one without a recipient. A recipient whose link was revoked gets none.

        Raises:
            UnknownPause, AlreadyAnswered, PauseExpired, PauseRevoked: there is no open pause.
            InvalidRequest: a name is not one of the pause's recipients, or the link of this person was revoked.
            InteractionConfigurationError: the key of the pause was removed, or there is no usable ring.
            StoreUnavailable, RowUnreadable: the row cannot be read.
        """
        row = await self._ledger.find(jti)
        if row is None:
            raise UnknownPause
        self._known(row.claims)
        admit(row)
        row.require_open(at=at)
        wanted = None if recipients is None else _named(recipients, row)
        tokens = await answer_tokens_of(row, self._tokens)
        if wanted is not None:
            tokens = replace(tokens, links={recipient: tokens.links[recipient] for recipient in wanted})
        return IssuedLinks(row=row, tokens=tokens, shared=recipients is None)


async def answer_tokens_of(row: LedgerRow, tokens: PauseTokenService) -> AnswerTokens:
    """Return the answer tokens of a row, signed with its key; a recipient whose link was revoked gets none.

    Raises:
        InteractionConfigurationError: there is no such key.
    """
    recipients = row.answerers.recipients
    try:
        issued = await tokens.issue_answer_tokens(row.claims, key_id=row.key_id, recipients=recipients)
        return issued.without(row.revoked_links)
    except LookupError:
        raise InteractionConfigurationError(
            "the key of this pause was removed, so its links are not valid; mint the question again",
            reason="key retired",
        ) from None


def _named(people: Sequence[str], row: LedgerRow) -> tuple[str, ...]:
    """Return the recipients with these names, each once; another spelling of a name is the same person."""
    named = [row.answerers.recipient_named(person, field=f"recipients[{index}]") for index, person in enumerate(people)]
    for index, recipient in enumerate(named):
        if recipient in row.revoked_links:
            raise InvalidRequest.of_field(f"recipients[{index}]", "is a recipient whose link was revoked")
    return tuple(dict.fromkeys(named))
