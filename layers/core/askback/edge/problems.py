"""The problem document of a refusal (RFC 9457), and the exception that a direct caller gets in its place.

A document has at most `PROBLEM_MAX_BYTES`, whatever names and values a caller chose, so that Lambda can always return
it.
"""

import json
from collections.abc import Mapping
from typing import Any

from askback.domain.errors import ERRORS_SHOWN, HumanInteractionError
from askback.domain.field_errors import NAME_MAX_CHARACTERS, cut

PROBLEM_MAX_BYTES = 32 * 1024
_TEXT_MAX_CHARACTERS = 900
"""Of a detail or a message. With a name, one error fits however its characters are escaped: 14 bytes each at most."""
_ROOM_FOR_MORE = 64
_TITLES = {
    400: "Bad request",
    401: "Not accepted",
    403: "Not allowed",
    404: "Not found",
    409: "Conflict",
    410: "No longer open",
    413: "Too large",
    422: "Not valid",
    424: "Paused state unusable",
    429: "Too many open",
    500: "Server error",
    503: "Temporarily unavailable",
}


def problem(error: HumanInteractionError, *, bare: bool = False) -> dict[str, Any]:
    """Return the problem document of a refusal, of at most `PROBLEM_MAX_BYTES` in the function's reply.

    Its texts can have names that the caller has chosen, so they are cut; errors that find no room are counted. With
    `bare` no text has anything of the payload: Lambda logs the text of an exception that a function raises.
    """
    detail, listed = error.detail, error.errors
    if bare:
        detail, listed = error.bare_detail or error.detail, tuple(item.bare for item in listed)
    document = {
        "type": f"urn:askback:problem:{error.code}",
        "title": _TITLES[error.status],
        "status": error.status,
        "detail": cut(detail, _TEXT_MAX_CHARACTERS),
        "code": error.code,
        "retryable": error.retryable,
        **error.members(),
    }
    errors = [
        {"field": cut(item.field, NAME_MAX_CHARACTERS), "message": cut(item.message, _TEXT_MAX_CHARACTERS)}
        for item in listed[:ERRORS_SHOWN]
    ]
    if errors:
        document["errors"] = errors
    while len(errors) > 1 and _bytes_in_reply(document) > PROBLEM_MAX_BYTES - _ROOM_FOR_MORE:
        errors.pop()
    more = error.more_errors + len(error.errors) - len(errors)
    if errors and more:
        document["detail"] += f" ({more} more errors are not shown)"
    return document


def _bytes_in_reply(document: Mapping[str, Any]) -> int:
    # The document is JSON text inside the function's JSON reply.
    return len(json.dumps(json.dumps(document)))


def internal_problem() -> dict[str, Any]:
    """Return the problem document of an unexpected error; it has nothing of the error."""
    return {
        "type": "urn:askback:problem:internal",
        "title": _TITLES[500],
        "status": 500,
        "detail": "an unexpected error happened; an operator must look at the log",
        "code": "internal",
        "retryable": True,
    }


def direct_error(document: Mapping[str, Any]) -> Exception:
    """Return the exception of a problem: its type is `Askback.` and the code in camel case, its text the document."""
    name = "Askback." + "".join(part.capitalize() for part in str(document["code"]).split("-"))
    return type(name, (Exception,), {})(json.dumps(document))  # type: ignore[no-any-return]
