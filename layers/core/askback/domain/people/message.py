"""The message that sends a person the link to a question: a few facts and one link, nothing more.

The texts of the question, and all names and ids, come from an agent and are not trusted. People get them on one line,
between quotation marks that they cannot contain, and inert: the only live link of a message is the answer link.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape
from typing import Any
from unicodedata import bidirectional

from askback.domain.pause import ids
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ledger import LedgerRow
from askback.domain.people.message_texts import MessageTexts
from askback.domain.people.shown_text import inert_text, shown_text
from askback.domain.timestamps import rfc3339

ASKED_MAX_CHARACTERS = 150
_FACT_MAX_CHARACTERS = 200
_RIGHT_TO_LEFT = ("R", "AL", "AN")
_SOON_SECONDS = 3600


class NoticeKind(StrEnum):
    """The reason of a message: the question is new, it is still open, or it expires within an hour."""

    ASKED = "asked"
    REMINDER = "reminder"
    EXPIRES_SOON = "expires_soon"

    @classmethod
    def of(cls, claims: PauseClaims, *, reminder: bool, at: int) -> "NoticeKind":
        """Return the kind of a message sent at `at` (epoch seconds)."""
        if not reminder:
            return cls.ASKED
        return cls.EXPIRES_SOON if claims.exp - at <= _SOON_SECONDS else cls.REMINDER


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One message to one person; `recipient` is empty when the question has no recipients.

    `asked` and the texts of the row are as the agent wrote them; the methods make them safe to show. `repr` leaves the
    link out, because its text may get into logs and every holder of the link can answer.
    """

    kind: NoticeKind
    row: LedgerRow
    asked: str
    recipient: str
    link: str = field(repr=False)
    texts: MessageTexts = field(repr=False)

    @property
    def message_id(self) -> str:
        """The id by which a receiver knows a message that comes again.

        Every try of one message has the same id. Another pause, recipient or occasion gives another id. The occasion is
        the question or its one reminder, not `kind`: a reminder that is tried again in the last hour changes its kind.
        """
        occasion = "asked" if self.kind is NoticeKind.ASKED else "reminder"
        return ids.message_id(jti=self.row.claims.jti, occasion=occasion, recipient=self.recipient)

    @property
    def heading(self) -> str:
        """The reason of the message, without any text of the agent."""
        texts = self.texts
        match self.kind:
            case NoticeKind.ASKED:
                return texts.asked
            case NoticeKind.REMINDER:
                return texts.reminder
            case NoticeKind.EXPIRES_SOON:
                return texts.expires_soon

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
        """The time at which the question expires, in UTC."""
        return self.texts.moment(self.row.claims.exp)

    def facts(self) -> list[tuple[str, str]]:
        """Return the facts of the pause as label and inert value; empty ones are left out."""
        said = (
            (self.texts.requester, _fact(self.row.answerers.requester)),
            (self.texts.scope, _fact(self.row.scope_label)),
            (self.texts.run, _fact(self.row.claims.run_id)),
            (self.texts.answer_by, self.deadline),
            (self.texts.answer_as, _fact(self.recipient)),
        )
        return [(name, value) for name, value in said if value]

    @property
    def caution(self) -> str:
        """The warning about the link."""
        return self.texts.caution_recipient if self.recipient else self.texts.caution_shared

    def text(self) -> str:
        """Return the message as plain text."""
        texts = self.texts
        heading = texts.sentence.format(heading=self.heading)
        question = texts.line(texts.question, self._apart(_quoted(self.question)))
        facts = "\n".join(texts.line(name, self._apart(value)) for name, value in self.facts())
        return (
            f"{heading}\n\n{question}\n\n{facts}\n\n{texts.answer_here}\n{self.link}\n\n"
            f"{self.caution}\n{texts.foreign}\n{texts.again}\n"
        )

    def _apart(self, value: str) -> str:
        """Return a value for plain text; where directions mix, between signs that keep each text in its own order."""
        if self.texts.direction == "ltr" and not any(bidirectional(sign) in _RIGHT_TO_LEFT for sign in value):
            return value
        return f"\u2068{value}\u2069"

    def html(self) -> str:
        """Return the message as an HTML document; every text from outside is escaped."""
        texts = self.texts
        facts = "\n".join(
            f"<li>{texts.line(name, f'<strong>{_text(value)}</strong>')}</li>" for name, value in self.facts()
        )
        return _DOCUMENT.format(
            language=texts.language,
            direction=texts.direction,
            heading=self.heading,
            question=_text(_quoted(self.question)),
            facts=facts,
            link=escape(self.link),
            answer_this=texts.answer_this,
            caution=self.caution,
            foreign=texts.foreign,
            copy_address=texts.copy_address,
            again=texts.again,
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
            "expires_at": rfc3339(claims.exp),
            "answer_link": self.link,
        }


def asked_in(payload: Mapping[str, Any]) -> str:
    """Return the text of a recorded request: its title, else its (first) question, else an empty text."""
    match payload:
        case {"title": str(words)} | {"question": str(words)} | {"questions": [{"question": str(words)}, *_]}:
            return words
    return ""


def _fact(value: str) -> str:
    return value and _quoted(inert_text(value, limit=_FACT_MAX_CHARACTERS))


def _quoted(inert: str) -> str:
    # No inert text has these two marks, so a reader sees where it ends.
    return f"“{inert}”"


def _text(value: str) -> str:
    # With its own direction: a right-to-left question must not change the order of the text around it.
    return f'<bdi dir="auto">{escape(value)}</bdi>'


# A mail program may drop the attributes of `html`, so the text has its language and direction itself.
# `ses:no-track`: without it SES may replace the link by a tracking link, and so receive the token.
_DOCUMENT = """<!DOCTYPE html>
<html lang="{language}" dir="{direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>{heading}</title>
</head>
<body style="margin:0;padding:24px;max-width:600px;font:16px/1.5 sans-serif;overflow-wrap:anywhere">
<div lang="{language}" dir="{direction}">
<h1 style="font-size:24px;line-height:1.25">{heading}</h1>
<p style="font-size:20px">{question}</p>
<ul>
{facts}
</ul>
<p><a href="{link}" ses:no-track>{answer_this}</a></p>
<p>{caution}<br>{foreign}</p>
<p>{copy_address}<br><bdi dir="ltr">{link}</bdi></p>
<p>{again}</p>
</div>
</body>
</html>
"""
