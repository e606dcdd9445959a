"""The message that sends a person the link to a question: a few facts and one link, nothing more.

The texts of the question, and all names and ids, come from an agent and are not trusted. People get them on one line,
between quotation marks that they cannot contain, and inert: no link of a message is theirs.

Text and HTML have the same facts in the same order, which is that of the answer page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from enum import StrEnum
from typing import Any
from unicodedata import bidirectional

from askback.domain.pause import ids
from askback.domain.pause.ledger import LedgerRow
from askback.domain.pause.quorum import members
from askback.domain.people.brand import NO_BRAND, Brand
from askback.domain.people.message_html import Fact, message_html
from askback.domain.people.message_texts import MessageTexts
from askback.domain.people.shown_text import inert_text, shown_text
from askback.domain.timestamps import rfc3339

ASKED_MAX_CHARACTERS = 150
ASKER_MAX_CHARACTERS = 80
REASON_MAX_CHARACTERS = 500
_FACT_MAX_CHARACTERS = 200
_RIGHT_TO_LEFT = ("R", "AL", "AN")
_SOON_SECONDS = 3600


class NoticeKind(StrEnum):
    """The reason of a message.

    The question is new, it is still open, it expires within an hour, or the person is asked only now: because there is
    no answer, or because an operator or a member passed the question on. Or the asker has replied to a question back.
    """

    ASKED = "asked"
    REMINDER = "reminder"
    EXPIRES_SOON = "expires_soon"
    ESCALATED = "escalated"
    REASSIGNED = "reassigned"
    DELEGATED = "delegated"
    CLARIFIED = "clarified"

    @classmethod
    def of(cls, row: LedgerRow, *, reminder: bool, at: int, change: int = 0) -> "NoticeKind":
        """Return the kind of a message sent at `at` (epoch seconds), for a change of the people with this number."""
        if change:
            return cls(row.changes[change - 1].kind.value)
        if not reminder:
            return cls.ASKED
        return cls.EXPIRES_SOON if row.expires_at - at <= _SOON_SECONDS else cls.REMINDER


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One message to one person; `recipient` is empty when the question has no recipients.

    `asked`, `asker`, `reason` and the texts of the row are as the agent wrote them; the methods make them safe to show.
    `repr` leaves the link out, because its text may get into logs and every holder of the link can answer.
    """

    kind: NoticeKind
    row: LedgerRow
    asked: str
    recipient: str
    link: str = field(repr=False)
    texts: MessageTexts = field(repr=False)
    change: int = 0
    """The number of the change of the people by which this person is asked; 0 if the mint has named this person."""
    brand: Brand = field(default=NO_BRAND, repr=False)
    """The organisation that the message comes from."""
    zone: tzinfo = UTC
    """The zone of the times."""
    asker: str = ""
    """The name of the agent or product that asks; empty for none, as the two below."""
    reason: str = ""
    high_risk: bool = False

    @property
    def message_id(self) -> str:
        """The id by which a receiver knows a message that comes again.

        Every try of one message has the same id. Another pause, recipient or occasion gives another id. The occasion is
        the question or its one reminder, not `kind`: a reminder that is tried again in the last hour changes its kind.
        """
        occasion = "asked" if self.kind is NoticeKind.ASKED else "reminder"
        if self.change:
            occasion = f"change {self.change}"
        return ids.message_id(jti=self.row.claims.jti, occasion=occasion, recipient=self.recipient)

    @property
    def heading(self) -> str:
        """The reason of the message, without any text of the agent."""
        texts = self.texts
        match self.kind:
            case NoticeKind.REMINDER:
                return texts.reminder
            case NoticeKind.EXPIRES_SOON:
                return texts.expires_soon
        return texts.asked

    @property
    def why_now(self) -> str:
        """Why there is a message now; empty for the message of the mint and for a reminder."""
        match self.kind:
            case NoticeKind.ESCALATED:
                return self.texts.escalated
            case NoticeKind.REASSIGNED:
                return self.texts.reassigned
            case NoticeKind.DELEGATED:
                return self.texts.delegated.format(name=self._apart(_fact(self._passed_on_by)))
            case NoticeKind.CLARIFIED:
                return self.texts.clarified
        return ""

    @property
    def _passed_on_by(self) -> str:
        """The member who has passed the question on; empty for a message of another kind."""
        return self.row.changes[self.change - 1].by if self.kind is NoticeKind.DELEGATED else ""

    @property
    def subject(self) -> str:
        """The heading and the question, on one line."""
        return self.texts.line(self.heading, self._apart(_quoted(self.question)))

    @property
    def question(self) -> str:
        """The question as people see it: inert, on one line of at most 150 characters."""
        return inert_text(self.asked, limit=ASKED_MAX_CHARACTERS) or self.row.claims.name

    @property
    def deadline(self) -> str:
        """The time at which the question expires, in the zone of the message, which it names."""
        return self.texts.moment(self.row.expires_at, zone=self.zone)

    @property
    def warning(self) -> str:
        """The sentence about a high risk; empty without one."""
        return self.texts.high_risk if self.high_risk else ""

    def askers(self) -> list[Fact]:
        """Return who asks, and for whom; empty ones are left out."""
        return _said(
            (self.texts.asker, _fact(self.asker, ASKER_MAX_CHARACTERS)),
            (self.texts.requester, _fact(self.row.answerers.requester)),
        )

    def reasons(self) -> list[Fact]:
        """Return why the agent asks, or nothing."""
        return _said((self.texts.reason, _fact(self.reason, REASON_MAX_CHARACTERS)))

    def facts(self) -> list[Fact]:
        """Return the facts of the pause as label and inert value; empty ones are left out."""
        return _said(
            (self.texts.scope, _fact(self.row.scope_label)),
            (self.texts.run, _fact(self.row.claims.run_id)),
            (self.texts.answer_by, self.deadline),
            (self.texts.answer_as, _fact(self.recipient)),
            (self.texts.votes_needed, self._votes_needed()),
        )

    def _votes_needed(self) -> str:
        """How many members must approve, of how many; empty for a question that one answer ends."""
        quorum, people = self.row.quorum, members(self.row.answerers)
        return "" if quorum is None else f"{quorum.needed} / {len(people)}"

    @property
    def caution(self) -> str:
        """The warning about the link."""
        return self.texts.caution_recipient if self.recipient else self.texts.caution_shared

    def text(self) -> str:
        """Return the message as plain text."""
        texts, support = self.texts, self.brand.support
        heading = "\n".join(filter(None, (texts.sentence.format(heading=self.heading), self.why_now)))
        question = (texts.question, _quoted(self.question))
        parts = (
            self.brand.name,
            heading,
            self.warning,
            self._lines([*self.askers(), question, *self.reasons()]),
            self._lines(self.facts()),
            f"{texts.answer_here}\n{self.link}",
            f"{self.caution}\n{texts.foreign}\n{texts.again}",
            self._lines([(texts.support, support)] if support else []),
        )
        return "\n\n".join(filter(None, parts)) + "\n"

    def _lines(self, facts: Sequence[Fact]) -> str:
        return "\n".join(self.texts.line(name, self._apart(value)) for name, value in facts)

    def _apart(self, value: str) -> str:
        """Return a value for plain text; where directions mix, between signs that keep each text in its own order."""
        if self.texts.direction == "ltr" and not any(bidirectional(sign) in _RIGHT_TO_LEFT for sign in value):
            return value
        return f"\u2068{value}\u2069"

    def html(self) -> str:
        """Return the message as an HTML document: the same facts in the same order."""
        return message_html(
            texts=self.texts,
            brand=self.brand,
            heading=self.heading,
            why_now=self.why_now,
            warning=self.warning,
            before=self.askers(),
            question=_quoted(self.question),
            reason=self.reasons(),
            facts=self.facts(),
            link=self.link,
            caution=self.caution,
        )

    def document(self) -> dict[str, Any]:
        """Return the message for a program: its named facts.

        Their texts are on one line, but neither inert nor escaped. The program must make them safe for the place where
        it shows them.
        """
        claims = self.row.claims
        return {
            "version": 1,
            "kind": self.kind.value,
            "jti": claims.jti,
            "name": claims.name,
            "asked": shown_text(self.asked, limit=ASKED_MAX_CHARACTERS) or claims.name,
            "recipient": self.recipient,
            "requester": shown_text(self.row.answerers.requester, limit=_FACT_MAX_CHARACTERS),
            "scope_label": shown_text(self.row.scope_label, limit=_FACT_MAX_CHARACTERS),
            "run_id": claims.run_id,
            "expires_at": rfc3339(self.row.expires_at),
            "answer_link": self.link,
            # Only where the mint says them, so that other messages are as before.
            **_given(
                asker=shown_text(self.asker, limit=ASKER_MAX_CHARACTERS),
                reason=shown_text(self.reason, limit=REASON_MAX_CHARACTERS),
                risk="high" if self.high_risk else "",
                delegated_by=shown_text(self._passed_on_by, limit=_FACT_MAX_CHARACTERS),
            ),
        }


def asked_in(payload: Mapping[str, Any]) -> str:
    """Return the text of a recorded request: its title, else its (first) question, else an empty text."""
    match payload:
        case {"title": str(words)} | {"question": str(words)} | {"questions": [{"question": str(words)}, *_]}:
            return words
    return ""


def _said(*facts: Fact) -> list[Fact]:
    return [(name, value) for name, value in facts if value]


def _given(**texts: str) -> dict[str, str]:
    return {name: text for name, text in texts.items() if text}


def _fact(value: str, limit: int = _FACT_MAX_CHARACTERS) -> str:
    return value and _quoted(inert_text(value, limit=limit))


def _quoted(inert: str) -> str:
    # No inert text has these two marks, so a reader sees where it ends.
    return f"“{inert}”"
