"""The results of the calls: frozen values that are read from a deployment's replies.

Times are epoch seconds. Unknown fields are ignored, because a deployment can be newer than the client. The printed form
of a value never contains tokens, answers or messages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from askback.client.clarified import Clarification, clarifications_of
from askback.domain.errors import NotAnswered
from askback.domain.pause.assurance import UNKNOWN
from askback.domain.pause.scope import Scope
from askback.domain.records.turns import TurnReference
from askback.domain.timestamps import epoch_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipientLink:
    """The token and the link of one recipient; an answer with them is recorded as this person's."""

    recipient: str
    answer_token: str = field(repr=False)
    answer_link: str | None = field(repr=False)

    @classmethod
    def from_reply(cls, reply: Mapping[str, Any]) -> "RecipientLink":
        """Read one recipient of a reply; raises LookupError or TypeError if the form is wrong."""
        return cls(**_texts(reply, "recipient", "answer_token"), answer_link=reply["answer_link"])


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedPause:
    """A pause that was minted now, or by an earlier request that was the same.

    `pause_token` is for the backend; it is empty for a pause whose waiter gets the answer. `recorded` says that the
    question was certainly written, `resumable` that the turn was. `scope` is the scope of the request; a reply does not
    contain it. `unanswerable` says why no person can answer in this deployment; it is empty for every other pause. A
    backend cannot answer such a pause either: ask another question, or change the deployment.

    The reply has no links: otherwise the program that asks could answer. A person gets the link in a message of the
    deployment, or from a program that calls `links`. `answer_token`, `answer_link` and `recipients` are empty, None and
    empty, unless the deployment has the parameter `ReturnLinks` set.
    """

    jti: str
    name: str
    status: str
    tool_call_id: str
    interrupt_id: str
    run_id: str
    session_id: str
    thread_id: str
    checkpoint_id: str
    payload: Mapping[str, Any]
    issued_at: int
    expires_at: int
    resumable: bool
    recorded: bool
    unanswerable: str = ""
    pause_token: str = field(repr=False, default="")
    answer_token: str = field(repr=False, default="")
    answer_link: str | None = field(repr=False, default=None)
    recipients: tuple[RecipientLink, ...] = ()
    scope: Scope | None = None

    @classmethod
    def from_reply(cls, reply: Mapping[str, Any], *, scope: Scope | None = None) -> "IssuedPause":
        """Read the reply to a mint; raises LookupError, TypeError or ValueError if the form is wrong."""
        return cls(
            **_texts(reply, *_IDENTITY, "status", *(name for name in ("pause_token", "answer_token") if name in reply)),
            payload=reply["payload"],
            issued_at=epoch_seconds(reply["issued_at"]),
            expires_at=epoch_seconds(reply["expires_at"]),
            resumable=reply["resumable"] is True,
            recorded=reply["recorded"] is True,
            unanswerable=str(reply.get("unanswerable", "")),
            answer_link=reply.get("answer_link"),
            recipients=tuple(RecipientLink.from_reply(each) for each in reply.get("recipients", ())),
            scope=scope,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseLinks:
    """The links of an open pause, for a program that brings them to people.

    The holder of `answer_token` or `answer_link` answers without a name; an answer with one of `recipients` is recorded
    as this person's. `answer_token` is empty and `answer_link` is None if the call named recipients. Links are None if
    the deployment has no answer page. `scope` is the scope of the pause, if the call was made with an `IssuedPause`.
    """

    jti: str
    status: str
    expires_at: int
    answer_token: str = field(repr=False)
    answer_link: str | None = field(repr=False)
    recipients: tuple[RecipientLink, ...] = ()
    scope: Scope | None = None

    @classmethod
    def from_reply(cls, reply: Mapping[str, Any], *, scope: Scope | None = None) -> "PauseLinks":
        """Read the links of a pause; raises LookupError, TypeError or ValueError if the form is wrong."""
        return cls(
            **_texts(reply, "jti", "status"),
            expires_at=epoch_seconds(reply["expires_at"]),
            answer_token=reply["answer_token"] or "",
            answer_link=reply["answer_link"],
            recipients=tuple(RecipientLink.from_reply(each) for each in reply["recipients"]),
            scope=scope,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokedQuestion:
    """A pause that the program that asked has revoked; `replayed` says that it was revoked before.

    `reason` is the one of the first revocation; None if it had none.
    """

    jti: str
    status: str
    revoked_at: int
    reason: str | None
    replayed: bool

    @classmethod
    def from_reply(cls, reply: Mapping[str, Any]) -> "RevokedQuestion":
        """Read the reply to a revocation; raises LookupError, TypeError or ValueError if the form is wrong."""
        return cls(
            **_texts(reply, "jti", "status"),
            revoked_at=epoch_seconds(reply["revoked_at"]),
            reason=reply["reason"],
            replayed=reply["replayed"] is True,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownQuestion:
    """A question for display. `status` is `issued` while it can be answered.

    After the end, a link without a recipient shows only `jti`, `status` and the times: `name` and `request_hash` are
    then empty, and `payload` too. `ended_at` is None for an open pause, and in the replies of older deployments.
    `superseded_by` is the id of the newer question's pause, and `next_answer_token` the reader's token for it; both are
    empty if there is none.
    """

    jti: str
    name: str
    status: str
    request_hash: str
    payload: Mapping[str, Any]
    expires_at: int
    answered_at: int | None
    ended_at: int | None = None
    superseded_by: str = ""
    next_answer_token: str = field(repr=False, default="")
    clarifications: tuple[Clarification, ...] = ()
    """What people have asked back, and the replies of the program that asked."""
    may_delegate: bool = False
    """Whether the reader may pass the question on to another person."""
    delegated_by: str = ""
    """The member who has passed the question on to the reader; empty if that is not why the reader is asked."""

    @classmethod
    def from_reply(cls, reply: Mapping[str, Any]) -> "ShownQuestion":
        """Read the reply to a question; raises LookupError, TypeError or ValueError if the form is wrong."""
        answered_at, ended_at = reply["answered_at"], reply.get("ended_at")
        question: Mapping[str, Any] = reply if "payload" in reply else {"name": "", "request_hash": "", "payload": {}}
        return cls(
            **_texts(reply, "jti", "status"),
            **_texts(question, "name", "request_hash"),
            payload=question["payload"],
            expires_at=epoch_seconds(reply["expires_at"]),
            answered_at=None if answered_at is None else epoch_seconds(answered_at),
            ended_at=None if ended_at is None else epoch_seconds(ended_at),
            superseded_by=str(reply.get("superseded_by", "")),
            next_answer_token=str(reply.get("next_answer_token", "")),
            clarifications=clarifications_of(reply),
            may_delegate=reply.get("may_delegate") is True,
            delegated_by=str(reply.get("delegated_by", "")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """A pause that was passed on from the member `by` to the person `to`; `status` is that of the pause now.

    `replayed` says that an earlier call had done it.
    """

    jti: str
    by: str
    to: str
    status: str
    replayed: bool

    @classmethod
    def from_reply(cls, reply: Mapping[str, Any]) -> "Delegation":
        """Read the receipt of a delegation; raises LookupError or TypeError if the form is wrong."""
        return cls(**_texts(reply, "jti", "to", "status"), by=reply["from"], replayed=reply["replayed"] is True)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuorumState:
    """How far the decision of several people is; `approved` and `rejected` are None while the votes are hidden."""

    needed: int
    members: int
    veto: bool
    round: int
    voted: int
    approved: int | None
    rejected: int | None

    @classmethod
    def from_reply(cls, quorum: Mapping[str, Any]) -> "QuorumState":
        """Read the quorum of a reply; raises LookupError if the form is wrong."""
        return cls(**{each.name: quorum[each.name] for each in fields(cls)})


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedVote:
    """One vote: `decision` is `approve` or `reject`. `counts` is false for a vote of an earlier round.

    `delegated_for` is the member for whom the person has voted, because the pause was passed on, or None. `by`,
    `assurance` and `answered_via` are as in `AnswerReceipt`.
    """

    by: str
    decision: str
    assurance: str
    answered_via: str
    at: int
    comment: str | None = field(repr=False)
    round: int
    counts: bool
    delegated_for: str | None = None

    @classmethod
    def from_reply(cls, vote: Mapping[str, Any]) -> "RecordedVote":
        """Read a vote of a reply; raises LookupError, TypeError or ValueError if the form is wrong."""
        said = {each.name: vote[each.name] for each in fields(cls) if each.name != "delegated_for"}
        return cls(**said | {"at": epoch_seconds(vote["at"]), "delegated_for": vote.get("for")})


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReceipt:
    """An answer that was accepted.

    `replayed` means that the same answer was already accepted, for example by an attempt whose reply was lost.
    `answered_via` says how the answerer is known: `link`, `jwt`, `iam` or `direct`; it is None for a default answer,
    and in the replies of older deployments. `assurance` says how well the answerer is known: `stated`, `link`,
    `personal_link`, `signed_in`, `stepped_up`, or `policy` for a default answer; older answers are `unknown`.
    `by_policy` is true for a default answer: no person decided. `delivery` is `none`, `pending`, `delivered` or
    `undeliverable`.

    `delegated_for` is the member for whom the person has answered, because the pause was passed on, or None. A pause
    with a quorum also has `quorum` and `votes`. `still_open` means that this answer was a vote, and that more
    votes are needed: nothing may run yet.
    """

    jti: str
    name: str
    answered_at: int
    answered_by: str
    answered_via: str | None
    assurance: str
    by_policy: bool
    replayed: bool
    delivery: str
    response: Any = field(repr=False)
    still_open: bool = False
    quorum: QuorumState | None = None
    votes: tuple[RecordedVote, ...] = ()
    delegated_for: str | None = None

    @classmethod
    def from_reply(cls, reply: Mapping[str, Any]) -> "AnswerReceipt":
        """Read the reply to an answer; raises LookupError, TypeError or ValueError if the form is wrong."""
        return cls(**_receipt(reply))


@dataclass(frozen=True, slots=True, kw_only=True)
class PausedTurn:
    """The turn to continue from; `open_tool_call_ids` are its calls without a result, except the answered one.

    They are None if askback does not know the format of the messages: docs/http-api.md lists the formats.
    """

    prompt: str = field(repr=False)
    messages: Sequence[Mapping[str, Any]] = field(repr=False)
    open_tool_call_ids: tuple[str, ...] | None

    @classmethod
    def from_reply(cls, turn: Mapping[str, Any]) -> "PausedTurn":
        """Read the turn of a reply; raises LookupError or TypeError if the form is wrong."""
        open_calls = turn["open_tool_call_ids"]
        return cls(
            prompt=turn["prompt"],
            messages=tuple(turn["messages"]),
            open_tool_call_ids=None if open_calls is None else tuple(open_calls),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumedPause(AnswerReceipt):
    """An answered pause with its question and the turn that its run continues from.

    If the turn is too large for a reply, `turn` is None and `turn_reference` says where the turn is.
    """

    tool_call_id: str
    interrupt_id: str
    run_id: str
    session_id: str
    thread_id: str
    checkpoint_id: str
    payload: Mapping[str, Any]
    cross_scope: bool
    time_to_resolve_seconds: float
    turn: PausedTurn | None
    turn_reference: TurnReference | None

    @classmethod
    def from_reply(cls, reply: Mapping[str, Any]) -> "ResumedPause":
        """Read the reply to a resume or outcome.

        Raises:
            NotAnswered: it is the receipt of a vote, and the pause needs more of them.
            LookupError, TypeError, ValueError: the form is wrong.
        """
        receipt = _receipt(reply)
        if receipt["still_open"]:
            raise _voted(receipt["quorum"])
        turn, reference = reply["turn"], reply.get("turn_reference")
        return cls(
            **receipt,
            **_texts(reply, *(name for name in _IDENTITY if name not in _RECEIPT)),
            payload=reply["payload"],
            cross_scope=reply["cross_scope"] is True,
            time_to_resolve_seconds=float(reply["time_to_resolve_seconds"]),
            turn=None if turn is None else PausedTurn.from_reply(turn),
            turn_reference=None if reference is None else TurnReference(**_place(reference)),
        )


_RECEIPT = ("jti", "name", "answered_by", "delivery")
_IDENTITY = (
    "jti",
    "name",
    "tool_call_id",
    "interrupt_id",
    "run_id",
    "session_id",
    "thread_id",
    "checkpoint_id",
)
_PLACE = ("thread_id", "checkpoint_id", "key")


def _place(reference: Mapping[str, Any]) -> dict[str, Any]:
    # Without a scope: the pause is of a version that had none in the place of its records.
    return _texts(reference, *_PLACE, *(["scope_hash"] if "scope_hash" in reference else []))


def _receipt(reply: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **_texts(reply, *_RECEIPT),
        "answered_at": epoch_seconds(reply["answered_at"]),
        "answered_via": reply.get("answered_via"),
        "assurance": reply.get("assurance") or UNKNOWN,
        "by_policy": reply.get("by_policy") is True,
        "replayed": reply["replayed"] is True,
        "response": reply["response"],
        "still_open": reply.get("status") == "issued",
        "quorum": QuorumState.from_reply(reply["quorum"]) if "quorum" in reply else None,
        "votes": tuple(map(RecordedVote.from_reply, reply.get("votes", ()))),
        "delegated_for": reply.get("for"),
    }


def _voted(quorum: QuorumState | None) -> NotAnswered:
    """Return the error of a vote that leaves its pause open: the run must not continue."""
    so_far = ""
    if quorum is not None:
        given = f"{quorum.voted} voted" if quorum.approved is None else f"{quorum.approved} approved"
        so_far = f": {quorum.needed} must approve, and {given} so far"
    return NotAnswered.from_problem({"detail": f"the vote is recorded, and the pause is still open{so_far}"})


def _texts(reply: Mapping[str, Any], *names: str) -> dict[str, Any]:
    texts = {name: reply[name] for name in names}
    if not all(isinstance(text, str) for text in texts.values()):
        raise TypeError("a field of the reply must be a text")
    return texts
