"""The forms of the replies, besides those for operators.

The functions make replies as plain objects, so no model of the code says their forms. Tests check every reply against
these forms, without members that a form does not have. A program must ignore such members: a newer deployment can have
more of them.
"""

from datetime import datetime
from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from askback.domain.interactions.registry import Presentation
from askback.domain.pause.assurance import AnsweredVia, Assurance
from askback.domain.pause.changes import ChangeKind
from askback.domain.pause.ledger import PauseStatus
from askback.domain.resume.outcome import DeliveryState
from askback.edge.mint import AboutBody, OnExpiryBody

Known = Assurance | Literal["unknown"]
"""How well an answerer is known; `unknown` for answers of versions that did not record it."""


class Reply(TypedDict):
    """What every form below has: its fields are described by the texts below them."""

    __pydantic_config__ = ConfigDict(use_attribute_docstrings=True)  # type: ignore[misc]


class RecipientLink(Reply):
    """The answer token and the link of one recipient."""

    recipient: str
    answer_token: str
    """Who has it can answer as this person."""
    answer_link: str | None
    """Null if the deployment has no answer page."""


class Pause(Reply):
    """A pause that was minted now, or by an earlier request that was the same."""

    jti: str
    """The id of the pause."""
    name: str
    """The interaction."""
    status: PauseStatus
    tool_call_id: str
    interrupt_id: str
    run_id: str
    session_id: str
    thread_id: str
    checkpoint_id: str
    payload: dict[str, Any]
    """The question as it was recorded, with the ids that the server has set."""
    issued_at: datetime
    expires_at: datetime
    resumable: bool
    """Whether the turn is known to be stored."""
    recorded: bool
    """Whether the question is known to be stored."""
    supersedes: NotRequired[str]
    """The id of the pause that this one has replaced."""
    unanswerable: NotRequired[str]
    """Why no person can answer this question in this deployment."""
    pause_token: NotRequired[str]
    """For the agent or its backend; absent if a waiter gets the answer."""
    answer_token: NotRequired[str]
    """Only if the deployment has `ReturnLinks` set, as the next two fields."""
    answer_link: NotRequired[str | None]
    recipients: NotRequired[list[RecipientLink]]


class PauseLinks(Reply):
    """The answer links of an open pause."""

    jti: str
    status: PauseStatus
    expires_at: datetime
    answer_token: str | None
    """Null if the request names recipients."""
    answer_link: str | None
    """Null if the request names recipients, or the deployment has no answer page."""
    recipients: list[RecipientLink]


class RevokedQuestion(Reply):
    """A pause that the program that asked has revoked."""

    jti: str
    status: PauseStatus
    revoked_at: datetime
    reason: str | None
    """The reason of the first revocation."""
    replayed: bool
    """Whether an earlier request had revoked it."""


class Clarification(Reply):
    """What a person asked back, and the reply of the program that asked."""

    number: int
    by: str | None
    """Null for a link that names no person."""
    question: str | None
    """Null after an operator has erased the content of the pause, as `reply`."""
    asked_at: datetime
    reply: str | None
    replied_at: datetime | None


class Clarifications(Reply):
    """What people ask back about a pause."""

    jti: str
    status: PauseStatus
    clarifications: list[Clarification]
    replayed: NotRequired[bool]
    """After a reply: whether an earlier request had given it."""


class QuestionBack(Reply):
    """The receipt of a question back."""

    jti: str
    status: PauseStatus
    number: int
    question: str
    asked_at: datetime
    replayed: bool


class Delegation(Reply):
    """The receipt of a delegation."""

    jti: str
    by: Annotated[str, Field(alias="from")]
    """The member who has passed the question on."""
    to: str
    replayed: bool
    status: PauseStatus


class QuorumState(Reply):
    """How far the decision of several people is."""

    needed: int
    members: int
    veto: bool
    round: int
    voted: int
    approved: int | None
    """Null while the votes are hidden, as `rejected`."""
    rejected: int | None


class RecordedVote(Reply):
    """One vote of a member."""

    by: str
    delegated_for: Annotated[NotRequired[str], Field(alias="for")]
    """The member for whom this person has voted."""
    decision: Literal["approve", "reject"]
    assurance: Assurance
    answered_via: AnsweredVia
    at: datetime
    comment: str | None
    round: int
    counts: bool
    """False for a vote of an earlier round, and for one that is void."""


class Several(Reply):
    """What a reply has besides if several people decide."""

    quorum: NotRequired[QuorumState]
    votes: NotRequired[list[RecordedVote]]
    voted_at: NotRequired[datetime | None]
    """When this person has voted in this round."""
    proposal: NotRequired[Any]
    """What is voted on: the recorded answer of the first yes of this round, or null."""


class AnswerReceipt(Several):
    """The receipt of an answer that was accepted, or of a vote."""

    jti: str
    name: str
    response: Any
    """The answer as it was recorded."""
    answered_at: datetime
    answered_by: str
    answered_for: Annotated[NotRequired[str], Field(alias="for")]
    """The member for whom this person has answered, because the question was passed on."""
    answered_via: AnsweredVia | None
    assurance: Known
    by_policy: bool
    """True for the default answer: no person decided."""
    replayed: bool
    """Whether an earlier request had this answer accepted."""
    delivery: DeliveryState
    status: NotRequired[PauseStatus]
    """Only if several people decide: `issued` while more votes are needed."""


class PausedTurn(Reply):
    """The paused turn to continue from."""

    prompt: str
    messages: list[dict[str, Any]]
    open_tool_call_ids: list[str] | None
    """The other calls without a result; null if the format of the messages is not known."""


class TurnReference(Reply):
    """The place of a turn that is too large for a reply."""

    thread_id: str
    checkpoint_id: str
    key: str
    scope_hash: NotRequired[str]


class Outcome(AnswerReceipt):
    """An answered pause, with its question and the turn that its run continues from."""

    payload: dict[str, Any]
    thread_id: str
    checkpoint_id: str
    run_id: str
    session_id: str
    tool_call_id: str
    interrupt_id: str
    cross_scope: bool
    time_to_resolve_seconds: float
    turn: PausedTurn | None
    turn_reference: NotRequired[TurnReference]


class AcceptedItem(Reply):
    """An item of a batch whose answer was accepted."""

    status: Literal[200, 202]
    receipt: AnswerReceipt


class EndedQuestion(Reply):
    """How a pause ended; a link without a recipient gets nothing of its question then."""

    jti: str
    status: PauseStatus
    expires_at: datetime
    answered_at: datetime | None
    ended_at: datetime | None
    """When it was answered, revoked or superseded; null while it is open."""
    by_policy: bool
    reason: NotRequired[str]
    """Why the program that asked has revoked it."""
    superseded_by: NotRequired[str]
    """The id of the pause that has replaced it."""


class UnchangedQuestion(EndedQuestion):
    """The open question is the one that the caller has seen."""

    unchanged: Literal[True]
    quorum: NotRequired[QuorumState]
    clarifications: NotRequired[list[Clarification]]


class ShownQuestion(EndedQuestion, Several):
    """A question, and what its reader must know."""

    name: str
    payload: dict[str, Any]
    request_hash: str
    """Names this question: send it with the answer."""
    presentation: Presentation
    answer_schema: Any
    """The JSON Schema of an answer if `presentation` is `schema`; else null."""
    scope_label: str
    run_id: str
    requester: str
    about: AboutBody | None
    on_expiry: OnExpiryBody
    asked_people: int
    """How many people may answer, or got a link; 0 if that is open."""
    escalated: NotRequired[int]
    asked_because: NotRequired[ChangeKind | None]
    delegated_by: NotRequired[str]
    clarifications: list[Clarification]
    may_delegate: bool
    waits: bool
    """Whether a run waits for the answer."""
    answered_by_you: bool | None
    least_assurance: Assurance
    next_answer_token: NotRequired[str]
    """This person's token for the question that has replaced this one."""


class Question(ShownQuestion):
    """A question for the holder of a token."""

    recipient: str
    """The person for whom the link was made; empty for a link without a recipient."""
    link_may_answer: bool
    sign_in_url: str | None
    """Where a person signs in to answer, if the token alone is not enough."""


class SignedInQuestion(ShownQuestion):
    """A question for a person who has signed in."""

    answer_as: str
    may_answer: bool
    """False if the question demands a stronger sign-in."""
