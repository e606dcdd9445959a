"""A notice that a person gets, and texts of a model that must stay text in it."""

from typing import Any

from askback.adapters.channels.message_files import message_texts
from askback.domain.pause.answerers import Answerers
from askback.domain.people.message import Notice, NoticeKind
from tests.support.domain_values import an_issued_row

ENGLISH = message_texts("en")
LINK = "https://answers.example.com/a#eyJhbGciOiJIUzI1NiJ9.e30.c2ln"


HOSTILE = [
    '<img src=x onerror="alert(1)">',
    '=HYPERLINK("http://evil.example","Refund")',
    "Pay \u202e009 ylno\u2066",
    "Refund?\r\nBcc: everybody@example.com\r\n\r\nNew body",
    "</li></ul></body><script>alert(1)</script>",
    "<!channel> <http://evil.example|answer here> & more",
    "null\x00 bell\x07 \x1b[31mred",
    "zero\u200b\ufeffwidth",
]


def a_notice(**over: Any) -> Notice:
    row = an_issued_row(scope_label="acme / eu / billing", answerers=Answerers(requester="bob", recipients=("ada",)))
    given = {
        "kind": NoticeKind.ASKED,
        "row": row,
        "asked": "Refund 49.90 EUR?",
        "recipient": "ada",
        "link": LINK,
        "texts": ENGLISH,
    }
    return Notice(**{**given, **over})
