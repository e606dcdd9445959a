"""Sends people the links to their questions: who gets which link, through which channel, and which message failed.

An event contains no token, so the links are made here, from the ledger row and with the row's key. The only write is a
mark on the row: which event announces the pause. When a message fails, the pause can still be answered. A message may
be sent twice, by a retry of one event, but never to another person.
"""

from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any, Protocol

from askback.domain.errors import InteractionConfigurationError, InvalidRequest, StoreUnavailable
from askback.domain.overlap import Overlap, in_the_event_loop
from askback.domain.pause.answerers import answer_link
from askback.domain.pause.changes import CHANGES_MAX, ChangeKind, new_places
from askback.domain.pause.claims import PauseIdentity
from askback.domain.pause.events import PauseEventType
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.people.answer_links import answer_tokens_of
from askback.domain.people.brand import NO_BRAND, Brand
from askback.domain.people.message import Notice, NoticeKind, asked_in
from askback.domain.people.message_texts import MessageTexts
from askback.domain.ports import IssuanceLedger
from askback.domain.records.about import Risk
from askback.domain.records.payloads import PausePayloadStore
from askback.domain.tokens.service import PauseTokenService

OUT_OF_TIME = "OutOfTime"
"""The error of a message that was not started, because the time of the invocation was over."""


class NotificationPort(Protocol):
    """One channel; `name` is its name in metrics and logs."""

    name: str

    def takes(self, recipient: str) -> bool:
        """Return whether this channel can reach the recipient; an empty recipient means a pause without recipients."""
        ...

    async def send(self, notice: Notice) -> None:
        """Send the message; raises StoreUnavailable or InteractionConfigurationError, never with the link."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """The pause of an event, whether the event is a reminder, and the event's id, which a retry keeps.

    `change` is the number of the change of the people that the event announces; 0 for the other events.
    """

    pause: PauseIdentity
    reminder: bool
    event_id: str = ""
    change: int = 0

    @classmethod
    def of_event(cls, event: Any) -> "Announcement":
        """Read an event of the bus; raises InvalidRequest for an event that needs no message."""
        match event:
            case {
                "detail-type": PauseEventType.ISSUED
                | PauseEventType.REMINDER
                | PauseEventType.ESCALATED
                | PauseEventType.REASSIGNED
                | PauseEventType.DELEGATED
                | PauseEventType.CLARIFIED as kind,
                "detail": {"jti": str(jti), "name": str(name), "scope_hash": str(scope_hash)} as detail,
            } if jti:
                pause = PauseIdentity(jti=jti, name=name, scope_hash=scope_hash)
                change = 0
                if kind not in (PauseEventType.ISSUED, PauseEventType.REMINDER):
                    change = detail.get("change")
                if type(change) is int and 0 <= change <= CHANGES_MAX:
                    reminder = kind == PauseEventType.REMINDER
                    return cls(pause=pause, reminder=reminder, event_id=str(event.get("id", "")), change=change)
        raise InvalidRequest("no message is sent for events of this kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedMessage:
    """A message that failed, or may have failed: its channel, the type of the error, and the reason if known."""

    channel: str
    error: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotifyReport:
    """The result of an event: sent messages by channel, failed messages, and the reason when it was skipped.

    `unreached` counts the recipients that no channel can reach.
    """

    sent: Mapping[str, int]
    failed: tuple[FailedMessage, ...] = ()
    unreached: int = 0
    skipped: str = ""


def _asked_by(row: LedgerRow, change: int) -> tuple[str, ...]:
    """Return the recipients whom this change has added, or whom the mint has named; the empty name is no recipient's.

    Without it, those who were asked before would get a second message, and the event of a mint that comes late would
    send a message to people whom a later step asks. A reply of the asker concerns every recipient.
    """
    if change and row.changes[change - 1].kind is ChangeKind.CLARIFIED:
        return row.answerers.recipients or ("",)
    people = new_places(row.changes, change, row.answerers.recipients)
    return people if change or people else ("",)


_Outcome = tuple[int, list[FailedMessage]]
"""How many messages a channel sent, and the messages that failed."""


class Notifier:
    """Sends the messages of an event through every channel."""

    def __init__(
        self,
        *,
        ledger: IssuanceLedger,
        tokens: PauseTokenService,
        payloads: PausePayloadStore,
        channels: Sequence[NotificationPort],
        answer_url: str,
        texts: MessageTexts,
        brand: Brand = NO_BRAND,
        zone: tzinfo = UTC,
        overlap: Overlap = in_the_event_loop,
    ) -> None:
        """`overlap` runs the channels at the same time, so a slow channel does not delay the others."""
        self._ledger = ledger
        self._tokens = tokens
        self._payloads = payloads
        self._channels = channels
        self._answer_url = answer_url
        self._texts = texts
        self._brand = brand
        self._zone = zone
        self._overlap = overlap

    async def notify(self, announced: Announcement, *, at: int, may_go_on: Callable[[], bool]) -> NotifyReport:
        """Send the messages of an event at `at` (epoch seconds); a failed message does not stop the others.

        Raises:
            StoreUnavailable, InteractionConfigurationError: no message could be sent.
            PausedStateError, PayloadBindingError: the question cannot be read.
        """
        row = await self._ledger.find(announced.pause.jti)
        if row is None:
            # A pause of another stack: several stacks may share a bus.
            return NotifyReport(sent={}, skipped="unknown")
        if row.status is not PauseStatus.ISSUED or at >= row.expires_at:
            return NotifyReport(sent={}, skipped="ended")
        if announced.change > len(row.changes):
            # Not an event of askback: the change is written before it is announced.
            return NotifyReport(sent={}, skipped="unknown")
        if not self._channels:
            return NotifyReport(sent={}, skipped="no-channel")
        notices = await self._notices(row, announced, at=at)
        # Last before the first message: what fails earlier must leave the pause to the event of a repeated mint.
        if not await self._ledger.mark_announced(
            row, event_id=announced.event_id, reminder=announced.reminder, change=announced.change
        ):
            return NotifyReport(sent={}, skipped="reminded" if announced.reminder else "announced")
        outcomes = await self._all([self._send(channel, notices, may_go_on) for channel in self._channels])
        return NotifyReport(
            sent=Counter({channel.name: sent for channel, (sent, _) in zip(self._channels, outcomes, strict=True)}),
            failed=tuple(failure for _, failures in outcomes for failure in failures),
            unreached=sum(not any(port.takes(notice.recipient) for port in self._channels) for notice in notices),
        )

    async def _notices(self, row: LedgerRow, announced: Announcement, *, at: int) -> list[Notice]:
        kind = NoticeKind.of(row, reminder=announced.reminder, at=at, change=announced.change)
        request = await self._payloads.load(row.claims)
        return [
            Notice(
                kind=kind,
                row=row,
                asked=asked_in(request.payload),
                asker=request.about.asker,
                reason=request.about.reason,
                high_risk=request.about.risk is Risk.HIGH,
                recipient=recipient,
                link=answer_link(self._answer_url, token),
                texts=self._texts,
                brand=self._brand,
                zone=self._zone,
                change=announced.change,
            )
            for recipient, token in (await self._answer_tokens(row)).items()
            if announced.reminder or recipient in _asked_by(row, announced.change)
        ]

    async def _answer_tokens(self, row: LedgerRow) -> Mapping[str, str]:
        """Return each recipient's answer token; without recipients the shared token, under the empty name.

        With approvers and without recipients the result is empty: an approver must sign in, so a link without a
        recipient could not be used.
        """
        recipients = row.answerers.recipients
        tokens = await answer_tokens_of(row, self._tokens)
        if recipients:
            return tokens.links
        return {} if row.answerers.approvers else {"": tokens.answer}

    async def _all(self, sendings: Sequence[Coroutine[Any, Any, _Outcome]]) -> list[_Outcome]:
        first, *others = sendings
        if not others:
            return [await first]
        outcome, outcomes = await self._overlap(first, self._all(others))
        return [outcome, *outcomes]

    async def _send(
        self, channel: NotificationPort, notices: Sequence[Notice], may_go_on: Callable[[], bool]
    ) -> _Outcome:
        sent, failed = 0, []
        for notice in notices:
            if not channel.takes(notice.recipient):
                continue
            if not may_go_on():
                failed.append(FailedMessage(channel=channel.name, error=OUT_OF_TIME))
                continue
            try:
                await channel.send(notice)
            except Exception as error:  # noqa: BLE001 - an error of one message must not stop the others
                # Only the type of an unexpected error: its text may contain the link.
                reason = error.reason if isinstance(error, (StoreUnavailable, InteractionConfigurationError)) else ""
                failed.append(FailedMessage(channel=channel.name, error=type(error).__name__, reason=reason))
            else:
                sent += 1
        return sent, failed
