"""Every size and time limit, with its unit and its reason, and the checks; their errors have the name of the field.

Identifiers are limited in UTF-8 bytes so that the longest key built from them fits DynamoDB's 2,048 byte partition key
and 1,024 byte sort key, and the longest token stays under `TOKEN_MAX_BYTES`.
"""

import re

from askback.domain.errors import InvalidRequest

IDENTIFIER_MAX_BYTES = 256
"""run, session, checkpoint and interrupt ids, and the answerer's name."""
TOOL_CALL_ID_MAX_BYTES = 512
THREAD_ID_MAX_BYTES = 1024
"""`<tenant>:<sub tenant>:<session>` of the longest parts fits."""
SCOPE_PART_MAX_BYTES = 256
NAME_PATTERN = re.compile(r"[a-z][a-z0-9_]{0,63}")
"""Interaction names: lower case, digits and underscores, 1 to 64 characters."""

TTL_MIN_SECONDS = 30
TTL_MAX_SECONDS = 30 * 24 * 3600
REMIND_MIN_SECONDS = 60
CLOCK_LEEWAY_SECONDS = 60
"""How far the clock that minted may be ahead of ours (issued-at). Expiry has no leeway."""

TOKEN_MAX_BYTES = 16 * 1024
BODY_MAX_BYTES = 1_000_000
"""HTTP request bodies, after base64 decoding."""
PAYLOAD_MAX_BYTES = 256 * 1024
RESPONSE_MAX_BYTES = 512 * 1024
PROMPT_MAX_BYTES = 256 * 1024
TURN_MAX_BYTES = 64 * 1024 * 1024
"""The size of an encoded turn; in Lambda the service's request limit of 6 MB comes first."""
JSON_MAX_DEPTH = 100
JSON_INTEGER_MAX_BITS = 14_000
"""About 4,200 decimal digits; Python cannot write or read integers of more than 4,300 digits."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def require_identifier(value: object, *, field: str, max_bytes: int = IDENTIFIER_MAX_BYTES, empty: bool = False) -> str:
    """Return `value` when it is a text that can be part of a key and a token.

    Refused are: not a text, empty (unless `empty`), over `max_bytes` of UTF-8, control characters, half a surrogate
    pair. Without this check the codec could later refuse every token with this id.

    Raises:
        InvalidRequest: with the name of the field and the limit.
    """
    if not isinstance(value, str):
        raise InvalidRequest.of_field(field, "must be a string")
    if not value and not empty:
        raise InvalidRequest.of_field(field, "must not be empty")
    if len(value) > max_bytes or len(_utf8(value, field)) > max_bytes:
        raise InvalidRequest.of_field(field, f"must be at most {max_bytes} bytes of UTF-8")
    if _CONTROL.search(value):
        raise InvalidRequest.of_field(field, "must not contain control characters")
    return value


def require_name(value: object, *, field: str = "name") -> str:
    """Return `value` when it is an interaction name; raises InvalidRequest with the name of the field."""
    if not isinstance(value, str) or not NAME_PATTERN.fullmatch(value):
        raise InvalidRequest.of_field(field, "must be 1 to 64 lower-case letters, digits or underscores, letter first")
    return value


def require_ttl(value: object, *, field: str = "ttl_seconds") -> int:
    """Return `value` when it is a whole number of seconds from 30 to 2,592,000 (30 days)."""
    if isinstance(value, bool) or not isinstance(value, int) or not TTL_MIN_SECONDS <= value <= TTL_MAX_SECONDS:
        raise InvalidRequest.of_field(
            field, f"must be a whole number of seconds from {TTL_MIN_SECONDS} to {TTL_MAX_SECONDS}"
        )
    return value


def _utf8(value: str, field: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise InvalidRequest.of_field(field, "must not contain half a surrogate pair") from None
