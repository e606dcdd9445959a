"""The asker's side of a question back: it reads what people ask, and adds a reply to its question."""

from collections.abc import Callable
from dataclasses import dataclass

from askback.domain.delivery.open_changes import OpenChanges
from askback.domain.errors import InvalidRequest, StoreUnavailable
from askback.domain.json_text import sha256_hex
from askback.domain.pause.admitted_row import admitted_row
from askback.domain.pause.changes import ChangeKind, clarifications
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ledger import LedgerRow
from askback.domain.pause.person_names import ASKER
from askback.domain.pause.principal_scopes import Admit
from askback.domain.pause.quorum import has_room, members, round_of_next
from askback.domain.ports import IssuanceLedger
from askback.domain.visible_text import text_fault

REPLY_MAX_CHARACTERS = 2000
TRIES = 10
"""How often the row is read again when it changed between read and write (a vote, a reminder, another question)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clarified:
    """A pause with the reply in it; `replayed` when an earlier request had already added it."""

    row: LedgerRow
    replayed: bool


class Clarifying:
    """Shows the asker the questions of people, and records its replies; `known` is as in `admitted_row`."""

    def __init__(
        self,
        *,
        ledger: IssuanceLedger,
        changes: OpenChanges,
        known: Callable[[PauseClaims], None] = lambda _: None,
    ) -> None:
        self._ledger = ledger
        self._changes = changes
        self._known = known

    async def pause(self, jti: str, *, admit: Admit) -> LedgerRow:
        """Return the row, which has the questions; raises UnknownPause, and what `admit` raises."""
        return await admitted_row(self._ledger, jti, admit=admit, known=self._known)

    async def reply(self, jti: str, *, number: int, text: str, at: int, admit: Admit) -> Clarified:
        """Add the reply to the question with this number, at `at` (epoch seconds).

        From then on people answer the question with this reply: votes of before are void, and an answer of a person who
        has not seen the reply is refused.

        Raises:
            InvalidRequest: the text cannot be used, there is no such question, or it has another reply.
            UnknownPause, AlreadyAnswered, PauseRevoked, PauseSuperseded, PauseExpired: there is no open pause.
            StoreUnavailable: it was not added, or this is not known; send the same request again.
        """
        if wrong := text_fault(text, longest=REPLY_MAX_CHARACTERS):
            raise InvalidRequest.of_field("reply", wrong)
        for _ in range(TRIES):
            row = await self.pause(jti, admit=admit)
            asked = clarifications(row.changes)
            if not 1 <= number <= len(asked):
                raise InvalidRequest.of_field("number", "is not the number of a question that people have asked")
            if earlier := asked[number - 1].reply:
                if earlier.text_hash != sha256_hex(text):
                    raise InvalidRequest.of_field("number", "is a question that has another reply already")
                return Clarified(row=row, replayed=True)
            row.require_open(at=at)
            _require_room(row)
            changed = await self._changes.write(
                row,
                ChangeKind.CLARIFIED,
                at=at,
                by=ASKER,
                text=text,
                text_hash=sha256_hex(text),
                number=number,
                votes=len(row.votes),
            )
            if changed is not None:
                return Clarified(row=changed, replayed=False)
        raise StoreUnavailable(reason="the pause changed at every try to add a reply")


def _require_room(row: LedgerRow) -> None:
    """Refuse a reply after which not every member could vote again."""
    rounds = round_of_next(row.votes, row.void_votes)
    if row.quorum is not None and not has_room(row.votes, rounds=rounds, people=len(members(row.answerers))):
        raise InvalidRequest.of_field("reply", "is not possible after so many votes; replace the question instead")
