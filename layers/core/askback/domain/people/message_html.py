"""The mail of a message: an HTML document in the look of the answer page.

Mail programs drop style sheets and lay out little, so every style is inline and the button is a cell of a table. Only
the button has a background: a program in its dark mode can choose the others. Nothing is fetched when a mail is opened,
so no picture tells that it was read.
"""

from collections.abc import Sequence
from html import escape

from askback.domain.people.brand import Brand
from askback.domain.people.message_texts import MessageTexts

Fact = tuple[str, str]
"""A label and an inert value."""


def message_html(
    *,
    texts: MessageTexts,
    brand: Brand,
    heading: str,
    why_now: str,
    warning: str,
    before: Sequence[Fact],
    question: str,
    reason: Sequence[Fact],
    facts: Sequence[Fact],
    link: str,
    caution: str,
) -> str:
    """Return the document; every text is escaped here, and empty parts are left out."""
    name = brand.name and f'<p style="{_NAME.format(colour=brand.colour)}">{_text(brand.name)}</p>\n'
    why_now = why_now and f"<p>{escape(why_now)}</p>\n"
    warning = warning and f'<p style="{_WARNING}"><strong>{escape(warning)}</strong></p>\n'
    support = brand.support and f'<p style="{_FOOT}">{_pair(texts, (texts.support, brand.support))}</p>\n'
    return _DOCUMENT.format(
        language=texts.language,
        direction=texts.direction,
        brand=name,
        heading=escape(heading),
        why_now=why_now,
        warning=warning,
        before=_lines(texts, before),
        question=_text(question),
        reason=_lines(texts, reason),
        facts="\n".join(f"<li>{_pair(texts, fact)}</li>" for fact in facts),
        link=escape(link),
        colour=brand.colour,
        on_colour=brand.text_on_colour,
        answer_this=escape(texts.answer_this),
        caution=escape(caution),
        foreign=escape(texts.foreign),
        copy_address=escape(texts.copy_address),
        again=escape(texts.again),
        support=support,
    )


def _lines(texts: MessageTexts, facts: Sequence[Fact]) -> str:
    return "<p>" + "<br>".join(_pair(texts, fact) for fact in facts) + "</p>\n" if facts else ""


def _pair(texts: MessageTexts, fact: Fact) -> str:
    label, value = fact
    return texts.line(escape(label), f"<strong>{_text(value)}</strong>")


def _text(value: str) -> str:
    # With its own direction: a right-to-left question must not change the order of the text around it.
    return f'<bdi dir="auto">{escape(value)}</bdi>'


_NAME = "margin:0 0 24px;padding:0 0 12px;border-bottom:3px solid {colour};font-size:18px;font-weight:bold"
_WARNING = "margin:0 0 16px;padding:12px 16px;border:2px solid #c0392b;border-radius:8px"
_FOOT = "margin:24px 0 0;padding:12px 0 0;border-top:1px solid #808080;font-size:14px"
# A mail program may drop the attributes of `html`, so the text has its language and direction itself.
# The border of the button has the colour of its text: it shows where the ground has nearly the button's own colour.
# `ses:no-track`: without it SES may replace the link by a tracking link, and so receive the token.
_DOCUMENT = """<!DOCTYPE html>
<html lang="{language}" dir="{direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>{heading}</title>
</head>
<body style="margin:0;padding:24px;overflow-wrap:anywhere">
<div lang="{language}" dir="{direction}">
<div style="max-width:600px;margin:0 auto;font:16px/1.5 Helvetica,Arial,sans-serif">
{brand}<h1 style="margin:0 0 16px;font-size:24px;line-height:1.25">{heading}</h1>
{why_now}{warning}{before}<p style="font-size:20px;line-height:1.4">{question}</p>
{reason}<ul style="padding:0 20px">
{facts}
</ul>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" style="margin:24px 0">
<tr><td bgcolor="{colour}" style="border-radius:8px;background:{colour}">
<a href="{link}" ses:no-track style="display:inline-block;padding:13px 28px;border:1px solid {on_colour};\
border-radius:8px;background:{colour};color:{on_colour};font-weight:bold;text-decoration:none">{answer_this}</a>
</td></tr>
</table>
<p>{caution}<br>{foreign}</p>
<p style="font-size:14px">{copy_address}<br><bdi dir="ltr">{link}</bdi></p>
<p style="font-size:14px">{again}</p>
{support}</div>
</div>
</body>
</html>
"""
