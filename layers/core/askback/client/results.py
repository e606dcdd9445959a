"""What calls return, as frozen values read from a deployment's replies.

Times are epoch seconds. Fields that this version does not know are passed over, so a deployment may be newer. Tokens,
answers and messages are never part of a value's printed form.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from askback.domain.pause.scope import Scope
from askback.domain.records.turns import TurnReference
from askback.domain.timestamps import epoch_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipientLink:
    """What one recipient answers with; the answer is recorded as theirs."""

    recipient: str
    answer_token: str = field(repr=False)
    answer_link: str | None = field(repr=False)

    @classmethod
    def from_reply(cls, reply: Mapping[str, Any]) -> "RecipientLink":
        """Read one of a mint's recipients; raises LookupError or TypeError when it is none."""
        return cls(**_texts(reply, "recipient", "answer_token"), answer_link=reply["answer_link"])


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedPause:
    """A pause that was minted, or the earlier one that the same request had minted.

    `pause_token` is the backend's, `answer_token` and `answer_link` are the person's. `recorded` and `resumable` say
    that the question, and the turn, are known to be written. `recipients` are in the order in which they were named.
    `scope` is the one that the pause was asked for; a reply does not repeat it.
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
    pause_token: str = field(repr=False)
    answer_token: str = field(repr=False)
    answer_link: str | None = field(repr=False)
    recipients: tuple[RecipientLink, ...] = ()
    scope: Scope | None = None

    @classmethod
    def from_reply(cls, reply: Mapping[str, Any], *, scope: Scope | None = None) -> "IssuedPause":
        """Read the reply to a mint; raises LookupError, TypeError or ValueError when it is none."""
        return cls(
            **_texts(reply, *_IDENTITY, "status", "pause_token", "answer_token"),
            payload=reply["payload"],
            issued_at=epoch_seconds(reply["issued_at"]),
            expires_at=epoch_seconds(reply["expires_at"]),
            resumable=reply["resumable"] is True,
            recorded=reply["recorded"] is True,
            answer_link=reply.get("answer_link"),
            recipients=tuple(RecipientLink.from_reply(each) for each in reply.get("recipients", ())),
            scope=scope,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownQuestion:
    """A question for display. `status` is `issued` while it can be answered."""

    jti: str
    name: str
    status: str
    request_hash: str
    payload: Mapping[str, Any]
    expires_at: int
    answered_at: int | None

    @classmethod
    def from_reply(cls, reply: Mapping[str, Any]) -> "ShownQuestion":
        """Read the reply to a question; raises LookupError, TypeError or ValueError when it is none."""
        answered_at = reply["answered_at"]
        return cls(
            **_texts(reply, "jti", "name", "status", "request_hash"),
            payload=reply["payload"],
            expires_at=epoch_seconds(reply["expires_at"]),
            answered_at=None if answered_at is None else epoch_seconds(answered_at),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReceipt:
    """An answer that was accepted.

    `replayed` means that this same answer had been accepted before, perhaps by an attempt whose reply was lost.
    `answered_via` is how it is known who answered: `link`, `jwt`, `iam` or `direct`, and None where nobody did or an
    older deployment does not say. `delivery` is `none`, `pending`, `delivered` or `undeliverable`.
    """

    jti: str
    name: str
    answered_at: int
    answered_by: str
    answered_via: str | None
    replayed: bool
    delivery: str
    response: Any = field(repr=False)

    @classmethod
    def from_reply(cls, reply: Mapping[str, Any]) -> "AnswerReceipt":
        """Read the reply to an answer; raises LookupError, TypeError or ValueError when it is none."""
        return cls(**_receipt(reply))


@dataclass(frozen=True, slots=True, kw_only=True)
class PausedTurn:
    """The turn to go on from; `open_tool_call_ids` are its calls without a result, besides the answered one.

    They are None where askback does not know the format of the messages: docs/http-api.md lists the formats.
    """

    prompt: str = field(repr=False)
    messages: Sequence[Mapping[str, Any]] = field(repr=False)
    open_tool_call_ids: tuple[str, ...] | None

    @classmethod
    def from_reply(cls, turn: Mapping[str, Any]) -> "PausedTurn":
        """Read the turn of a reply; raises LookupError or TypeError when it is none."""
        open_calls = turn["open_tool_call_ids"]
        return cls(
            prompt=turn["prompt"],
            messages=tuple(turn["messages"]),
            open_tool_call_ids=None if open_calls is None else tuple(open_calls),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumedPause(AnswerReceipt):
    """An answered pause with everything its run goes on from.

    A turn that is too large for a reply is not in it: `turn` is None and `turn_reference` says where the turn is.
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
        """Read the reply to a resume or an outcome; raises LookupError, TypeError or ValueError when it is none."""
        turn, reference = reply["turn"], reply.get("turn_reference")
        return cls(
            **_receipt(reply),
            **_texts(reply, *(name for name in _IDENTITY if name not in _RECEIPT)),
            payload=reply["payload"],
            cross_scope=reply["cross_scope"] is True,
            time_to_resolve_seconds=float(reply["time_to_resolve_seconds"]),
            turn=None if turn is None else PausedTurn.from_reply(turn),
            turn_reference=None if reference is None else TurnReference(**_texts(reference, *_PLACE)),
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


def _receipt(reply: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **_texts(reply, *_RECEIPT),
        "answered_at": epoch_seconds(reply["answered_at"]),
        "answered_via": reply.get("answered_via"),
        "replayed": reply["replayed"] is True,
        "response": reply["response"],
    }


def _texts(reply: Mapping[str, Any], *names: str) -> dict[str, Any]:
    texts = {name: reply[name] for name in names}
    if not all(isinstance(text, str) for text in texts.values()):
        raise TypeError("a field that is text in every reply is not")
    return texts
