"""A question back: a person asks the asker something instead of deciding.

It ends nothing. People can still answer. An event announces it to the asker, and so does its waiter if that is a
function. The reply changes what people know, so an answer to the question of before is then refused.
"""

from dataclasses import dataclass

from askback.domain.delivery.open_changes import OpenChanges
from askback.domain.errors import InvalidRequest, PauseExpired, StoreUnavailable
from askback.domain.json_text import sha256_hex
from askback.domain.pause.changes import QUESTIONS_MAX, ChangeKind, Clarification, clarifications
from askback.domain.pause.ledger import LedgerRow
from askback.domain.pause.person_names import same_person
from askback.domain.resume.admission import Admission, PersonRequest
from askback.domain.visible_text import text_fault

QUESTION_MAX_CHARACTERS = 1000
TRIES = 10
"""How often the row is read again when it changed between read and write (a vote, a reminder, another question)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedBack:
    """A recorded question back; `replayed` when an earlier request had already recorded it."""

    row: LedgerRow
    clarification: Clarification
    replayed: bool


class AskingBack:
    """Records the questions of people to the program that asked."""

    def __init__(self, *, admission: Admission, changes: OpenChanges) -> None:
        self._admission = admission
        self._changes = changes

    async def ask(self, request: PersonRequest, question: str) -> AskedBack:
        """Record the question of a person who may answer; the same open question of this person is recorded once.

        Raises:
            InvalidRequest: the text cannot be used, the asker takes no questions, or there were too many.
            HumanInteractionError: this person cannot answer the pause; it is as for an answer.
            StoreUnavailable: it was not recorded, or this is not known; send the same request again.
        """
        if wrong := text_fault(question, longest=QUESTION_MAX_CHARACTERS):
            raise InvalidRequest.of_field("question", wrong)
        for _ in range(TRIES):
            admitted = await self._admission.admit(request)
            row = admitted.state.row
            if row is None or not admitted.recorded.about.takes_questions:
                # A pause of the legacy engine has no row, and its program takes none.
                raise InvalidRequest.of_field("question", "is not possible: the program that asks takes no questions")
            if admitted.live is None:
                raise PauseExpired(expired_at=admitted.claims.exp)
            row.require_open(at=request.at)
            if earlier := _open_question(row, admitted.answered_by, question):
                return AskedBack(row=row, clarification=earlier, replayed=True)
            if len(clarifications(row.changes)) >= QUESTIONS_MAX:
                raise InvalidRequest.of_field(
                    "question", f"is not possible: people have asked {QUESTIONS_MAX} questions about it already"
                )
            changed = await self._changes.write(
                row,
                ChangeKind.QUESTIONED,
                at=request.at,
                by=admitted.answered_by,
                text=question,
                text_hash=sha256_hex(question),
            )
            if changed is not None:
                return AskedBack(row=changed, clarification=clarifications(changed.changes)[-1], replayed=False)
        raise StoreUnavailable(reason="the pause changed at every try to ask back")


def _open_question(row: LedgerRow, person: str, question: str) -> Clarification | None:
    """Return the same question of the same person that has no reply yet."""
    for each in clarifications(row.changes):
        if each.reply is None and each.asked.text_hash == sha256_hex(question) and same_person(each.asked.by, person):
            return each
    return None
