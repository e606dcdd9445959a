"""The message that brings a person to a question: plain facts, one link, and nothing that they did not need to know.

What is asked is somebody else's text. It stands here as text on one line, and as text in the HTML.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from html import escape
from typing import Any

from askback.domain.pause import ids
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ledger import LedgerRow
from askback.domain.people.shown_text import shown_text
from askback.domain.timestamps import rfc3339

ASKED_MAX_CHARACTERS = 150
_FACT_MAX_CHARACTERS = 200
_SOON_SECONDS = 3600


class NoticeKind(StrEnum):
    """Why a message is sent: the question is new, it still waits, or it waits and its last hour has begun."""

    ASKED = "asked"
    REMINDER = "reminder"
    EXPIRES_SOON = "expires_soon"

    @classmethod
    def of(cls, claims: PauseClaims, *, reminder: bool, at: int) -> "NoticeKind":
        """Return the kind of a message that is sent at `at` (epoch seconds)."""
        if not reminder:
            return cls.ASKED
        return cls.EXPIRES_SOON if claims.exp - at <= _SOON_SECONDS else cls.REMINDER


_HEADINGS = {
    NoticeKind.ASKED: "Your answer is needed",
    NoticeKind.REMINDER: "Your answer is still needed",
    NoticeKind.EXPIRES_SOON: "Your answer is needed within the hour",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One message to one person; `recipient` is empty when the question is for nobody in particular.

    `asked` and the texts of the row are as they were written; only the methods make them fit to be shown. The link is
    not shown by `repr`, which ends in logs: whoever has it can answer.
    """

    kind: NoticeKind
    row: LedgerRow
    asked: str
    recipient: str
    link: str = field(repr=False)

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
        """Why this comes, in words of ours alone."""
        return _HEADINGS[self.kind]

    @property
    def subject(self) -> str:
        """The heading and what is asked, on one line."""
        return f"{self.heading}: {self.question}"

    @property
    def question(self) -> str:
        """What is asked, on one line of at most 150 characters."""
        return shown_text(self.asked, limit=ASKED_MAX_CHARACTERS) or self.row.claims.name

    @property
    def deadline(self) -> str:
        """Until when it can be answered, in UTC."""
        return datetime.fromtimestamp(self.row.claims.exp, UTC).strftime("%Y-%m-%d %H:%M UTC")

    def facts(self) -> list[tuple[str, str]]:
        """Return what there is to know, by name; what the pause does not say is left out."""
        said = (
            ("Asked for", self.row.answerers.requester),
            ("Scope", self.row.scope_label),
            ("Run", self.row.claims.run_id),
            ("Answer by", self.deadline),
            ("You answer as", self.recipient),
        )
        return [(name, shown_text(value, limit=_FACT_MAX_CHARACTERS)) for name, value in said if value]

    @property
    def caution(self) -> str:
        """Whose the link is."""
        if self.recipient:
            return "This link answers in your name. Do not forward it."
        return "Whoever has this link can answer. Give it to nobody else."

    def text(self) -> str:
        """Return the message as plain text."""
        facts = "\n".join(f"{name}: {value}" for name, value in self.facts())
        return (
            f"{self.heading}.\n\n{self.question}\n\n{facts}\n\nAnswer here:\n{self.link}\n\n{self.caution}\n{_AGAIN}\n"
        )

    def html(self) -> str:
        """Return the message as an HTML document; everything in it that is not ours is escaped."""
        facts = "\n".join(f"<li>{name}: <strong>{_text(value)}</strong></li>" for name, value in self.facts())
        return _DOCUMENT.format(
            heading=self.heading,
            question=_text(self.question),
            facts=facts,
            link=escape(self.link),
            caution=self.caution,
            again=_AGAIN,
        )

    def document(self) -> dict[str, Any]:
        """Return the message for a program: its facts by name, texts as they would be shown."""
        claims = self.row.claims
        return {
            "version": 1,
            "kind": self.kind.value,
            "jti": claims.jti,
            "name": claims.name,
            "asked": self.question,
            "recipient": self.recipient,
            "requester": shown_text(self.row.answerers.requester, limit=_FACT_MAX_CHARACTERS),
            "scope_label": shown_text(self.row.scope_label, limit=_FACT_MAX_CHARACTERS),
            "run_id": claims.run_id,
            "expires_at": rfc3339(claims.exp),
            "answer_link": self.link,
        }


def asked_in(payload: Mapping[str, Any]) -> str:
    """Return what a recorded request asks, in its author's words: its title, or its (first) question, or nothing."""
    match payload:
        case {"title": str(words)} | {"question": str(words)} | {"questions": [{"question": str(words)}, *_]}:
            return words
    return ""


def _text(value: str) -> str:
    # In its own direction: a right-to-left question must not reorder what stands around it.
    return f'<bdi dir="auto">{escape(value)}</bdi>'


_AGAIN = "You may get this message more than once; it is the same question, and one answer is enough."
# `ses:no-track` keeps SES from replacing the link by one of its own, which would give it the token.
_DOCUMENT = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{heading}</title>
</head>
<body style="margin:0;padding:24px;max-width:600px;font:16px/1.5 sans-serif;overflow-wrap:anywhere">
<h1 style="font-size:24px;line-height:1.25">{heading}</h1>
<p style="font-size:20px">{question}</p>
<ul>
{facts}
</ul>
<p><a href="{link}" ses:no-track>Answer this question</a></p>
<p>{caution}</p>
<p>If the link does not open, copy this address into a browser:<br>{link}</p>
<p>{again}</p>
</body>
</html>
"""
