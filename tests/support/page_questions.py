"""What agents ask in these tests: one request of each kind, with everything in it that a page has to show."""

from typing import Any, Final

PREVIEW: Final = "\n".join(f"{number:>3}  refund(order='A-{number}', amount=49.90)" for number in range(1, 90))[:4000]


def an_option(label: str, description: str = "", preview: str | None = None) -> dict[str, Any]:
    return {"label": label, "description": description, "preview": preview}


def a_question(text: str, *options: dict[str, Any], **over: Any) -> dict[str, Any]:
    return {"question": text, "header": "", "options": list(options), **over}


ONE: Final[dict[str, Any]] = {
    "questions": [
        a_question(
            "Refund 49.90 EUR to Ada Lovelace?",
            an_option("Refund it", "The money is back on her card in about three days."),
            an_option("Refuse", "She is told that the order is too old."),
            header="Refund",
            allow_other=True,
        )
    ]
}

FOUR: Final[dict[str, Any]] = {
    "questions": [
        a_question(
            "Which plan should the release follow?",
            an_option("All at once", "Every region at 18:00.", PREVIEW),
            an_option("Region by region", "One a day, Europe first.", "eu-central-1\neu-west-1\nus-east-1"),
            header="Plan",
        ),
        a_question(
            "Who has to be told beforehand?",
            an_option("Support"),
            an_option("Sales"),
            an_option("Customers", "By e-mail, a day ahead."),
            header="People",
            multi_select=True,
            allow_other=True,
        ),
        a_question("Is the rollback tested?", an_option("Yes"), an_option("No"), header="Rollback"),
        a_question("What may wait until next week?", an_option("Docs"), an_option("Metrics"), multi_select=True),
    ]
}

APPROVAL: Final[dict[str, Any]] = {
    "title": "Pay the invoice of Lovelace Engines?",
    "summary": "Invoice 2026-118 came on Monday.\nIt is 12% above the order.",
    "action": {
        "name": "pay_invoice",
        "arguments": {
            "recipient": "Lovelace Engines Ltd.",
            "account": 12345678901234567890,
            "amount": 1249.5,
            "currency": "EUR",
            "note": "Invoice 2026-118",
            "express": False,
            "positions": [{"article": "Difference engine", "pieces": 1}, {"article": "Punched cards", "pieces": 500}],
        },
    },
    "editable": {
        "amount": {"type": "number", "title": "Amount", "minimum": 0, "maximum": 2000},
        "currency": {"type": "string", "title": "Currency", "enum": ["EUR", "GBP"]},
        "note": {"type": "string", "title": "Note", "maxLength": 100},
        "express": {"type": "boolean", "title": "Express", "description": "Costs 5 EUR."},
    },
    "comment": "required_to_reject",
}

ABOUT_PAYMENT: Final[dict[str, Any]] = {
    "asker": "Accounts payable agent",
    "reason": "The invoice is due on Friday, and it is above the limit that I may pay alone.",
    "risk": "high",
    "if_approved": "The bank sends 1,249.50 EUR to Lovelace Engines at once. Nobody can take it back.",
    "contact": "accounts@example.com",
}

FORM: Final[dict[str, Any]] = {
    "title": "Where should the parcel go?",
    "description": "The carrier could not find the address.",
    "schema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name", "minLength": 2, "maxLength": 60},
            "directions": {"type": "string", "title": "How to find it", "maxLength": 500},
            "email": {"type": "string", "title": "E-mail", "format": "email"},
            "website": {"type": "string", "title": "Website", "format": "uri"},
            "deliver_on": {"type": "string", "title": "Day of delivery", "format": "date"},
            "ring_at": {"type": "string", "title": "When to ring", "format": "date-time"},
            "floor": {"type": "integer", "title": "Floor", "minimum": -2, "maximum": 60},
            "weight": {"type": "number", "title": "Weight in kilograms", "default": 1.5},
            "signature": {"type": "boolean", "title": "Signature needed", "description": "An adult has to sign."},
            "carrier": {
                "type": "string",
                "title": "Carrier",
                "enum": ["dhl", "ups", "pickup"],
                "enumNames": ["DHL", "UPS", "I fetch it myself"],
            },
            "days": {
                "type": "array",
                "title": "Days that suit",
                "items": {
                    "type": "string",
                    "enum": ["mon", "tue", "wed"],
                    "enumNames": ["Monday", "Tuesday", "Wednesday"],
                },
                "minItems": 1,
                "maxItems": 2,
            },
        },
        "required": ["name", "deliver_on", "floor", "signature", "carrier", "days"],
    },
}

INCIDENT: Final = {
    "service": "checkout",
    "symptoms": ["slow answers", "timeouts"],
    "since": "2026-01-05 08:10",
    "affected": {"eu": 120, "us": 3},
}

MARKUP: Final = "<img src=x onerror=alert(1)><script>alert(2)</script>"
BIDI: Final = "pay \u202e000,1\u202c \u2067to\u2069 \u200fme\u202e"
BIDI_SHOWN: Final = "pay [U+202E]000,1[U+202C] [U+2067]to[U+2069] [U+200F]me[U+202E]"
LONG_WORD: Final = "Donaudampfschifffahrtsgesellschaftskapitaen" * 6

HOSTILE: Final[dict[str, Any]] = {
    "questions": [
        a_question(
            MARKUP,
            an_option(
                '"><script>alert(3)</script>', "javascript:alert(4) https://evil.example/x", f"<b>{BIDI}\u202e" * 90
            ),
            an_option(BIDI, LONG_WORD[:400], LONG_WORD * 15),
            an_option("</script><style>*{display:none}</style>", "{{strings}} {question} ${1}"),
            header="=HYPERLINK()"[:12],
            allow_other=True,
        ),
        a_question(
            LONG_WORD[:500], an_option(LONG_WORD[:80]), an_option("[a](javascript:alert(5))"), multi_select=True
        ),
    ]
}

HOSTILE_APPROVAL: Final[dict[str, Any]] = {
    "title": MARKUP + BIDI,
    "summary": f"<a href='javascript:alert(6)'>here</a> {LONG_WORD}",
    "action": {
        "name": "<svg onload=alert(7)>",
        "arguments": {
            "__proto__": {"polluted": MARKUP},
            "constructor": BIDI,
            "note": MARKUP,
            "deep": {"a": {"b": {"c": {"d": {"e": MARKUP}}}}},
        },
    },
    "editable": {"note": {"type": "string", "title": MARKUP[:100], "description": BIDI}},
}
