"""The command and the outcome of a resume, and the question that is shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from askback.domain.errors import HumanInteractionError
from askback.domain.interactions.registry import Presentation
from askback.domain.json_text import Json, read_json
from askback.domain.pause.answerers import LINK_HOLDER, NO_RESTRICTION
from askback.domain.pause.assurance import AnsweredVia, Assurance
from askback.domain.pause.changes import PauseChange, new_places
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.delegation import may_pass_on
from askback.domain.pause.ledger import LedgerRow, PauseStatus, Receipt
from askback.domain.pause.person_names import is_among, same_person
from askback.domain.records.about import About
from askback.domain.records.turns import TurnCheckpoint, TurnReference, turn_reference
from askback.domain.resume.admission import PersonRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeCommand(PersonRequest):
    """One attempt to answer: the request of the person with the answer and the attempt id.

    `attempt_id` is new for each attempt: if the reply of the claim was lost, it shows that the claim in the row is this
    one.
    """

    response: Json
    attempt_id: str

    @classmethod
    def of(cls, person: PersonRequest, *, response: Json, attempt_id: str) -> "ResumeCommand":
        """Return the attempt of a person to answer."""
        given = {each.name: getattr(person, each.name) for each in fields(person)}
        return cls(**given, response=response, attempt_id=attempt_id)


class DeliveryState(StrEnum):
    """Whether the run that waits has the answer. PENDING: the answer is durable and will be delivered."""

    NONE = "none"
    PENDING = "pending"
    DELIVERED = "delivered"
    UNDELIVERABLE = "undeliverable"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeOutcome:
    """The question, the accepted answer, and the turn to continue from.

    `turn` is None if none was recorded and the route did not require one; `turn_reference` is its place. `replayed` is
    True if an earlier request had the same answer accepted; the other fields of the answer are then those of the first
    time. `assurance` is the value of an `Assurance`, or `unknown`. `by_policy` is True for a default answer: no person
    decided. `issued_at` (epoch seconds) is None for a legacy token. `settled` is True if this request ended the
    delivery. `failure` is the error of this request's delivery attempt, if it failed and will be repeated; it is for
    the log.
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
    answered_via: AnsweredVia | None
    assurance: str
    by_policy: bool
    replayed: bool
    delivery: DeliveryState
    turn: TurnCheckpoint | None
    turn_reference: TurnReference
    issued_at: int | None
    settled: bool
    failure: HumanInteractionError | None = None
    answered_for: str = ""
    """The member for whom the person has answered, because the pause was passed on; empty for other answers."""
    several: LedgerRow | None = None
    """The row of a pause with a quorum, for its votes; None for every other pause."""
    own_response: Json = None
    """What this request said. `response` is what the run continues with: a vote can differ from what was decided."""

    @property
    def still_open(self) -> bool:
        """Whether this was a vote after which the pause needs more votes; then nothing may run yet."""
        return self.several is not None and self.several.status is PauseStatus.ISSUED


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The person to whom a question is shown, and how well this person is known; without a name, any person."""

    name: str
    known_as: Assurance

    @property
    def signed_in(self) -> bool:
        """Whether the person has signed in; otherwise the person has a token."""
        return self.known_as.reaches(Assurance.SIGNED_IN)


@dataclass(frozen=True, slots=True, kw_only=True)
class PausedQuestion:
    """A recorded request for display, with its hash, which an answer can send back as the question that was seen.

    `presentation` and `answer_schema` say how to ask for the answer. `takes_links` says whether the interaction allows
    an answer without a sign-in.
    """

    jti: str
    name: str
    payload: Mapping[str, Any]
    about: About
    request_hash: str
    run_id: str
    expires_at: int
    presentation: Presentation
    answer_schema: Mapping[str, Any] | None
    reader: Reader
    takes_links: bool
    row: LedgerRow | None
    next_token: str = field(default="", repr=False)
    """The reader's answer token for the pause that has replaced this one; empty if there is none for this reader."""

    @property
    def may_answer(self) -> bool:
        """Whether the reader, known in this way, may answer; if not, the page does not show a form for an answer."""
        answerers = self.row.answerers if self.row else NO_RESTRICTION
        known_well = self.takes_links or self.reader.signed_in
        return known_well and answerers.admit(self.reader.name or LINK_HOLDER, self.reader.known_as)

    @property
    def asked_people(self) -> int:
        """How many people are asked: those who may answer, or else those who got a link; 0 if that is open."""
        return len(self.row.people.asked()) if self.row else 0

    @property
    def asked_because(self) -> PauseChange | None:
        """The change of the people by which the reader is asked; None if the mint has named the reader."""
        if self.row is None or not self.reader.name:
            return None
        recipients = self.row.answerers.recipients
        for number, change in enumerate(self.row.changes, start=1):
            if is_among(self.reader.name, new_places(self.row.changes, number, recipients)):
                return change
        return None

    @property
    def may_delegate(self) -> bool:
        """Whether the reader may pass the question on to another person."""
        return self.may_answer and self.row is not None and may_pass_on(self.row, self.reader.name)

    @property
    def answered_by_reader(self) -> bool | None:
        """Whether the reader has answered; None without an answer, or for a reader without a name."""
        answer = self.row.answer if self.row else None
        return same_person(answer.answered_by, self.reader.name) if answer and self.reader.name else None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedPause:
    """How a pause ended, without its question, for the holder of a link that names no person."""

    row: LedgerRow


def resume_outcome(
    claims: PauseClaims,
    receipt: Receipt,
    *,
    payload: Mapping[str, Any],
    response: Json,
    turn: TurnCheckpoint | None,
    cross_scope: bool,
    settled: bool = False,
    failure: HumanInteractionError | None = None,
) -> ResumeOutcome:
    """Return the outcome of an accepted answer; `time_to_resolve_seconds` is 0 for a legacy token."""
    answer = receipt.answer
    issued_at = answer.answered_at if claims.issued_at is None else claims.issued_at
    return ResumeOutcome(
        jti=claims.jti,
        name=claims.name,
        thread_id=claims.thread_id,
        checkpoint_id=claims.checkpoint_id,
        payload=payload,
        response=_decided(receipt.row, response),
        own_response=response,
        run_id=claims.run_id,
        session_id=claims.session_id,
        tool_call_id=claims.tool_call_id,
        interrupt_id=claims.interrupt_id,
        cross_scope=cross_scope,
        time_to_resolve_seconds=float(max(0, answer.answered_at - issued_at)),
        answered_at=answer.answered_at,
        answered_by=answer.answered_by,
        answered_for=receipt.row.delegated_for(answer.answered_by),
        answered_via=answer.answered_via,
        assurance=answer.known_as,
        by_policy=answer.by_policy,
        replayed=receipt.replayed,
        delivery=_delivery_state(receipt.row),
        turn=turn,
        turn_reference=turn_reference(claims),
        issued_at=claims.issued_at,
        settled=settled,
        failure=failure,
        several=receipt.row if receipt.row.quorum else None,
    )


def _decided(row: LedgerRow, response: Json) -> Json:
    """Return the answer of the vote that ended the pause, if votes did; otherwise the response itself."""
    if row.answer is None:
        return response
    texts = [vote.response_text for vote in row.votes if vote.attempt_id == row.answer.attempt_id]
    return read_json(texts[0], digits=True) if texts and texts[0] is not None else response


def _delivery_state(row: LedgerRow) -> DeliveryState:
    if row.waiter is None:
        return DeliveryState.NONE
    return {
        PauseStatus.DELIVERED: DeliveryState.DELIVERED,
        PauseStatus.UNDELIVERABLE: DeliveryState.UNDELIVERABLE,
    }.get(row.status, DeliveryState.PENDING)
