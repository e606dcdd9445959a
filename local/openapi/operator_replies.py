"""The forms of the replies for operators; the rules of `replies.py` hold here too."""

from datetime import datetime
from typing import Literal, NotRequired

from askback.domain.pause.assurance import Assurance
from askback.domain.pause.changes import ChangeKind
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.waiters import WaiterKind
from askback.edge.mint import ApproverBody
from local.openapi.replies import Known, QuorumState, RecordedVote, Reply


class OperatorsQuorum(QuorumState):
    """How far the decision of several people is, as operators see it."""

    hidden: bool


class ListedPause(Reply):
    """One line of a list; a row that cannot be read has null for what it does not say."""

    jti: str
    name: str | None
    status: PauseStatus | Literal["unreadable"]
    scope_label: str | None
    run_id: str | None
    requester: str | None
    recipients: list[str] | None
    issued_at: datetime | None
    expires_at: datetime | None
    age_seconds: int | None
    quorum: NotRequired[QuorumState]
    title: NotRequired[str | None]
    """Only if the request asks for titles."""


class PauseList(Reply):
    """One page of a list."""

    pauses: list[ListedPause]
    next: str | None
    """The `next` of the request for the next page; null on the last page."""
    looked_at: int
    """How many pauses were looked through."""


class AskedBack(Reply):
    """How many questions people have asked back, and how many have no reply."""

    asked: int
    open: int


class PauseChange(Reply):
    """One change of the people, or of what is known."""

    kind: ChangeKind
    at: datetime
    by: str | None
    added: list[str]


class PauseDetails(Reply):
    """One pause, as operators see it."""

    jti: str
    name: str
    status: PauseStatus
    scope_hash: str
    run_id: str
    session_id: str
    thread_id: str
    checkpoint_id: str
    tool_call_id: str
    interrupt_id: str
    key_id: str | None
    """The key that signed its tokens."""
    pin: str
    minted_by: str | None
    """The hash of the principal that minted it."""
    issued_at: datetime | None
    expires_at: datetime
    latest_expires_at: NotRequired[datetime]
    turn_recorded: bool
    waiter: WaiterKind | None
    attempts: int
    given_up: bool
    """True when its outcome could not be delivered; it can be redriven."""
    due_at: datetime | None
    """When the sweep looks at it next."""
    remind_at: datetime | None
    answered_at: datetime | None
    answered_by: str | None
    by_policy: bool
    assurance: Known | None
    least_assurance: Assurance
    approvers: NotRequired[list[ApproverBody]]
    revoked_links: list[str]
    revoked_at: datetime | None
    revoked_by: str | None
    revoked_reason: NotRequired[str]
    supersedes: NotRequired[str]
    superseded_at: NotRequired[datetime]
    superseded_by: NotRequired[str]
    erased_at: datetime | None
    delegates: NotRequired[list[str]]
    quorum: NotRequired[OperatorsQuorum]
    votes: NotRequired[list[RecordedVote]]
    asked: NotRequired[list[str]]
    next_step_at: NotRequired[datetime | None]
    steps_left: NotRequired[int]
    questions: NotRequired[AskedBack]
    changes: NotRequired[list[PauseChange]]


class SigningKey(Reply):
    """A signing key, and the open pauses whose tokens it signed; what is not known is null."""

    key_id: str
    in_ring: bool | None
    signs: bool | None
    until: datetime | None
    outstanding: int
    latest_expiry: datetime | None


class UnnamedKey(Reply):
    """The open pauses that name no key."""

    outstanding: int
    latest_expiry: datetime | None


class Keys(Reply):
    """The open pauses of each signing key."""

    keys: list[SigningKey]
    unnamed: UnnamedKey
    legacy_key: bool | None
