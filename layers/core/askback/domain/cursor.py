"""Cursors: texts as base64url, not encrypted, because what they name is not secret from the caller who gets them."""

import base64


def cursor_of(text: str) -> str:
    """Return a text as a cursor."""
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def text_of(cursor: str, *, max_characters: int) -> str:
    """Read a cursor; raises ValueError for every text that `cursor_of` would not return, and for one over the limit."""
    if len(cursor) > max_characters:
        raise ValueError("too long")
    padded = cursor + "=" * (-len(cursor) % 4)
    text = base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    # Base64 has several texts for the same bytes.
    if cursor_of(text) != cursor:
        raise ValueError("not a cursor")
    return text
