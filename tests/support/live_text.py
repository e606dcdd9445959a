"""What mail clients and chats make of a plain text: links, mentions, pictures and markup."""

import re

_LIVE = (
    r"(?i)[a-z0-9+.-]+://",
    r"(?i)\bwww\.\w",
    r"(?i)(?<![\w])(mailto|tel|sms|javascript|data|file):[^\s(…]",
    r"(?i)[\w-]\.(com|org|net|example|io|dev|zip|de|рф|中国|xn--\w+)(?!\w)",
    r"(?i)[a-z0-9][\u3002\uff0e\uff61](com|org|example)(?!\w)",
    r"(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\d.])",
    r"\S@\w",
    r"(?<!\[)@\w",
    r"\]\(",
    r"[*`~<>|]",
    r"\\\\\w",
    r"(?<!\w)_\w",
    r":[\w+-]+:",
    r"#[^\W\d]",
)

_ALIKE = str.maketrans("*~`|<>_[]", "\u2217\u02dc\u00b4\u00a6\u2039\u203a\u2017{}")


def alike(text: str) -> str:
    """Return the text with a sign that looks alike for each sign of markup."""
    return text.translate(_ALIKE)


def live_parts(text: str) -> list[str]:
    """Return each part of a text that a client would not show as text."""
    return [found[0] for pattern in _LIVE for found in re.finditer(pattern, text)]
